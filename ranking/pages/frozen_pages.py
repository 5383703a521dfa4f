"""The page of a published result that never changes, on the web and in the folder of its bundle."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.functional import Promise

from ranking.files import bundles
from ranking.models import PublishedResult
from ranking.pages.published_results import (
    PublishedPage,
    frozen_in_words,
    published_page,
)
from ranking.pages.published_versions import VersionLine, newer_version, version_lines
from ranking.reports.published_results import FOLDER, PublishedFile, bibtex_file

#: The style sheets in templates/base.html and templates/published_results/result.html.
_STYLES: Final = ("base", "scripts", "organiser", "analyses", "published")


class FrozenPage(TypedDict):
    """The content of a page that never changes."""

    page: PublishedPage
    frozen_words: str
    page_url: str
    citation: str


class ResultContent(FrozenPage):
    """The page content of a result, apart from its files."""

    result: PublishedResult
    lines: list[VersionLine]
    newer: PublishedResult | None
    results_url: str


def result_content(
    result: PublishedResult,
    versions: Sequence[PublishedResult],
    *,
    page_url: str,
) -> ResultContent:
    """Return the page content of a result.

    Parameters
    ----------
    versions : sequence of PublishedResult
        Versions that the reader may see, newest first.
    page_url : str
        Public address of the page.
    """
    return {
        **_frozen(PublishedFile(result.content, result.digest, page_url)),
        "result": result,
        "lines": version_lines(versions, current=result),
        "newer": newer_version(versions, result),
        "results_url": page_url.removesuffix(f"{result.address}/"),
    }


def result_file(result: PublishedResult) -> PublishedFile:
    """Return the source of the folder's files; their address is known if `PUBLIC_ADDRESS` is set."""
    url = ""
    if settings.PUBLIC_ADDRESS:
        path = reverse("published-result", args=[result.address])
        url = settings.PUBLIC_ADDRESS.rstrip("/") + path
    return PublishedFile(result.content, result.digest, url)


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file of the folder, described on its page."""

    name: str
    words: Promise
    address: str
    url: str = ""


def frozen_page(result: PublishedResult, names: Sequence[str]) -> str:
    """Return the page for a folder with these files, with inline styles and without anything that may change."""
    files = []
    for name in names:
        if name != bundles.INDEX:
            files.append(FolderFile(name, FOLDER[name], address=name))
    folder = settings.BASE_DIR / "static" / "css"
    styles = [(folder / f"{name}.css").read_text("utf-8") for name in _STYLES]
    context = {
        **_frozen(result_file(result)),
        "result": result,
        "files": files,
        "styles": "".join(styles),
    }
    return render_to_string("published_results/frozen.html", context)


def _frozen(written: PublishedFile) -> FrozenPage:
    return {
        "page": published_page(written.content),
        "frozen_words": frozen_in_words(written.content),
        "page_url": written.url,
        "citation": bibtex_file(written),
    }
