"""Report on the progress of a task's sort and the evidence for its order, for page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.frame.scale.report import CORRECTION
from protocols.models import SystemSort
from protocols.sorting.files import ComparisonsRead, read_comparisons
from protocols.sorting.sorts import (
    DEFAULTS,
    MOST,
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
from protocols.sorting.statistics.verdicts import Answer, Decision, VerdictRule
from protocols.sorting.tables import SortFound, SortRead, sort_report
from ranking.analyses.kind import AnalysisKind, Begin, ChosenJudgments
from ranking.analyses.options import RESAMPLES, SEED, Option, OptionError
from ranking.core.ranges import Correction
from ranking.files.sources import ReadingProgress
from ranking.reports import Report
from ranking.reports.inputs import AnswersOfFiles, Input

TEST = Option(
    name="test",
    label=gettext_lazy("Test"),
    default="normal",
    choices={
        "normal": gettext_lazy("|R| > z · se[R] (as in the paper)"),
        "exact": gettext_lazy("exact sign test"),
    },
    help=gettext_lazy("Test that decides significance between neighbours; both are shown."),
)
ERROR = Option(
    name="error",
    label=gettext_lazy("se[R] accounts for"),
    default="auto",
    choices={
        "auto": gettext_lazy("segments and judges if judges share segments"),
        "two_way": gettext_lazy("segments and judges"),
        "judgments": gettext_lazy("judgments"),
    },
)


#: `docs/commands.md` describes them; 0 and "" mean that an option is not given.
_OF_FILES = (
    Option(name="systems", default=""),
    Option(name="quota", default=0, low=0, high=MOST),
    Option(name="extension", default=DEFAULTS["extension"], low=0, high=MOST),
    Option(name="on_undecided", default="sign", choices={"sign": "", "extend": ""}),
    Option(name="cap", default=0, low=0, high=MOST),
    Option(name="level", default=SortSettings().level, low=0, high=1, is_open=True),
    Option(name="verify", default=False),
    Option(name="beside", default=()),
    RESAMPLES,
    SEED,
)


def _read_files(
    names: Sequence[str],
    options: Mapping[str, Any],
    excluded: Sequence[str],
    progress: ReadingProgress,
) -> SortRead:
    read = read_comparisons(names, exclude_judges=excluded, progress=progress)
    decided: dict[str, Any] = {name: options[name] for name in ("test", "level")}
    rule = None
    if options["quota"]:
        rule = VerdictRule(
            quota=options["quota"],
            extension=options["extension"],
            on_undecided=options["on_undecided"],
            cap=options["cap"] or None,
            **decided,
        )
    elif options["on_undecided"] == "extend" or options["cap"]:
        raise OptionError(_("on_undecided and cap need a quota."), field="quota")
    return SortRead(
        systems=_names(options["systems"]) if options["systems"] else read.systems,
        seed=options[SEED.name],
        rule=rule,
        judged=read.judged,
        decisions=None,
        read=read,
        others=dict(map(_named_order, options["beside"])),
    )


def _named_order(text: str) -> tuple[str, tuple[str, ...]]:
    name, equals, systems = text.partition("=")
    if not name or not equals:
        raise OptionError(_("Write NAME=A,B,…"), field="beside")
    return name, _names(systems)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise OptionError(_("Remove the empty name between commas."), field="systems")
    return names


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, _options: Mapping[str, Any]
) -> SortRead:
    sort = (
        SystemSort.objects.filter(task=task, watermark__lte=watermark).order_by("-number").first()
    )
    if sort is None:
        raise ValueError(_("Nothing sorted yet: no comparison has started."))
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
    columns = judged.values()
    return SortRead(
        systems=sort.systems,
        seed=sort.seed,
        rule=verdict_rule(task),
        decisions={frozenset(pair): each for pair, each in decided.items()},
        judged=judged,
        late=late,
        last={
            frozenset(pair): max(numbers, default=0)
            for pair, numbers in used.items()
            if decided[pair].winner is not None
        },
        read=ComparisonsRead(
            files=(),
            systems=tuple(sort.systems),
            judges=tuple(sorted({judge for each in columns for judge in each.judges})),
            judged=judged,
            answers=sum(map(len, columns)),
            identical=0,
        ),
    )


def _verdicts(
    sort: SystemSort, watermark: int, without: Sequence[str]
) -> tuple[dict[PairOf, set[int]], dict[PairOf, Decision]]:
    """Return the judgments by number and the decision of each comparison opened up to the watermark.

    Complete comparisons count as closed, since the same judgments will close them.
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


def _find(given: Input | AnswersOfFiles, options: Mapping[str, Any], begin: Begin) -> SortFound:
    begin(_("Sorting"))
    read: SortRead = given.answers
    settings = SortSettings(
        seed=read.seed,
        rule=read.rule,
        test=options[TEST.name],
        level=options.get("level", SortSettings().level),
        correction=Correction(options[CORRECTION.name]),
        error=options[ERROR.name],
        resamples=options.get("resamples", SortSettings().resamples),
    )
    chain = sort_judged(read.systems, read.judged, settings, decisions=read.decisions)
    beside = None
    if chain.order is not None:
        beside = orders_beside(chain.order, list(read.judged.values()), read.others)
    return SortFound(
        read=read,
        settings=settings,
        chain=chain,
        beside=beside,
        verify=options.get("verify", False),
    )


def _tell(_given: Input | AnswersOfFiles, _options: Mapping[str, Any], found: SortFound) -> Report:
    return sort_report(found)


ANALYSIS = AnalysisKind(
    name="sorting",
    title=gettext_lazy("Sorting"),
    question=gettext_lazy("How far is the sort, and which neighbours differ significantly?"),
    options=(TEST, ERROR, CORRECTION),
    protocols=frozenset({Protocol.SORTING}),
    read=_read,
    find=_find,
    tell=_tell,
    read_files=_read_files,
    file_options=_OF_FILES,
)
