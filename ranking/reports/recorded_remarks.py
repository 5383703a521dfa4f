"""What was skipped and commented when an analysis was asked for: frozen with the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ranking.core.diagnosis.remarks import CommentedBlock, SkippedBlock


@dataclass(frozen=True, slots=True)
class Remarks:
    """What judges skipped, and what they ranked with a comment."""

    skips: Sequence[SkippedBlock]
    comments: Sequence[CommentedBlock]

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values; `recorded_remarks` reads them."""
        return {
            "skips": [
                [each.segment, each.judge, list(each.systems), each.has_comment, each.document]
                for each in self.skips
            ],
            "comments": [[each.segment, each.judge, list(each.systems)] for each in self.comments],
        }


def recorded_remarks(values: Mapping[str, Any]) -> Remarks:
    """Return what `Remarks.recorded` recorded."""
    return Remarks(
        skips=tuple(
            SkippedBlock(segment, judge, tuple(systems), has_comment, document)
            for segment, judge, systems, has_comment, document in values["skips"]
        ),
        comments=tuple(
            CommentedBlock(segment, judge, tuple(systems))
            for segment, judge, systems in values["comments"]
        ),
    )
