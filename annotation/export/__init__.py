"""Judgments out of the database, as files have them."""

from annotation.export.five_way import (
    five_way_csv,
    five_way_rows,
    judged_rows,
    most_candidates,
)

__all__ = ["five_way_csv", "five_way_rows", "judged_rows", "most_candidates"]
