"""Reports as text, JSON, CSV, Markdown, LaTeX and Typst."""

from ranking.reports.tables import Column, Report, Table
from ranking.reports.writing import ReportFormat, write

__all__ = ["Column", "Report", "ReportFormat", "Table", "write"]
