"""How far a task's sort is and what its order rests on: a report, asked for by page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.models import SystemSort
from protocols.sorting.files import ComparisonsRead
from protocols.sorting.sorts import (
    PairOf,
    answers_given,
    decisions,
    pair_of,
    state_of,
    verdict_rule,
)
from protocols.sorting.statistics.chain import SortSettings, orders_beside, sort_judged
from protocols.sorting.statistics.comparison import PairJudgments
from protocols.sorting.statistics.merge_insertion import Verdict
from protocols.sorting.statistics.verdicts import Answer, Decision
from protocols.sorting.tables import SortFound, sort_report
from ranking.analyses.kind import AnalysisKind, Begin, ChosenJudgments
from ranking.analyses.options import Option
from ranking.core.ranges import Correction
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.wording.pair_tests import CORRECTION_WORDS

TEST = Option(
    name="test",
    label=gettext_lazy("Test"),
    default="normal",
    choices={
        "normal": gettext_lazy("|R| > z · se[R], as in the paper"),
        "exact": gettext_lazy("exact sign test"),
    },
    help=gettext_lazy("Decides which neighbours are told apart. Both are shown."),
)
ERROR = Option(
    name="error",
    label=gettext_lazy("se[R] accounts for"),
    default="auto",
    choices={
        "auto": gettext_lazy("segments and judges, where judges share segments"),
        "two_way": gettext_lazy("segments and judges"),
        "judgments": gettext_lazy("judgments"),
    },
)
CORRECTION = Option(
    name="correction",
    label=gettext_lazy("Pairs corrected by"),
    default=Correction.NONE.value,
    choices={each.value: CORRECTION_WORDS[each] for each in (Correction.NONE, Correction.HOLM)},
)


@dataclass(frozen=True)
class SortRead:
    """A task's sort, with the judgments that its figures are of.

    Attributes
    ----------
    sort : SystemSort
    decisions : mapping of pair to Decision
        Of each comparison that was asked for, closed or open.
    judged : mapping of pair to PairJudgments
        Of a closed comparison those of its verdict, of an open one those so far.
    late : mapping of pair to int
        Answers that came after the verdict, or count for none.
    last : mapping of pair to int
        The number of the last judgment of each verdict.
    """

    sort: SystemSort
    decisions: Mapping[frozenset[str], Decision]
    judged: Mapping[frozenset[str], PairJudgments]
    late: Mapping[frozenset[str], int]
    last: Mapping[frozenset[str], int]


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, _options: Mapping[str, Any]
) -> SortRead:
    sort = (
        SystemSort.objects.filter(task=task, watermark__lte=watermark).order_by("-number").first()
    )
    if sort is None:
        raise ValueError(_("Nothing is sorted yet: no comparison has begun."))
    used, decided = _verdicts(sort, watermark, judgments.without)
    given = answers_given(
        task=task,
        watermark=watermark,
        pairs=decided,
        without=judgments.without,
        documents=judgments.documents,
    )
    judged, late = {}, {}
    for pair in decided:
        numbers = used[pair]
        of_pair = given.get(pair, [])
        key, is_closed = frozenset(pair), decided[pair].winner is not None
        others = (each for each in of_pair if each.answer.number not in numbers)
        late[key] = sum(each.is_current for each in others) if is_closed else 0
        counted = [each.answer for each in of_pair if each.answer.number in numbers]
        if counted or is_closed:
            judged[key] = _columns(pair, counted)
    return SortRead(
        sort=sort,
        decisions={frozenset(pair): each for pair, each in decided.items()},
        judged=judged,
        late=late,
        last={
            frozenset(pair): max(numbers, default=0)
            for pair, numbers in used.items()
            if decided[pair].winner is not None
        },
    )


def _verdicts(
    sort: SystemSort, watermark: int, without: Sequence[str]
) -> tuple[dict[PairOf, set[int]], dict[PairOf, Decision]]:
    """Return the judgments by number and the decision of each comparison that was asked for up to the watermark.

    What is complete and not closed yet counts as closed: it will be, by the same judgments.
    """
    used: dict[PairOf, set[int]] = {}
    decided: dict[PairOf, Decision] = {}
    verdicts: list[Verdict] = []
    for row in sort.verdicts.filter(watermark__lte=watermark).order_by("step"):
        pair = pair_of(row.winner, row.loser)
        used[pair] = set(row.judgments)
        asked = len(row.judgments)
        decided[pair] = Decision(row.winner, row.loser, asked, 0, arbitrary=row.is_drawn)
        verdicts.append(Verdict(row.winner, row.loser))
    while (state := state_of(sort, verdicts)) is not None:
        new = []
        pairs = [pair for each in state.open if (pair := pair_of(*each)) not in decided]
        found = decisions(sort, pairs, watermark=watermark, without=without)
        for pair, (decision, answers) in found.items():
            decided[pair] = decision
            used[pair] = {each.number for each in answers[: decision.asked]}
            if decision.winner and decision.loser:
                new.append(Verdict(decision.winner, decision.loser))
        if not new:
            break
        verdicts += new
    return used, decided


def _columns(pair: PairOf, answers: list[Answer]) -> PairJudgments:
    return PairJudgments(
        first=pair[0],
        second=pair[1],
        judges=[each.judge for each in answers],
        segments=np.array([each.segment for each in answers], dtype=np.int64),
        answers=np.array([each.answer for each in answers], dtype=np.int8),
    )


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> SortFound:
    begin(_("Sorting"))
    read: SortRead = given.answers
    settings = SortSettings(
        seed=read.sort.seed,
        rule=verdict_rule(read.sort.task),
        test=options[TEST.name],
        correction=Correction(options[CORRECTION.name]),
        error=options[ERROR.name],
    )
    chain = sort_judged(read.sort.systems, read.judged, settings, decisions=read.decisions)
    judged = list(read.judged.values())
    return SortFound(
        read=ComparisonsRead(
            files=(),
            systems=tuple(read.sort.systems),
            judges=tuple(sorted({judge for each in judged for judge in each.judges})),
            judged=read.judged,
            answers=sum(map(len, judged)),
            identical=0,
        ),
        settings=settings,
        chain=chain,
        beside=orders_beside(chain.order, judged, {}) if chain.order is not None else None,
        late=read.late,
        last=read.last,
    )


def _tell(_given: Input, _options: Mapping[str, Any], found: SortFound) -> Report:
    return sort_report(found)


ANALYSIS = AnalysisKind(
    name="sorting",
    title=gettext_lazy("Sorting"),
    question=gettext_lazy("How far is the sort, and which of its neighbours are told apart?"),
    options=(TEST, ERROR, CORRECTION),
    protocols=frozenset({Protocol.SORTING}),
    read=_read,
    find=_find,
    tell=_tell,
)
