"""Files of a published result's frozen folder."""

from ranking.reports.published.folder import FOLDER, bibtex_file
from ranking.reports.published.report import PublishedFile, markdown_file

__all__ = ["FOLDER", "PublishedFile", "bibtex_file", "markdown_file"]
