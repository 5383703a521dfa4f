"""The edits of a task of blind editing, with what others said of them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.export.shown import systems_shown
from annotation.models import Judgment
from campaign.models import Output, Task
from protocols.editing.files import EditRecord, edits_of
from protocols.editing.models import Answer
from protocols.editing.statistics.distance import character_distance
from protocols.editing.statistics.edits import Edits, Outcome
from ranking.analyses.judgments import ChosenJudgments


@dataclass(frozen=True)
class StoredEdit:
    """An edit of a task.

    Attributes
    ----------
    segment : int
        Its number in the test set.
    systems : tuple of str
        That wrote the output.
    judge : str
    outcome : Outcome
    output : str
    text : str or None
        What came out; None where the editor was unable.
    keystrokes, active_ms : int or None
    acceptances : tuple of (str, bool)
        Judge and answer; of outputs that the editor was unable to correct, of these as they are.
    """

    segment: int
    systems: tuple[str, ...]
    judge: str
    outcome: Outcome
    output: str
    text: str | None
    keystrokes: int | None
    active_ms: int | None
    acceptances: tuple[tuple[str, bool], ...]

    @property
    def record(self) -> EditRecord:
        """Return what counts of the edit: no acceptance of what was not corrected."""
        is_unable = self.outcome is Outcome.UNABLE
        return EditRecord(
            segment=self.segment,
            systems=self.systems,
            editor=self.judge,
            outcome=self.outcome,
            votes=() if is_unable else tuple(said for _judge, said in self.acceptances),
            distance=-1 if self.text is None else character_distance(self.output, self.text),
            length=len(self.output),
            active_ms=-1 if self.active_ms is None else self.active_ms,
        )


@dataclass(frozen=True, eq=False)
class TaskEdits:
    """The edits of a task that count.

    Attributes
    ----------
    edits : Edits
    editors, acceptors : int
        People who edited, and who accepted or rejected.
    uncorrected : (int, int)
        Outputs that their editor was unable to correct: how often they were accepted as they are, of how many times.
    """

    edits: Edits
    editors: int
    acceptors: int
    uncorrected: tuple[int, int]


def edits_stored(
    *,
    task: Task,
    watermark: int,
    without: Iterable[str] = (),
    documents: Iterable[str] | None = None,
) -> list[StoredEdit]:
    """Read the current edits 1…`watermark` of a task by number, with what others said of them.

    Judges named in `without` count neither as editors nor as acceptors. As many queries, whatever the number of edits.
    """
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    judgments = judgments.exclude(judge__pseudonym__in=list(without))
    if documents is not None:
        judgments = judgments.filter(block__segment__document__name__in=list(documents))
    answers = list(
        Answer.objects.filter(judgment__in=judgments)
        .select_related("judgment__judge", "judgment__block__segment")
        .order_by("judgment__numbered__number")
    )
    votes: dict[int | None, list[tuple[str, bool]]] = defaultdict(list)
    for answer in answers:
        if answer.acceptable is not None:
            votes[answer.edit_id].append((answer.judgment.judge.pseudonym, answer.acceptable))
    edits = [answer for answer in answers if answer.acceptable is None]
    shown = systems_shown(edit.judgment.block_id for edit in edits)
    names = dict(task.test_set.systems.values_list("id", "name"))
    texts = dict(
        Output.objects.filter(
            pk__in=[edit.judgment.block.outputs[0] for edit in edits]
        ).values_list("pk", "text")
    )
    return [
        StoredEdit(
            segment=edit.judgment.block.segment.number,
            systems=tuple(names[id_] for id_ in shown[edit.judgment.block_id][0]),
            judge=edit.judgment.judge.pseudonym,
            outcome=(outcome := Outcome(edit.outcome)),
            output=(output := texts[edit.judgment.block.outputs[0]] or ""),
            text={Outcome.EDITED: edit.text, Outcome.UNCHANGED: output}.get(outcome),
            keystrokes=edit.keystrokes,
            active_ms=edit.judgment.active_ms,
            acceptances=tuple(votes[edit.pk]),
        )
        for edit in edits
    ]


def task_edits(*, task: Task, watermark: int, chosen: ChosenJudgments) -> TaskEdits:
    """Return the edits of a task that were chosen, of systems that are."""
    reference = [chosen.reference] if chosen.with_reference and chosen.reference else []
    counted = {*chosen.systems, *reference}
    stored = [
        edit
        for edit in edits_stored(
            task=task, watermark=watermark, without=chosen.without, documents=chosen.documents
        )
        if counted.intersection(edit.systems)
    ]
    records = [edit.record for edit in stored]
    of_counted = [
        EditRecord(**{**vars(each), "systems": tuple(s for s in each.systems if s in counted)})
        for each in records
    ]
    as_they_are = [
        said
        for edit in stored
        if edit.outcome is Outcome.UNABLE
        for _judge, said in edit.acceptances
    ]
    return TaskEdits(
        edits=edits_of(of_counted),
        editors=len({edit.judge for edit in stored}),
        acceptors=len({judge for edit in stored for judge, _said in edit.acceptances}),
        uncorrected=(sum(as_they_are), len(as_they_are)),
    )
