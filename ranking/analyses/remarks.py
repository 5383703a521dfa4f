"""Look at what judges skipped and commented: by system, and by the length of the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.system import by_length
from ranking.core.diagnosis.remarks import BoolArray, Shown, remark_share, shown_blocks
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.remarks import PartRemarks, RemarksFound, remarks_report


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> RemarksFound:
    begin(_("Counting"))
    remarks = given.remarks
    # All that was shown: the reference takes part.
    shown = shown_blocks(
        given.read.blocks,
        () if remarks is None else remarks.skips,
        () if remarks is None else remarks.comments,
        given.read.documents,
    )
    words = None if given.texts is None else given.texts.words()
    confidence = options["confidence"]
    return RemarksFound(
        systems=[
            _part(name, shown, shown.shows[:, number], confidence)
            for number, name in enumerate(shown.systems)
            if shown.shows[:, number].any()
        ],
        lengths=[]
        if words is None
        else [
            _part(name, shown, rows, confidence) for name, rows in by_length(words[shown.segment])
        ],
        shown=len(shown.segment),
        skipped=int(shown.skipped.sum()),
        commented=int(shown.commented.sum()),
        confidence=confidence,
    )


def _part(name: str, shown: Shown, rows: BoolArray, confidence: float) -> PartRemarks:
    return PartRemarks(
        part=name,
        shown=int(rows.sum()),
        skipped=remark_share(shown, shown.skipped, rows, confidence=confidence),
        commented=remark_share(shown, shown.commented, rows, confidence=confidence),
    )


def _tell(given: Input, options: Mapping[str, Any], found: RemarksFound) -> Report:
    del options
    return remarks_report(given, found)


REMARKS = AnalysisKind(
    name="remarks",
    title=gettext_lazy("Comments and skips"),
    question=gettext_lazy(
        "Of which systems, and of sentences of which length, do judges skip blocks or write comments?"
    ),
    options=(CONFIDENCE,),
    needs_remarks=True,
    find=_find,
    tell=_tell,
)
