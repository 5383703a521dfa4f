"""Results as people and programs want them: text, JSON, CSV, Markdown and LaTeX."""

from ranking.reports.tables import Column, Report, Table
from ranking.reports.writing import ReportFormat, write

__all__ = ["Column", "Report", "ReportFormat", "Table", "write"]
