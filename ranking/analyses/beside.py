"""Set the orders of a test set by all its tasks beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from ranking.analyses.firmness import COUNTS_METHOD
from ranking.analyses.kind import AnalysisKind, Begin, converging
from ranking.analyses.options import CONFIDENCE, RESAMPLES, SEED
from ranking.analyses.ranking import group_notes, shown_rows, tests_in_words
from ranking.code_version import code_version
from ranking.core.beside import (
    DecidedPairs,
    Estimate,
    NoCorrelation,
    PairOfTasks,
    ScoredTask,
    TaskOrder,
    TasksBeside,
    tasks_beside,
)
from ranking.core.ranges import Correction
from ranking.reports.correlations import interval_ends
from ranking.reports.inputs import Input, TaskRead, excluded_notes, input_data
from ranking.reports.tables import (
    BETWEEN,
    Column,
    Plot,
    Report,
    Table,
    Value,
    end_columns,
    interval_plot,
)
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.numbers import percent
from ranking.wording.ranges import rank_cell

_NO_ESTIMATE = (None, None, None)
MEASURES = ("kendall", "spearman", "pearson")


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> TasksBeside:
    tasks = [each.judged for each in given.beside or () if each.judged is not None]
    with converging(options["method"]):
        return tasks_beside(
            tasks,
            options["method"],
            resamples=options["resamples"],
            confidence=options["confidence"],
            seed=options["seed"],
            progress=begin(_("Ranking")),
        )


def task_in_words(protocol: str) -> str:
    return str(Protocol(protocol).label)


def beside_notes(
    tasks: Mapping[str, TaskRead], found: TasksBeside, options: Mapping[str, Any]
) -> list[str]:
    notes = [
        f"{task_in_words(each.protocol)}: "
        + _("Judgments 1 to %(number)s") % {"number": number_format(each.watermark)}
        for each in tasks.values()
        if each.judged is not None
    ]
    notes += [
        f"{task_in_words(each.protocol)}: {_('No judgments match these options.')}"
        for each in tasks.values()
        if each.judged is None
    ]
    excluded = {name for each in tasks.values() for name in each.excluded_judges}
    notes += excluded_notes(sorted(excluded))
    notes.append(
        _(
            "%(method)s; %(confidence)s rank ranges that account for segments and judges if there are enough of them."
        )
        % {
            "method": METHOD_WORDS[options["method"]],
            "confidence": percent(options["confidence"]),
        }
    )
    if len(found.orders) < 2:
        notes.append(_("No other task of this test set has judgments to compare with."))
    if len({each.decided.systems for each in found.orders if each.order}) > 1:
        notes.append(
            _("The tasks compare different systems, so their scores are not directly comparable.")
        )
    return [*notes, *_missing(tasks, found)]


def _missing(tasks: Mapping[str, TaskRead], found: TasksBeside) -> list[str]:
    """Return the reason for a missing figure."""
    notes = []
    for each in found.orders:
        task = {"task": task_in_words(each.task.name)}
        if not each.order:
            notes.append(_("%(task)s: no comparisons yet.") % task)
        if isinstance(each.task, ScoredTask):
            notes.append(
                _(
                    "%(task)s: outputs were scored one at a time, so systems are ordered by mean score, with confidence sets for ranks."
                )
                % task
            )
        if each.ranking is not None and each.ranking.not_estimable:
            names = ", ".join(row.system for row in each.ranking.not_estimable)
            few = _("Not enough judgments to rank: %(names)s.") % {"names": names}
            notes.append(f"{task['task']}: {few}")
        if tasks[each.task.name].untimed:
            notes.append(
                _("%(task)s: no hours, because some judgments have no active time.") % task
            )
    return notes


def units_of(order: TaskOrder) -> dict[str, int]:
    """Return numbers of judgments, judges, segments, and systems that were compared."""
    blocks = order.task.blocks
    return {
        "judgments": len(blocks),
        "judges": len(np.unique(blocks.judge)),
        "segments": len(np.unique(blocks.segment)),
        "systems": len(order.decided.systems),
    }


def _interval(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return _NO_ESTIMATE if estimate is None else (estimate.value, estimate.low, estimate.high)


def tasks_table(
    tasks: Mapping[str, TaskRead], orders: Sequence[TaskOrder], options: Mapping[str, Any]
) -> Table:
    low, high = interval_ends(options["confidence"])
    rows: list[tuple[Value, ...]] = []
    for each in orders:
        units, decided = units_of(each), each.decided
        rows.append(
            (
                task_in_words(each.task.name),
                *(units[name] for name in ("judgments", "judges", "segments", "systems")),
                each.task.time.hours,
                decided.pairs,
                decided.decided,
                *_interval(decided.per_hour),
            )
        )
    rows += [
        (task_in_words(each.protocol), 0, *([None] * 9))
        for each in tasks.values()
        if each.judged is None
    ]
    level = round(1 - options["confidence"], 12)
    return Table(
        name="tasks",
        title=_("Pairs decided per hour"),
        columns=(
            Column("task", _("Task"), is_text=True),
            Column("judgments", _("Judgments")),
            Column("judges", _("Judges")),
            Column("segments", _("Segments")),
            Column("systems", _("Systems")),
            Column("hours", _("Active hours"), decimals=2),
            Column("pairs", _("Pairs")),
            Column("decided", _("Pairs decided")),
            Column("per_hour", _("Decided per hour"), decimals=2),
            Column("low", low, decimals=2),
            Column("high", high, decimals=2),
        ),
        rows=rows,
        notes=[
            _("A pair is decided if the sign test of its comparisons is significant. %(tests)s")
            % {"tests": tests_in_words(2, Correction.HOLM, level)},
            _(
                "Hours are active time including changed answers, without skips and attention checks."
            ),
            _(
                "Intervals account for segments and judges. Larger campaigns decide fewer new pairs per hour."
            ),
            *_no_interval([each.decided.per_hour for each in orders]),
        ],
        plot=interval_plot("task", "per_hour", start=0),
    )


def rows_of(order: TaskOrder) -> list[dict[str, Any]]:
    """Return the systems in the order of a task, without ranges and clusters that are not estimable yet."""
    if order.ranking is not None:
        return shown_rows(order.ranking)
    return [{"group": 1, **asdict(row), "shortage": None} for row in order.order]


def places_table(orders: Sequence[TaskOrder]) -> Table:
    """Return the ranks by each task; those within groups that nothing compares are in `ranges_table` alone."""
    whole = [{row["system"]: row for row in rows_of(each)} for each in orders]
    places = [
        {name: row["rank"] for name, row in rows.items()}
        if all(row["group"] == 1 for row in rows.values())
        else {}
        for rows in whole
    ]
    first = {name: number for number, name in enumerate(whole[0], 1)}
    names = {name for each in whole for name in each}
    systems = sorted(names, key=lambda name: (first.get(name, len(first) + 1), name))
    return Table(
        name="orders",
        title=_("Ranks"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            *(Column(each.task.name, task_in_words(each.task.name)) for each in orders),
        ),
        rows=[(name, *(each.get(name) for each in places)) for name in systems],
        plot=Plot(kind="bump", label="system", value=orders[0].task.name),
    )


def ranges_table(orders: Sequence[TaskOrder]) -> Table:
    rows: list[tuple[Value, ...]] = []
    rules = []
    several = any(row["group"] > 1 for each in orders for row in rows_of(each))
    for each in orders:
        for group, members in groupby(rows_of(each), key=itemgetter("group")):
            rows += [
                (
                    task_in_words(each.task.name),
                    row["system"],
                    *((group,) if several else ()),
                    row["score"],
                    rank_cell(row),
                    row["rank_low"],
                    row["rank_high"],
                    row["cluster"],
                )
                for row in members
            ]
            rules.append(len(rows) - 1)
    return Table(
        name="ranges",
        title=_("Ranking"),
        columns=(
            Column("task", _("Task"), is_text=True),
            Column("system", _("System"), is_text=True, names="system"),
            *((Column("group", _("Group")),) if several else ()),
            Column("score", _("Score")),
            Column("rank", _("Rank")),
            *end_columns("rank_"),
            Column("cluster", _("Cluster")),
        ),
        rows=rows,
        notes=[
            f"{task_in_words(each.task.name)}: {note}"
            for each in orders
            if each.ranking is not None
            for note in group_notes(each.ranking)
        ],
        rules=frozenset(rules[:-1]),
        keys=2,
    )


def correlations_table(pairs: Sequence[PairOfTasks], options: Mapping[str, Any]) -> Table:
    low, high = interval_ends(options["confidence"])
    measures = (("kendall", "Kendall’s τ-b"), ("spearman", "Spearman"), ("pearson", "Pearson"))
    return Table(
        name="correlations",
        title=_("Correlation of scores"),
        columns=(
            Column("first", _("Task"), is_text=True),
            Column("second", _("Other task"), is_text=True),
            Column("systems", _("Shared systems")),
            *(
                column
                for name, heading in measures
                for column in (
                    Column(name, heading),
                    Column(f"{name}_low", low),
                    Column(f"{name}_high", high),
                )
            ),
            Column("agreeing", _("Pairs decided the same")),
            Column("contradicting", _("Pairs decided differently")),
        ),
        rows=[
            (
                task_in_words(pair.first),
                task_in_words(pair.second),
                len(pair.correlations.systems),
                *(
                    value
                    for name in MEASURES
                    for value in _interval(getattr(pair.correlations, name))
                ),
                len(pair.agreeing),
                len(pair.contradicting),
            )
            for pair in pairs
        ],
        keys=2,
        notes=[
            _(
                "Fewer judgments pull correlations towards 0. Intervals account for segments and judges."
            ),
            *_no_interval(
                [getattr(pair.correlations, name) for pair in pairs for name in MEASURES]
            ),
            *(_no_correlation(pair) for pair in pairs if pair.correlations.reason is not None),
        ],
    )


def _no_interval(estimates: Sequence[Estimate | None]) -> list[str]:
    if all(each is None or each.low is not None for each in estimates):
        return []
    return [
        _(
            "A missing interval means one judge, one segment, or resamples that are too few or all equal."
        )
    ]


def _no_correlation(pair: PairOfTasks) -> str:
    names = {"tasks": BETWEEN.join((task_in_words(pair.first), task_in_words(pair.second)))}
    if pair.correlations.reason is NoCorrelation.FEW_SYSTEMS:
        return _("%(tasks)s: no correlation (needs 4 shared systems with scores).") % names
    return _("%(tasks)s: no correlation, because all scores of one task are equal.") % names


def contradictions_table(pairs: Sequence[PairOfTasks], found: TasksBeside) -> Table:
    decided = {each.task.name: each.decided for each in found.orders}
    return Table(
        name="contradictions",
        title=_("Pairs decided differently"),
        columns=(
            Column("first", _("Task"), is_text=True),
            Column("second", _("Other task"), is_text=True),
            Column("better", _("Better"), is_text=True, names="system"),
            Column("worse", _("Worse"), is_text=True, names="other"),
            Column("wins", _("Wins")),
            Column("losses", _("Losses")),
            Column("other_wins", _("Wins (other task)")),
            Column("other_losses", _("Losses (other task)")),
        ),
        rows=[
            (
                task_in_words(pair.first),
                task_in_words(pair.second),
                better,
                worse,
                *decided[pair.first].won_and_lost(better, worse),
                *decided[pair.second].won_and_lost(better, worse),
            )
            for pair in pairs
            for better, worse in pair.contradicting
        ],
        keys=4,
    )


def _tell(given: Input, options: Mapping[str, Any], found: TasksBeside) -> Report:
    """Report the order of each task, pairs decided per hour, and the similarity of every two orders."""
    tasks = {each.protocol: each for each in given.beside or ()}
    ranked = [each for each in found.orders if each.order]
    contradicting = [pair for pair in found.pairs if pair.contradicting]
    return Report(
        notes=beside_notes(tasks, found, options),
        tables=[
            tasks_table(tasks, found.orders, options),
            *([places_table(ranked)] if ranked else []),
            *([ranges_table(ranked)] if ranked else []),
            *([correlations_table(found.pairs, options)] if found.pairs else []),
            *([contradictions_table(contradicting, found)] if contradicting else []),
        ],
        data={
            "input": input_data(given),
            **{name: options[name] for name in ("method", "confidence", "resamples", "seed")},
            "tasks": [_task_data(each, _order_of(each.protocol, found)) for each in tasks.values()],
            "pairs": [_pair_data(pair) for pair in found.pairs],
            "version": code_version(),
        },
    )


def _order_of(protocol: str, found: TasksBeside) -> TaskOrder | None:
    return next((each for each in found.orders if each.task.name == protocol), None)


def _task_data(read: TaskRead, order: TaskOrder | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "task": read.protocol,
        "watermark": read.watermark,
        "excluded_judges": list(read.excluded_judges),
        "untimed": read.untimed,
    }
    if order is None:
        return {**data, "judgments": 0, "systems": [], "order": []}
    ranking, decided = order.ranking, order.decided
    return {
        **data,
        **units_of(order),
        "systems": list(decided.systems),
        "hours": order.task.time.hours,
        "pairs": decided.pairs,
        "decided": decided.decided,
        "decided_pairs": [
            _decided_pair(decided, decided.systems[better], decided.systems[worse])
            for better, worse in np.argwhere(decided.better).tolist()
        ],
        "per_hour": decided.per_hour,
        "is_scored": isinstance(order.task, ScoredTask),
        "order": rows_of(order),
        "not_estimable": [] if ranking is None else ranking.not_estimable,
        "groups": [] if ranking is None else ranking.groups,
        "limits": [] if ranking is None else ranking.limits,
    }


def _decided_pair(decided: DecidedPairs, better: str, worse: str) -> dict[str, Any]:
    wins, losses = decided.won_and_lost(better, worse)
    return {"better": better, "worse": worse, "wins": wins, "losses": losses}


def _pair_data(pair: PairOfTasks) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "systems": pair.correlations.systems,
        **{name: getattr(pair.correlations, name) for name in MEASURES},
        "reason": pair.correlations.reason,
        "agreeing": [list(each) for each in pair.agreeing],
        "contradicting": [list(each) for each in pair.contradicting],
    }


BESIDE = AnalysisKind(
    name="beside",
    title=gettext_lazy("Compare protocols"),
    question=gettext_lazy(
        "Do the tasks of this test set agree, and how many pairs does each decide per hour?"
    ),
    options=(COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    reads_other_tasks=True,
    find=_find,
    tell=_tell,
)
