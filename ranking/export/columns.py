"""Describe the columns of exported tables for their readers."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import Design
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.formats.five_way import five_way_header
from campaign.models import Task
from campaign.models.questions import RESERVED_NAMES, questions_stored
from ranking.export.kinds import (
    JUDGE_ANSWERS,
    MACHINES,
    WITH_ANSWERS,
    ExportFormat,
    ExportKind,
)
from ranking.export.rows import ROWS
from ranking.files.pairwise import COLUMNS as PAIRWISE_COLUMNS

_NUMBER: Final = re.compile(r"(?<=\D)\d+")
_JUDGE: Final = _("Judge’s pseudonym")
_SEGMENT: Final = _("Number of the segment in the test set, from 1")
_CANDIDATE: Final = _(
    "Systems of the N-th output shown; commas separate systems with the same text",
)
_RANK: Final = _("Rank of the N-th output, from 1 (best) to 5")
_TIME: Final = _("Time (UTC)")
#: Descriptions of columns by name, where N stands for a number.
_DESCRIPTIONS: Final[Mapping[str, str | Promise]] = {
    # Files of WMT
    "srclang": _("Source language"),
    "trglang": _("Target language"),
    "srcIndex": _SEGMENT,
    "documentId": _("Document"),
    "segmentId": _("Number of the segment in its document, from 1"),
    "judgeId": _JUDGE,
    "judgeID": _JUDGE,
    "systemNNumber": _("Numbers of these systems in the file"),
    "systemNId": _CANDIDATE,
    "systemNrank": _("Rank of the N-th output, from 1 (best) to 5; -1 if left blank"),
    "rankingID": _("Number of the judgment"),
    "bestWorst": _("1 if outputs with equal ranks were not compared"),
    "best": _("Position of the output chosen as the best"),
    "worst": _("Position of the output chosen as the worst"),
    # Judgments, skips and assignments
    "id": _("Permanent ID"),
    "number": _("Row number, used to resume downloads"),
    "judge": _JUDGE,
    "segment": _SEGMENT,
    "document": _("Document"),
    "candidateN": _CANDIDATE,
    "labelN": _RANK,
    "playedN": _("Share of the N-th output’s recording that was played, from 0 to 1"),
    "duration_ms": _("Milliseconds from display to submission"),
    "active_ms": _("Milliseconds from display to submission, without breaks"),
    "comment": _("Comment"),
    "submitted_at": _TIME,
    "supersedes": _("ID of the earlier judgment that this one corrects"),
    "current": _("False if a later judgment corrects this one"),
    "control": _("Kind of control (attention or training); empty if it counts"),
    "rehearsal_of": _("Campaign rehearsed by simulated judges"),
    "reason": _("Reason"),
    "created_at": _TIME,
    "judged_later": _("True if the judge answered it later"),
    "hit": _("Number of the HIT"),
    "ordinal": _("Number among the judge’s HITs, from 1"),
    "lent_at": _("Assigned (UTC)"),
    "lease_ends_at": _("Reserved until (UTC)"),
    "completed_at": _("Completed (UTC)"),
    "released_at": _("Returned without being completed (UTC)"),
    "machine": _("Name of the machine judge"),
    "version": _("Version"),
    "part": _("Pass, from 1; 0 if there is only one"),
    "prompt": _("Prompt"),
    "settings": _("Settings"),
    "asked_twice": _("True if blocks are repeated in reverse order"),
    "withdrawn_at": _("Withdrawn (UTC)"),
    "is_reversed": _("True if the outputs were in reverse order"),
    "skip_reason": _("Reason for a skip; empty if the block was judged"),
    # Answers
    "verdict": _("Better output"),
    "criterion": _("Criterion"),
    "value": _("Rating, from 1 to 5 (best)"),
    "outcome": _("Outcome"),
    "text": _("Edited text"),
    "keystrokes": _("Number of keystrokes"),
    "acceptable": _("Acceptable"),
    "answerN": _("Answer to the N-th statement"),
    "topN": _("True if the N-th output was marked as top"),
    "scoreN": _("Score of the N-th output, from 0 to 100 (best)"),
    "neutral_errorsN": _("Number of neutral marks in the N-th output"),
    "minor_errorsN": _("Number of minor errors in the N-th output"),
    "critical_errorsN": _("Number of critical errors in the N-th output"),
    "major_errorsN": _("Number of major errors in the N-th output"),
    # Texts
    "source": _("Source"),
    "reference": _("Reference"),
    "referenceN": _("Reference"),
    # Designs
    "changed_by": _("Changed by"),
    # Activity
    "time": _TIME,
    "by": _("Kind of author"),
    "user": _("Account"),
    "through": _("Command or background job"),
    "operator": _("Account of the operating system or database"),
    "change": _("Kind of change"),
    "kind": _("Type of the changed object"),
    "thing_id": _("ID of the changed object"),
    "thing": _("Name of the changed object"),
    "things": _("Number of changed objects"),
    "test_set": _("ID of the test set"),
    "field": _("Changed field"),
    "before": _("Value before"),
    "after": _("Value after"),
    # Judges
    "origin": _("Origin"),
    "languages": _("Languages"),
    "name": _("Name"),
    "email": _("E-mail address"),
    # Answers to questions to judges
    "earlier_wording": _(
        "Columns with an answer to an earlier version of the question",
    ),
}
_OF_SYSTEM: Final = _("Output of this system")
_OF_CRITERION: Final = _("Value by this criterion, of output N")
_DELETED_QUESTION: Final = _("Answer to a deleted question")


def described_columns(kind: ExportKind, task: Task) -> dict[str, str | Promise]:
    """Return the descriptions of the columns of a kind by name; numbered columns are described once, with N.

    Empty if no format of the kind is a table.
    """
    if kind.name == JUDGE_ANSWERS:
        return _described_answers(columns_written(kind, task), task)
    descriptions = {}
    for name in columns_written(kind, task):
        descriptions[_general(kind.name, name)] = _description(kind.name, name)
    return descriptions


def _described_answers(columns: Iterable[str], task: Task) -> dict[str, str | Promise]:
    """Describe the columns of questions by their texts, whatever their names."""
    questions = questions_stored(task.test_set.campaign.questions)
    descriptions: dict[str, str | Promise] = {}
    for question in questions:
        descriptions[question.name] = question.texts[0].question
    for name in RESERVED_NAMES:
        descriptions[name] = _DESCRIPTIONS[name]
    return {name: descriptions.get(name, _DELETED_QUESTION) for name in columns}


def columns_written(kind: ExportKind, task: Task) -> Iterable[str]:
    """Return the columns of a kind's tables."""
    if kind.name in ROWS:
        return ROWS[kind.name].columns(task, answer_kind_of(task).candidates[-1])
    if ExportFormat.FIVE_WAY_CSV in kind.formats:
        best_worst = answer_kind_of(task).best_worst
        return five_way_header(1, best_worst=best_worst).strip().split(",")
    if ExportFormat.PAIRWISE_CSV in kind.formats:
        return PAIRWISE_COLUMNS
    return ()


def _general(kind: str, name: str) -> str:
    """Return the name of a column with N for its number; criteria of judgments are not known by name."""
    general = _NUMBER.sub("N", name)
    is_criterion = kind in WITH_ANSWERS and name not in _DESCRIPTIONS
    if general in _DESCRIPTIONS or is_criterion:
        return general
    return name


def _description(kind: str, name: str) -> str | Promise:
    if kind == "designs":
        verbose_names = dict(_design_fields())
        return verbose_names.get(name) or _DESCRIPTIONS[name]
    if kind == "texts":
        return _DESCRIPTIONS.get(_general(kind, name), _OF_SYSTEM)
    if (kind, name) == (MACHINES, "machine"):
        return _("True: the judge is a machine")
    if kind in WITH_ANSWERS:
        return _DESCRIPTIONS.get(_general(kind, name), _OF_CRITERION)
    return _DESCRIPTIONS[_general(kind, name)]


def _design_fields() -> Iterator[tuple[str, str | Promise]]:
    for field in Design._meta.concrete_fields:
        if field.name not in {"id", "created_at", "changed_by"}:
            yield field.name, field.verbose_name
