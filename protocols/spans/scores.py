"""What the judges of a task of error spans and scores said, as the records that files of scored judgments hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.export.shown import systems_shown
from annotation.models import Block, Judgment
from annotation.models.block import by_candidate
from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.models import Output, Task
from protocols.spans.answers import answer_json, asked_about, spans_are_asked
from protocols.spans.contradictions import ContradictionRule
from protocols.spans.models import Answer
from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity, Span
from ranking.analyses.judgments import ChosenJudgments


@dataclass(frozen=True)
class ScoresRead:
    """The answers of a task, up to a watermark.

    Attributes
    ----------
    judgments : tuple of ScoredJudgment
        By number. `analyse_spans` takes them.
    watermark : int
    asked_about : ContradictionRule
        When its judges are asked whether a score is meant.
    """

    judgments: tuple[ScoredJudgment, ...]
    watermark: int
    asked_about: ContradictionRule


def scores_read(
    *, task: Task, watermark: int | None = None, judgments: ChosenJudgments | None = None
) -> ScoresRead:
    """Read the current answers of a task of error spans and scores; those that were chosen if `judgments` is given.

    Controls are left out, as of rankings, and so are judges who are excluded now where nothing was chosen. An output is
    of all systems that wrote its text. Judgments without a number get one first, unless a watermark is given. Five
    queries, whatever their number.
    """
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    return ScoresRead(
        judgments=tuple(_judgments(task, until, judgments)),
        watermark=until,
        asked_about=asked_about(task.rules),
    )


def _judgments(task: Task, until: int, chosen: ChosenJudgments | None) -> Iterator[ScoredJudgment]:
    test_set = task.test_set
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=until)
    without: Sequence[str]
    if chosen is None:
        without = excluded_judges(campaign_id=test_set.campaign_id)
    else:
        without = chosen.without
        if chosen.documents is not None:
            judgments = judgments.filter(block__segment__document__name__in=chosen.documents)
    found = list(
        judgments.exclude(judge__pseudonym__in=without)
        .order_by("numbered__number")
        .select_related("judge", "block__segment__document", "spans_answer")
    )
    blocks = [judgment.block for judgment in found]
    names = _counted(dict(test_set.systems.values_list("id", "name")), chosen)
    shown = systems_shown(block.pk for block in blocks)
    texts = _texts(blocks)
    asked = spans_are_asked(task.rules)
    for judgment in found:
        segment = judgment.block.segment
        systems = [
            tuple(names[id_] for id_ in ids if id_ in names) for ids in shown[judgment.block_id]
        ]
        if not any(systems):
            continue
        yield ScoredJudgment(
            source_language=test_set.source_language,
            target_language=test_set.target_language,
            document=segment.document.name,
            segment=str(segment.position),
            judge=judgment.judge.pseudonym,
            outputs=tuple(
                ScoredOutput(
                    systems=wrote,
                    score=said["score"],
                    spans=_spans(said["spans"]) if asked else None,
                    text=texts[first],
                )
                for wrote, first, said in zip(
                    systems,
                    _firsts(judgment.block),
                    _outputs(judgment.spans_answer),
                    strict=True,
                )
                if wrote
            ),
            source=segment.source_text,
            started_at=_started_at(judgment),
            ended_at=judgment.submitted_at.timestamp(),
            duration_ms=judgment.active_ms,
            comment=judgment.comment,
        )


def _started_at(judgment: Judgment) -> float | None:
    """Return when the judge was shown the block, by the time on the clock; None where that is not known."""
    if judgment.duration_ms is None:
        return None
    return round(judgment.submitted_at.timestamp() - judgment.duration_ms / 1000, 6)


def _counted(names: dict[int, str], chosen: ChosenJudgments | None) -> dict[int, str]:
    """Return the systems that take part, by id."""
    if chosen is None:
        return names
    counted = {*chosen.systems, *([chosen.reference] if chosen.with_reference else [])}
    return {id_: name for id_, name in names.items() if name in counted}


def _firsts(block: Block) -> list[int]:
    """Return the output whose text was shown, of each candidate."""
    return [first for first, *_same in by_candidate(block.outputs, block.stands_for)]


def _texts(blocks: list[Block]) -> dict[int, str | None]:
    wanted = {first for block in blocks for first in _firsts(block)}
    return dict(Output.objects.filter(pk__in=wanted).values_list("pk", "text"))


def _outputs(answer: Answer) -> list[dict[str, Any]]:
    outputs: list[dict[str, Any]] = answer_json(answer)["outputs"]
    return outputs


def _spans(spans: list[dict[str, Any]]) -> tuple[Span, ...]:
    return tuple(Span(each["start"], each["end"], Severity(each["severity"])) for each in spans)
