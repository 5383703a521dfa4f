"""The versions of a published result, each with what it changes."""

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.models import PublishedResult, ResultBundle
from ranking.pages.published.differences import differences
from ranking.pages.published.reading import Content
from ranking.selectors.result_bundles import bundle_asked


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version, and what it changes of the one before that a reader knows; nothing of the first."""

    result: PublishedResult
    is_shown: bool
    differences: Sequence[str]

    @property
    def content(self) -> Content:
        content: Content = self.result.content
        return content

    @property
    def bundle(self) -> ResultBundle | None:
        """Its bundle, made or not yet."""
        return bundle_asked(self.result)


def version_lines(
    versions: Sequence[PublishedResult], *, shown: PublishedResult | None
) -> list[VersionLine]:
    """Return the versions, the newest first, as they come."""
    before: Sequence[PublishedResult | None] = [*versions[1:], None]
    return [
        VersionLine(
            result=each,
            is_shown=shown is not None and each.pk == shown.pk,
            differences=[] if earlier is None else differences(earlier.content, each.content),
        )
        for each, earlier in zip(versions, before, strict=False)
    ]


def newer_version(
    versions: Sequence[PublishedResult], shown: PublishedResult
) -> PublishedResult | None:
    """Return the newest version if a newer one than the one shown is there."""
    newest = versions[0] if versions else shown
    return newest if newest.version > shown.version else None
