"""The frozen folder of a published result: its files, as the page lists them, the zip holds them and README.md tells them.

docs/publishing.md lists the same; `tests/integration/publishing/test_folder.py` compares them.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaign.texts.canonical_json import canonical
from optional_packages import has_extra
from ranking.files.bundles.names import (
    CHECKSUMS,
    DESIGN,
    DRAWS,
    INDEX,
    JUDGMENTS,
    LEFT_OUT,
    METADATA,
    PARQUET,
    README,
    RESULT,
    RUN,
    TEXTS,
)
from ranking.reports.published.plot import png_file, svg_file
from ranking.reports.published.report import PublishedFile
from ranking.reports.published.tables import (
    bibtex_file,
    cff_file,
    csv_file,
    latex_file,
    markdown_file,
    pairs_file,
    typst_file,
)


class FolderFile(NamedTuple):
    """A file of the folder.

    Attributes
    ----------
    media_type : str
    words : Promise
        What it is.
    write : callable or None
        Returns its text or bytes where they follow from the content of the result alone.
    """

    media_type: str
    words: Promise
    write: Callable[[PublishedFile], str | bytes] | None = None


def _result_file(file: PublishedFile) -> str:
    return canonical(file.content)


#: By name, in the order in which they are listed. Not every folder has all of them.
FOLDER: Final[Mapping[str, FolderFile]] = {
    INDEX: FolderFile("text/html", _("The page, to open without a server")),
    README: FolderFile("text/markdown", _("Description, and how to check it")),
    "ranking.csv": FolderFile("text/csv", _("Table as CSV"), csv_file),
    "pairs.csv": FolderFile("text/csv", _("Pairs as CSV"), pairs_file),
    "ranking.tex": FolderFile("text/x-tex", _("Table as LaTeX (booktabs)"), latex_file),
    "ranking.typ": FolderFile("text/plain", _("Table as Typst"), typst_file),
    "ranking.md": FolderFile("text/markdown", _("Table as Markdown"), markdown_file),
    "ranking.svg": FolderFile("image/svg+xml", _("Plot as SVG"), svg_file),
    "ranking.png": FolderFile(
        "image/png", _("Plot as PNG"), png_file if has_extra("png") else None
    ),
    "citation.bib": FolderFile("text/x-bibtex", _("Citation as BibTeX"), bibtex_file),
    "CITATION.cff": FolderFile("application/yaml", _("Citation as CITATION.cff"), cff_file),
    RESULT: FolderFile(
        "application/json",
        _("Everything as JSON; its SHA-256 begins with the address of the result"),
        _result_file,
    ),
    JUDGMENTS: FolderFile("text/csv", _("Judgments that count, as CSV; judges by pseudonym")),
    PARQUET: FolderFile(
        "application/vnd.apache.parquet", _("The same judgments as Parquet, sorted by segment")
    ),
    LEFT_OUT: FolderFile("text/csv", _("Judgments of judges who are left out, as CSV")),
    TEXTS: FolderFile("application/jsonl", _("Sources, references and outputs")),
    DESIGN: FolderFile("application/json", _("Designs by which HITs were drawn")),
    DRAWS: FolderFile(
        "application/jsonl", _("Judged HITs: design, what each block showed, who judged it")
    ),
    RUN: FolderFile("application/json", _("Method, parameters, seed and code version")),
    METADATA: FolderFile("application/ld+json", _("Metadata for programs (RO-Crate)")),
    CHECKSUMS: FolderFile("text/plain", _("SHA-256 of all other files")),
}
