"""The files of a published result, as its page offers them."""

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ranking.models import PublishedResult
from ranking.selectors.result_bundles import bundle_of

#: Files that are not made of the content alone, by the last part of their address.
BUNDLE = "bundle.zip"
JUDGMENTS = "judgments.csv"

#: What each is, by the last part of its address.
FILES_IN_WORDS: dict[str, Promise] = {
    "ranking.csv": _("Table as CSV"),
    "pairs.csv": _("Pairs as CSV"),
    "ranking.tex": _("Table as LaTeX (booktabs)"),
    "ranking.typ": _("Table as Typst"),
    "ranking.md": _("Table as Markdown"),
    "ranking.svg": _("Plot as SVG"),
    "ranking.png": _("Plot as PNG"),
    "ranking.json": _("Everything as JSON"),
    "citation.bib": _("Citation as BibTeX"),
    "CITATION.cff": _("Citation as CITATION.cff"),
}


@dataclass(frozen=True, slots=True)
class BundleLine:
    """A download of the bundle: its words, what is in it, its bytes and their SHA-256."""

    words: str
    inside: str
    address: str
    url: str
    size: int
    sha256: str


def bundle_lines(
    result: PublishedResult, *, address: Callable[[str], str], url: Callable[[str], str]
) -> list[BundleLine]:
    """Return the downloads of a result's bundle; none before it is made.

    `address` and `url` are called with the last part of an address.
    """
    bundle = bundle_of(result)
    if bundle is None:
        return []
    inside = (
        gettext("texts, judgments, design, method, seed, code version")
        if bundle.has_texts
        else gettext("judgments, design, method, seed, code version; no texts")
    )
    judgments = bundle.file(JUDGMENTS) or {"bytes": 0, "sha256": ""}
    return [
        BundleLine(
            words=gettext("Judgments as CSV"),
            inside=gettext("pseudonyms, no texts"),
            address=address(JUDGMENTS),
            url=url(JUDGMENTS),
            size=judgments["bytes"],
            sha256=judgments["sha256"],
        ),
        BundleLine(
            words=gettext("Everything, to compute it again"),
            inside=inside,
            address=address(BUNDLE),
            url=url(BUNDLE),
            size=bundle.size,
            sha256=bundle.digest,
        ),
    ]
