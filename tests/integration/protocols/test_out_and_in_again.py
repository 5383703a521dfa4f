"""Answers of every protocol, written in every format that is read, and read again: the same answers and the same bytes."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from typing import Any, Final

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotation.importing.answers import (
    UNASKED,
    AnswersImported,
    ImportOptions,
    answers_import,
)
from annotation.importing.stored_answers import NoLongerInFile
from annotation.models import Judgment
from annotation.protocols.answer_files import formats_read
from annotation.protocols.answer_kinds import answer_kinds, answers_read
from annotation.services.planning.designs import design_ensure
from annotation.services.tasks import task_rules_change
from campaign.formats import FormatError
from campaign.formats.streams import StoredFile
from campaign.importing.errors import ImportRefusedError
from campaign.models import Output, Protocol, Segment, Task
from campaign.services.campaigns import task_create
from protocols.quiz.snippets import snippets_replace
from protocols.spans.files.appraise import SCORES_OF_MQM
from ranking.export.asked import requested_export
from ranking.export.kinds import KINDS
from ranking.export.writing import export_bytes
from ranking.files.records import InputFormat
from tests.criteria import criterion
from tests.factories import make_campaign, make_task
from tests.outputs_shown import names_shown
from tests.properties import examples
from tests.protocol_tasks import given_snippet

pytestmark = pytest.mark.django_db

Line = dict[str, Any]
Draw = Callable[[st.DrawFn], list[Line]]

SEGMENTS: Final = range(1, 5)
SYSTEMS: Final = ("amber", "birch", "cobalt", "dune", "ember")
#: Systems with the same text in odd segments, which some formats name as one candidate.
SAME: Final = ("amber", "birch")
JUDGES: Final = st.sampled_from(["ada", "ben", "=cleo", "0"])
ODD_TEXT: Final = 'Er sagte: "Ja,\tso\n🦊 ist <b>es</b>."'
DURATIONS: Final = st.sampled_from([None, 0, 900, 900, 1000])
COMMENTS: Final = st.sampled_from(["", "", 'a "b"\n\tc'])
#: A whole number of seconds, so that some answers come at the same time.
TIMES: Final = st.integers(1_770_000_000, 1_770_000_005)
EXPECTED: Final = (True, False, True)
CRITERIA: Final = [
    criterion("coherence", lowest=1, highest=7, weight=2),
    criterion("effort", lowest=0, highest=100, lower_is_better=True),
]


def without_none(line: Line) -> Line:
    return {key: value for key, value in line.items() if value is not None}


def candidates(
    draw: st.DrawFn,
    segment: int,
    fewest: int,
    most: int,
) -> list[list[str]]:
    """Draw different outputs of a segment in any order; systems of one text may be one candidate."""
    names = draw(st.permutations(SYSTEMS))[: draw(st.integers(fewest, most))]
    groups = [[name] for name in names]
    if segment % 2 and set(SAME) <= set(names):
        groups = [[name] for name in names if name != SAME[1]]
        groups[groups.index([SAME[0]])] = list(SAME)
        if len(groups) < fewest:
            groups = [[name] for name in names]
    return groups


def drawn_lines(
    draw: st.DrawFn,
    line: Callable[[st.DrawFn, int], Line],
) -> list[Line]:
    """Draw lines about any segments, of which some are equal."""
    lines = []
    for segment in draw(st.lists(st.sampled_from(SEGMENTS), min_size=2, max_size=6)):
        lines += [line(draw, segment)] * draw(st.sampled_from([1, 1, 1, 2]))
    return lines


def ranked_lines(draw: st.DrawFn) -> list[Line]:
    def line(draw: st.DrawFn, segment: int) -> Line:
        shown = candidates(draw, segment, 2, 5)
        label = st.sampled_from([None, 1, 1, 2, 3, 4, 5])
        return without_none(
            {
                "source_language": "en",
                "target_language": "de",
                "segment": segment,
                "judge": draw(JUDGES),
                "candidates": shown,
                "labels": [draw(label) for _candidate in shown],
                "duration_ms": draw(DURATIONS),
            },
        )

    return drawn_lines(draw, line)


def top_lines(draw: st.DrawFn, *, is_best_worst: bool) -> list[Line]:
    def line(draw: st.DrawFn, segment: int) -> Line:
        shown = candidates(draw, segment, 3, 5)
        if is_best_worst:
            labels = draw(st.permutations([1, 3, *[2] * (len(shown) - 2)]))
        else:
            label = st.sampled_from([1, 2])
            labels = [1, *(draw(label) for _other in shown[1:])]
        return without_none(
            {
                "source_language": "en",
                "target_language": "de",
                "segment": segment,
                "judge": draw(JUDGES),
                "candidates": shown,
                "labels": labels,
                "duration_ms": draw(DURATIONS),
            },
        )

    return drawn_lines(draw, line)


def choice_lines(draw: st.DrawFn, *, verdicts: Sequence[str]) -> list[Line]:
    def line(draw: st.DrawFn, segment: int) -> Line:
        first, second = draw(st.permutations(SYSTEMS[1:]))[:2]
        return without_none(
            {
                "segment": segment,
                "first": [first],
                "second": [second],
                "judge": draw(JUDGES),
                "answer": draw(st.sampled_from(verdicts)),
                "duration_ms": draw(DURATIONS),
            },
        )

    return drawn_lines(draw, line)


def spans_lines(
    draw: st.DrawFn,
    *,
    is_scored: bool = True,
    has_spans: bool = True,
    categories: Sequence[str] = (),
    severities: Sequence[str] = ("minor", "major"),
) -> list[Line]:
    def span(draw: st.DrawFn) -> Line:
        start = draw(st.none() | st.integers(0, 6))
        end = None if start is None else start + draw(st.integers(1, 6))
        return without_none(
            {
                "start": start,
                "end": end,
                "severity": draw(st.sampled_from(severities)),
                "category": draw(st.sampled_from(categories)) if categories else None,
            },
        )

    def output(draw: st.DrawFn, systems: list[str]) -> Line:
        spans: list[Line] | None = None
        if has_spans:
            spans = []
            for _error in range(draw(st.sampled_from([0, 1, 2]))):
                spans += [span(draw)] * draw(st.sampled_from([1, 1, 2, 50]))
        score = draw(st.sampled_from([0, 0, 50, 100])) if is_scored else None
        return without_none({"systems": systems, "score": score, "spans": spans})

    def line(draw: st.DrawFn, segment: int) -> Line:
        shown = candidates(draw, segment, 1, 5)
        ended = draw(st.none() | TIMES)
        started = None
        if ended is not None and draw(st.booleans()):
            started = ended - 20
        return without_none(
            {
                "segment": str(segment),
                "judge": draw(JUDGES),
                "outputs": [output(draw, systems) for systems in shown],
                "started_at": started,
                "ended_at": ended,
                "duration_ms": draw(st.sampled_from([None, 0, 900])),
                "comment": draw(COMMENTS) or None,
            },
        )

    lines = drawn_lines(draw, line)
    # Answers without times cannot replace each other.
    judged: set[tuple[str, str, str]] = set()
    kept = []
    for each in lines:
        names = {
            (each["segment"], each["judge"], name)
            for out in each["outputs"]
            for name in out["systems"]
        }
        if not names & judged:
            kept.append(each)
        elif each not in kept:
            kept.append({**each, "repeat": 2 + len(kept)})
        judged |= names
    return kept


def rating_lines(draw: st.DrawFn, *, is_at_once: bool) -> list[Line]:
    """Draw ratings of one output alone and others together, some of them on two screens of one segment."""
    scales: dict[str, str | None] = {"fluency": None, "adequacy": None}
    if is_at_once:
        scales = {"coherence": "1-7", "effort": "0-100"}
    lines: list[Line] = []
    rated: set[tuple[int, str, str]] = set()
    for segment in draw(st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=6)):
        judge = draw(JUDGES)
        most = 4 if is_at_once else 1
        shown = [
            group
            for group in candidates(draw, segment, 1, most)
            if not any((segment, judge, name) in rated for name in group)
        ]
        rated |= {(segment, judge, name) for group in shown for name in group}
        # Other numbers than the screens will have.
        screen = 100 - len(lines) if len(shown) > 1 else None
        duration = draw(DURATIONS)
        for systems in shown:
            for key, scale in scales.items():
                lines.append(
                    without_none(
                        {
                            "segment": segment,
                            "systems": systems,
                            "judge": judge,
                            "criterion": key,
                            "value": draw(st.sampled_from([1, 3, 5])),
                            "scale": scale,
                            "lower_is_better": True if key == "effort" else None,
                            "duration_ms": duration,
                            "screen": screen,
                        },
                    ),
                )
    return lines


def edit_lines(draw: st.DrawFn) -> list[Line]:
    lines: dict[tuple[int, str], Line] = {}
    for segment in draw(st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=5)):
        judge = draw(JUDGES)
        [systems] = candidates(draw, segment, 1, 1)
        outcome = draw(st.sampled_from(["edited", "edited", "unchanged", "unable"]))
        others = draw(st.lists(st.sampled_from(["dora", "eve", "1"]), unique=True))
        lines[segment, judge] = without_none(
            {
                "segment": segment,
                "systems": systems,
                "judge": judge,
                "outcome": outcome,
                "text": draw(st.sampled_from(["Er geht.", 'Er "geht"\theim.']))
                if outcome == "edited"
                else None,
                "keystrokes": draw(st.sampled_from([None, 0, 12])),
                "active_ms": draw(DURATIONS),
                "acceptances": [
                    {"judge": other, "acceptable": draw(st.booleans())}
                    for other in others
                    if outcome != "unable"
                ],
            },
        )
    return list(lines.values())


def quiz_lines(draw: st.DrawFn) -> list[Line]:
    lines: dict[tuple[str, str], Line] = {}
    for system in draw(st.lists(st.sampled_from(SYSTEMS[2:]), min_size=1, max_size=5)):
        judge = draw(JUDGES)
        answer = st.sampled_from([True, False, None])
        # Texts are read once by a judge.
        lines[judge, ""] = without_none(
            {
                "snippet": "document 1, 1",
                "systems": [system],
                "judge": judge,
                "answers": [draw(answer) for _question in EXPECTED],
                "expected": list(EXPECTED),
                "duration_ms": draw(DURATIONS),
            },
        )
    return list(lines.values())


def comparison_lines(draw: st.DrawFn) -> list[Line]:
    lines: dict[tuple[Any, ...], Line] = {}
    for segment in draw(st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=6)):
        first, second = draw(st.permutations(SYSTEMS[1:]))[:2]
        judge = draw(JUDGES)
        lines[segment, judge, frozenset((first, second))] = without_none(
            {
                "segment": segment,
                "judge": judge,
                "first": first,
                "second": second,
                "answer": draw(st.sampled_from(["first", "second", "same"])),
                "duration_ms": draw(DURATIONS),
            },
        )
    return list(lines.values())


#: Rules of tasks by protocol, each with what draws the lines of a file.
DRAWN: Final[dict[str, list[tuple[dict[str, Any], Draw]]]] = {
    "ranking": [({}, ranked_lines)],
    "top": [
        ({}, partial(top_lines, is_best_worst=False)),
        ({"best_worst": True}, partial(top_lines, is_best_worst=True)),
    ],
    "two_outputs": [
        (
            {"four_answers": False},
            partial(choice_lines, verdicts=("first", "second", "same")),
        ),
        (
            {"four_answers": True},
            partial(
                choice_lines,
                verdicts=("first", "second", "both_fine", "both_wrong"),
            ),
        ),
    ],
    "spans": [
        ({}, spans_lines),
        ({"spans_asked": False}, partial(spans_lines, has_spans=False)),
        (
            {
                "scored": False,
                "severities": ["neutral", "minor", "major", "critical"],
                "categories": ["Accuracy/Omission", "Other"],
            },
            partial(
                spans_lines,
                is_scored=False,
                categories=("Accuracy/Omission", "Other"),
                severities=("neutral", "minor", "major", "critical"),
            ),
        ),
    ],
    "rating": [
        ({}, partial(rating_lines, is_at_once=False)),
        (
            {"all_at_once": True, "criteria": CRITERIA},
            partial(rating_lines, is_at_once=True),
        ),
    ],
    "editing": [({}, edit_lines)],
    "quiz": [({}, quiz_lines)],
    "sorting": [({}, comparison_lines)],
}


def formats_out_and_in(task: Task) -> list[tuple[str, str]]:
    """Return the kinds and formats of exports of a task that its protocol reads."""
    readable = formats_read(task)
    exchanges = []
    for kind in ("answers", "with-skips", "counted", "comparisons"):
        for name in KINDS[kind].formats_of(task):
            if name in readable:
                exchanges.append((kind, str(name)))
    return exchanges


WORLDS: Final = [
    pytest.param(kind.protocol, number, id=f"{kind.protocol}-{number}")
    for kind in answer_kinds()
    for number in range(len(DRAWN[kind.protocol]))
]
#: Losses of formats that say less than an answer, but all that its figures need.
_HARMLESS: Final = frozenset(
    {
        "comments",
        "times",
        "languages",
        "active times",
        "source texts",
        "texts of outputs",
        "which outputs were shown side by side",
        "identical outputs of several systems",
        "which output was shown first",
        "the seed of the sort (with another seed, a task asks for other comparisons)",
        "whether a time is the start or the end",
        "elapsed time",
        "time of judging, active time and comments",
        "documents, which rank ranges account for if there are several",
        # None of these is drawn.
        "blocks with a single output",
    },
)


def world(protocol: str, rules: dict[str, Any], name: str) -> Task:
    """Return a task on texts with line breaks, tabs and quotes, without answers."""
    texts = make_task(
        make_campaign(name),
        documents=(2, 2),
        systems=SYSTEMS,
        planned=0,
    ).test_set
    outputs = Output.objects.filter(segment__test_set=texts)
    outputs.filter(segment__number=2, system__name="dune").update(text=ODD_TEXT)
    Segment.objects.filter(test_set=texts, number=3).update(source_text=ODD_TEXT)
    if protocol == Protocol.RANKING:
        return texts.tasks.get()
    task = task_create(test_set=texts, protocol=Protocol(protocol), by=None)
    if rules:
        task_rules_change(task=task, rules=rules)
    design_ensure(task=task, seed=7)
    if protocol == Protocol.QUIZ:
        snippets_replace(
            task=task,
            snippets=[
                given_snippet(
                    name="document 1, 1",
                    document="document 1",
                    first=1,
                    last=2,
                    statements=("It is open.", "It is closed.", "It is old."),
                    expected=EXPECTED,
                ),
            ],
        )
    return task


def imported(task: Task, content: bytes, **options: Any) -> AnswersImported:
    file = StoredFile("answers", partial(BytesIO, content))
    return answers_import(task=task, files=[file], options=ImportOptions(**options))


def exported(task: Task, kind: str, file_format: str) -> tuple[bytes, set[str]]:
    """Return an exported file, and what its format cannot hold."""
    export = requested_export(task=task, kind=kind, file_format=file_format)
    if export.answers is not None:
        lost = {loss.what for loss in export.answers.losses}
    else:
        lost = set(map(str, export.kind.formats_of(task)[file_format] or ()))
    return b"".join(export_bytes(export)), lost


def said(task: Task) -> Counter[tuple[Any, ...]]:
    """Count what judges say of outputs, each by itself if judges score them."""
    judgments = list(
        Judgment.objects.of(task.pk)
        .counted()
        .current()
        .select_related("judge", "block__segment"),
    )
    answers = answers_read(task.protocol, [judgment.pk for judgment in judgments])
    counted: Counter[tuple[Any, ...]] = Counter()
    for judgment in judgments:
        about = (judgment.block.segment.number, judgment.judge.pseudonym)
        shown = [tuple(sorted(names)) for names in names_shown(judgment.block)]
        answer = dict(answers.get(judgment.pk) or {})
        if task.protocol == Protocol.SPANS:
            for systems, output in zip(shown, answer["outputs"], strict=True):
                for system in systems:
                    counted[*about, system, json.dumps(output, sort_keys=True)] += 1
        elif task.protocol == Protocol.SORTING:
            counted[*about, *sorted(zip(shown, judgment.labels, strict=True))] += 1
        else:
            text = json.dumps(answer, sort_keys=True)
            counted[*about, *shown, tuple(judgment.labels), text] += 1
    return counted


@pytest.mark.parametrize(("protocol", "number"), WORLDS)
def test_drawn_answers_are_the_same_out_and_in_again(
    protocol: str,
    number: int,
) -> None:
    rules, draw_lines = DRAWN[protocol][number]
    task = world(protocol, rules, "first")
    others = {
        exchange: world(protocol, rules, f"second-{place}")
        for place, exchange in enumerate(formats_out_and_in(task))
    }

    @st.composite
    def files(draw: st.DrawFn) -> tuple[list[Line], list[Line] | None]:
        lines = draw_lines(draw)
        # What a later file no longer has is taken back.
        first = [lines[0].get(key) for key in ("segment", "judge")]
        later = [
            line
            for line in lines
            if [line.get(key) for key in ("segment", "judge")] != first
        ]
        return lines, draw(st.none() | st.just(later))

    @given(files())
    @settings(
        examples(10),
        suppress_health_check=list(HealthCheck),
        # Each step of shrinking imports and exports every format.
        phases=(Phase.explicit, Phase.generate),
    )
    def check(drawn: tuple[list[Line], list[Line] | None]) -> None:
        with transaction.atomic():
            _check_formats(task, others, *drawn)
            transaction.set_rollback(True)

    check()


def _check_formats(
    task: Task,
    others: dict[tuple[str, str], Task],
    lines: list[Line],
    later: list[Line] | None,
) -> None:
    imported(task, _file(lines))
    if later:
        imported(task, _file(later), no_longer_in_file=NoLongerInFile.WITHDRAW)
    if not Judgment.objects.of(task.pk).counted().exists():
        return
    for (kind, file_format), other in others.items():
        content, lost = exported(task, kind, file_format)
        loses = lost - _HARMLESS
        try:
            read = imported(other, content)
        except (FormatError, ImportRefusedError):
            assert loses, file_format
            continue
        unnamed = {loss.what for loss in read.losses} - {SCORES_OF_MQM, UNASKED}
        assert loses or not unnamed, (file_format, read.losses)
        again, _lost = exported(other, kind, file_format)
        assert _without_numbers(again, file_format) == _without_numbers(
            content,
            file_format,
        )
        if not loses:
            assert said(other) == said(task), file_format
        repeated = imported(other, content)
        assert (repeated.judgments, repeated.skips) == (0, 0), file_format


def _without_numbers(content: bytes, file_format: str) -> bytes:
    """Return a file without the numbers of judgments, between which answers that were taken back leave gaps."""
    if file_format == InputFormat.PAIRWISE_CSV:
        return re.sub(rb",[0-9]+\n", b"\n", content)
    return content


def _file(lines: Sequence[Line]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()
