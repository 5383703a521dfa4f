"""The files of a published result, each made of its content alone."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from ranking.reports.published.citation import bibtex_file, cff_file
from ranking.reports.published.json_file import json_file
from ranking.reports.published.pairs import pairs_file
from ranking.reports.published.plot import svg_file
from ranking.reports.published.report import PublishedFile
from ranking.reports.published.tables import csv_file, latex_file, markdown_file
from ranking.reports.published.typst import typst_file


class FileKind(NamedTuple):
    """How a file is sent, and what writes it."""

    content_type: str
    write: Callable[[PublishedFile], str]


#: By the last part of their address.
FILES: Final[Mapping[str, FileKind]] = {
    "ranking.md": FileKind("text/markdown; charset=utf-8", markdown_file),
    "ranking.tex": FileKind("application/x-tex; charset=utf-8", latex_file),
    "ranking.typ": FileKind("text/plain; charset=utf-8", typst_file),
    "ranking.csv": FileKind("text/csv; charset=utf-8", csv_file),
    "pairs.csv": FileKind("text/csv; charset=utf-8", pairs_file),
    "ranking.json": FileKind("application/json", json_file),
    "ranking.svg": FileKind("image/svg+xml", svg_file),
    "citation.bib": FileKind("application/x-bibtex; charset=utf-8", bibtex_file),
    "CITATION.cff": FileKind("application/yaml; charset=utf-8", cff_file),
}

__all__ = ["FILES", "FileKind", "PublishedFile"]
