"""The files of a published result, each made of its content alone."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from optional_packages import has_extra
from ranking.reports.published.citation import bibtex_file, cff_file
from ranking.reports.published.image import png_file
from ranking.reports.published.json_file import json_file
from ranking.reports.published.pairs import pairs_file
from ranking.reports.published.plot import svg_file
from ranking.reports.published.report import PublishedFile
from ranking.reports.published.tables import csv_file, latex_file, markdown_file
from ranking.reports.published.typst import typst_file


class FileKind(NamedTuple):
    """How a file is sent, and what writes its bytes."""

    content_type: str
    write: Callable[[PublishedFile], bytes]


def _text(content_type: str, write: Callable[[PublishedFile], str]) -> FileKind:
    return FileKind(content_type, lambda file: write(file).encode())


#: By the last part of their address.
FILES: Final[Mapping[str, FileKind]] = {
    "ranking.md": _text("text/markdown; charset=utf-8", markdown_file),
    "ranking.tex": _text("application/x-tex; charset=utf-8", latex_file),
    "ranking.typ": _text("text/plain; charset=utf-8", typst_file),
    "ranking.csv": _text("text/csv; charset=utf-8", csv_file),
    "pairs.csv": _text("text/csv; charset=utf-8", pairs_file),
    "ranking.json": _text("application/json", json_file),
    "ranking.svg": _text("image/svg+xml", svg_file),
    **({"ranking.png": FileKind("image/png", png_file)} if has_extra("png") else {}),
    "citation.bib": _text("application/x-bibtex; charset=utf-8", bibtex_file),
    "CITATION.cff": _text("application/yaml; charset=utf-8", cff_file),
}

__all__ = ["FILES", "FileKind", "PublishedFile", "bibtex_file", "markdown_file"]
