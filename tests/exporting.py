"""Exports of a task, as tests read them."""

from io import BytesIO
from typing import Final

from campaign.formats import JudgedBlock, read_five_way_csv
from campaign.models import Task
from ranking.export.asked import Export, requested_export
from ranking.export.writing import export_bytes

#: Kinds of formats of ranked blocks; the others are of answers.
_KINDS: Final = {
    "five-way-csv": "with-skips",
    "jsonl": "counted",
    "appraise-xml": "counted",
    "pairwise-csv": "comparisons",
}


def export_of(task: Task, file_format: str) -> Export:
    kind = _KINDS.get(file_format, "answers")
    return requested_export(task=task, kind=kind, file_format=file_format)


def exported(task: Task, file_format: str = "five-way-csv") -> str:
    return b"".join(export_bytes(export_of(task, file_format))).decode()


def exported_rows(task: Task) -> list[JudgedBlock]:
    return list(read_five_way_csv(BytesIO(exported(task).encode()), "exported.csv"))
