"""Edits and their acceptances as JSON Lines, one object per edit (`docs/formats-judgments.md`), and
as task files.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from annotation.protocols.answer_files import AnswerRefusedError, FileAnswer, Lose
from annotation.protocols.answer_kinds import CompleteRules
from campaign.formats.cells import Refuse
from campaign.formats.errors import Loss
from campaign.models import Output, Task
from protocols.editing.answers import (
    MAX_CHARACTERS,
    MAX_KEYSTROKES,
    AcceptanceJSON,
    EditJSON,
)
from protocols.editing.statistics import FEWEST_EDITS, Acceptance, Edit, Outcome
from protocols.frame.lines import (
    AnswerLines,
    CountedAnswers,
    LineValues,
    MakeRow,
    WrittenValues,
)
from protocols.models import EditingAnswer
from ranking.core.beside import OutputScores
from ranking.files.labels import (
    any_text,
    boolean_of,
    candidate_of,
    each_of,
    judge_named,
    object_of,
    segment_number,
    values_taken,
    whole,
    word_of,
)
from ranking.reports.analyses.kind import ChosenJudgments


def _acceptance(key: str, value: object, refuse: Refuse) -> Acceptance:
    keys = {"judge": judge_named, "acceptable": boolean_of}
    return Acceptance(
        **values_taken(object_of(key, value, refuse), keys, (), refuse, f"{key}."),
    )


def _edit(values: LineValues, refuse: Refuse) -> Edit:
    edit = Edit(**values)
    if edit.outcome is Outcome.EDITED and edit.text is None:
        refuse("text", "the text is missing", "add the edited text")
    if edit.outcome is not Outcome.EDITED and edit.text is not None:
        refuse(
            "text",
            f"the edit has a text, but its outcome is {edit.outcome}",
            "remove one of them",
        )
    judges = [edit.judge]
    for judge, _acceptable in edit.acceptances:
        if judge in judges:
            if judge == edit.judge:
                again = "their own edit"
            else:
                again = "the edit a second time"
            refuse(
                "acceptances",
                f"{judge} accepts or rejects {again}",
                "remove this acceptance",
            )
        judges.append(judge)
    if edit.is_unable and edit.acceptances:
        refuse(
            "acceptances",
            "an edit that the editor was unable to make cannot be accepted",
            "write an empty list",
        )
    return edit


def _answers(lines: Sequence[tuple[int, Edit]]) -> Iterator[FileAnswer]:
    """Yield each edit, followed by its acceptances."""
    index = 0
    for number, line in lines:
        edit = FileAnswer(
            line=number,
            judge=line.judge,
            segment=str(line.segment),
            candidates=(line.systems,),
            content=line,
            texts=(line.output,),
            active_ms=line.active_ms,
        )
        yield edit
        for judge, acceptable in line.acceptances:
            yield replace(
                edit,
                judge=judge,
                content=acceptable,
                texts=(),
                active_ms=None,
                about=index,
            )
        index += 1 + len(line.acceptances)


def _answer(
    edit_or_acceptance: Edit | bool,
    texts: Sequence[str | None],
    _rules: CompleteRules,
    _lose: Lose,
) -> EditJSON | AcceptanceJSON:
    if isinstance(edit_or_acceptance, bool):
        return {"acceptable": edit_or_acceptance}
    if edit_or_acceptance.outcome is not Outcome.EDITED:
        return {
            "outcome": edit_or_acceptance.outcome.value,
            "keystrokes": edit_or_acceptance.keystrokes,
        }
    text = edit_or_acceptance.text or ""
    if len(text) > MAX_CHARACTERS:
        raise AnswerRefusedError(
            f"the edited text has {len(text):,} characters",
            f"shorten it to {MAX_CHARACTERS:,}",
        )
    if text == texts[0]:
        raise AnswerRefusedError(
            "the edited text equals the output",
            'write "unchanged", without a text',
        )
    return {
        "outcome": edit_or_acceptance.outcome.value,
        "text": text,
        "keystrokes": edit_or_acceptance.keystrokes,
    }


def _edits_of_task(counted: CountedAnswers) -> Iterator[Edit]:
    """Yield the edits with their acceptances."""
    answers = list(
        EditingAnswer.objects.filter(judgment__in=counted.judgments)
        .select_related("judgment__judge", "judgment__block__segment")
        .order_by("judgment__numbered__number"),
    )
    votes: dict[int | None, list[Acceptance]] = defaultdict(list)
    edits = []
    for answer in answers:
        if answer.acceptable is None:
            edits.append(answer)
        else:
            vote = Acceptance(answer.judgment.judge.pseudonym, answer.acceptable)
            votes[answer.edit_id].append(vote)
    wrote = counted.wrote(edit.judgment.block_id for edit in edits)
    outputs = Output.objects.filter(
        pk__in=[edit.judgment.block.outputs[0] for edit in edits],
    )
    texts = dict(outputs.values_list("pk", "text"))
    for edit in edits:
        judgment = edit.judgment
        outcome = Outcome(edit.outcome)
        [systems] = wrote[judgment.block_id]
        if systems:
            yield Edit(
                segment=judgment.block.segment.number,
                systems=systems,
                judge=judgment.judge.pseudonym,
                outcome=outcome,
                output=texts[judgment.block.outputs[0]] or "",
                text=edit.text if outcome is Outcome.EDITED else None,
                keystrokes=edit.keystrokes,
                active_ms=judgment.active_ms,
                acceptances=tuple(votes[edit.pk]),
            )


def _export_losses(_task: Task, edits: Sequence[Edit]) -> list[Loss]:
    acceptances = 0
    for edit in edits:
        if edit.is_unable:
            acceptances += len(edit.acceptances)
    description = "acceptances of outputs that the editor was unable to correct"
    if acceptances:
        return [Loss(description, acceptances, "edits with outcome “unable”")]
    return []


def _outcome(key: str, value: object, refuse: Refuse) -> Outcome:
    return Outcome(word_of(key, value, Outcome, refuse))


def _edit_maker() -> MakeRow[Edit]:
    return _edit


def _statements(edit: Edit) -> Mapping[Hashable, Hashable]:
    content = (edit.systems, edit.outcome, edit.text, edit.acceptances)
    return {(edit.segment, edit.judge): content}


def _written_values(edit: Edit) -> WrittenValues:
    acceptances = []
    if not edit.is_unable:
        acceptances = [acceptance._asdict() for acceptance in edit.acceptances]
    return {"acceptances": acceptances}


LINES: Final = AnswerLines(
    name="edits-jsonl",
    keys={
        "segment": segment_number,
        "systems": candidate_of,
        "judge": judge_named,
        "outcome": _outcome,
        "output": any_text,
        "text": any_text,
        # Informational: not used in computations.
        "keystrokes": whole(0, MAX_KEYSTROKES),
        "active_ms": whole(0),
        "segment_id": None,
        "acceptances": each_of(_acceptance),
    },
    optional=("output", "text", "keystrokes", "active_ms", "segment_id"),
    row_maker=_edit_maker,
    statements=_statements,
    of_task=_edits_of_task,
    answers=_answers,
    written=_written_values,
    lost=_export_losses,
)


def output_scores(
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
) -> OutputScores | None:
    """Return 1 for each acceptance of an edit and 0 for each rejection, among the chosen judgments
    1…`watermark`.

    If the editor was unable to correct an output, that counts as a 0 by the editor. Systems with
    fewer than `FEWEST_EDITS` decided edits have no score: a percentage of few edits is misleading
    (Bojar et al. 2011, §4.1).
    """
    rows: list[tuple[int, str, str, float]] = []
    decided: Counter[str] = Counter()
    for edit in LINES.chosen(task, watermark, chosen).rows:
        acceptances = edit.acceptances
        if edit.is_unable:
            acceptances = (Acceptance(edit.judge, False),)
        if acceptances:
            decided.update(edit.systems)
        for system in edit.systems:
            for judge, accepted in acceptances:
                rows.append((edit.segment, judge, system, float(accepted)))
    return OutputScores.of_rows(row for row in rows if decided[row[2]] >= FEWEST_EDITS)


FILES: Final = LINES.files(answer=_answer)
