"""The orders of a test set by its tasks beside each other, as a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaign.models import Protocol
from ranking.code_version import code_version
from ranking.core.beside.correlations import NoCorrelation
from ranking.core.beside.decided import DecidedPairs
from ranking.core.beside.scored_task import ScoredTask
from ranking.core.beside.spread import Estimate
from ranking.core.beside.tasks import PairOfTasks, TaskOrder, TasksBeside
from ranking.core.ranges.sign_tests import Correction
from ranking.reports.correlations import interval_ends
from ranking.reports.inputs import Input, excluded_notes, input_data
from ranking.reports.plots import Plot
from ranking.reports.rankings import tests_in_words
from ranking.reports.tables import BETWEEN, Column, Report, Table, Value
from ranking.reports.task_read import TaskRead
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.numbers import percent_in_figures
from ranking.wording.pair_tests import LEVEL_WORDS

_NO_ESTIMATE = (None, None, None)
_MEASURES = ("kendall", "spearman", "pearson")


def beside_report(given: Input, found: TasksBeside, options: Mapping[str, Any]) -> Report:
    """Tell the order of each task, pairs decided per hour, and how alike the orders of every two tasks are."""
    tasks = {each.protocol: each for each in given.beside or ()}
    ranked = [each for each in found.orders if each.order]
    contradicting = [pair for pair in found.pairs if pair.contradicting]
    return Report(
        notes=_notes(tasks, found, options),
        tables=[
            _tasks(tasks, found.orders, options),
            *([_places(ranked)] if ranked else []),
            *([_ranges(ranked)] if ranked else []),
            *([_correlations(found.pairs, options)] if found.pairs else []),
            *([_contradictions(contradicting, found)] if contradicting else []),
        ],
        data={
            "input": input_data(given),
            **{name: options[name] for name in ("method", "confidence", "resamples", "seed")},
            "tasks": [_task_data(each, _order_of(each.protocol, found)) for each in tasks.values()],
            "pairs": [_pair_data(pair) for pair in found.pairs],
            "version": code_version(),
        },
    )


def _words(protocol: str) -> str:
    return str(Protocol(protocol).label)


def _order_of(protocol: str, found: TasksBeside) -> TaskOrder | None:
    return next((each for each in found.orders if each.task.name == protocol), None)


def _units(order: TaskOrder) -> dict[str, int]:
    """Return numbers of judgments, judges, segments, and systems that were compared."""
    blocks = order.task.blocks
    return {
        "judgments": len(blocks),
        "judges": len(np.unique(blocks.judge)),
        "segments": len(np.unique(blocks.segment)),
        "systems": len(order.decided.systems),
    }


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
        **_units(order),
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
        "order": order.order,
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
        **{name: getattr(pair.correlations, name) for name in _MEASURES},
        "reason": pair.correlations.reason,
        "agreeing": [list(each) for each in pair.agreeing],
        "contradicting": [list(each) for each in pair.contradicting],
    }


def _notes(
    tasks: Mapping[str, TaskRead], found: TasksBeside, options: Mapping[str, Any]
) -> list[str]:
    notes = [
        _("%(task)s: judgments 1 to %(number)s.")
        % {"task": _words(each.protocol), "number": number_format(each.watermark)}
        for each in tasks.values()
        if each.judged is not None
    ]
    notes += [
        _("%(task)s: no judgment counts by this choice.") % {"task": _words(each.protocol)}
        for each in tasks.values()
        if each.judged is None
    ]
    excluded = {name for each in tasks.values() for name in each.excluded_judges}
    notes += excluded_notes(sorted(excluded))
    notes.append(
        _("%(method)s; %(confidence)s %% rank ranges that account for %(level)s.")
        % {
            "method": METHOD_WORDS[options["method"]],
            "confidence": percent_in_figures(options["confidence"]),
            "level": LEVEL_WORDS["two_way"],
        }
    )
    if len(found.orders) < 2:
        notes.append(
            _("This test set has no other task with judgments: nothing is beside this one.")
        )
    if len({each.decided.systems for each in found.orders if each.order}) > 1:
        notes.append(
            _("The tasks do not compare the same systems, and scores depend on who takes part.")
        )
    return [*notes, *_missing(tasks, found)]


def _missing(tasks: Mapping[str, TaskRead], found: TasksBeside) -> list[str]:
    """Say why there is no figure where there is none."""
    notes = []
    for each in found.orders:
        task = {"task": _words(each.task.name)}
        if not each.order:
            notes.append(_("%(task)s: no judgment compares two systems.") % task)
        if isinstance(each.task, ScoredTask):
            notes.append(
                _(
                    "%(task)s: judges scored outputs one at a time. Systems are ordered by mean scores, with confidence sets of ranks, and compared segment by segment."
                )
                % task
            )
        if each.ranking is not None and each.ranking.not_estimable:
            names = ", ".join(row.system for row in each.ranking.not_estimable)
            notes.append(
                _("%(task)s: cannot be ranked by these judgments: %(names)s.")
                % {**task, "names": names}
            )
        if each.ranking is not None and len(each.ranking.groups) > 1:
            notes.append(
                _(
                    "%(task)s: nothing compares some of these systems with the others, so their common order is arbitrary."
                )
                % task
            )
        if tasks[each.task.name].untimed:
            notes.append(
                _("%(task)s: no hours, because the active time of some judgments is not known.")
                % task
            )
    return notes


def _interval(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return _NO_ESTIMATE if estimate is None else (estimate.value, estimate.low, estimate.high)


def _ends(options: Mapping[str, Any]) -> tuple[str, str]:
    return interval_ends(options["confidence"])


def _tasks(
    tasks: Mapping[str, TaskRead], orders: Sequence[TaskOrder], options: Mapping[str, Any]
) -> Table:
    low, high = _ends(options)
    rows: list[tuple[Value, ...]] = []
    for each in orders:
        units, decided = _units(each), each.decided
        rows.append(
            (
                _words(each.task.name),
                *(units[name] for name in ("judgments", "judges", "segments", "systems")),
                each.task.time.hours,
                decided.pairs,
                decided.decided,
                *_interval(decided.per_hour),
            )
        )
    rows += [
        (_words(each.protocol), 0, *([None] * 9)) for each in tasks.values() if each.judged is None
    ]
    level = round(1 - options["confidence"], 12)
    return Table(
        name="tasks",
        title=_("Pairs of systems decided per hour"),
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
            _("A pair is decided if the sign test of its own comparisons is significant. %(tests)s")
            % {"tests": tests_in_words(2, Correction.HOLM, level)},
            _(
                "Hours are the active time of the judgments that count, changes included, without skips and attention checks."
            ),
            _(
                "Intervals account for segments and judges, and are for campaigns of this size: more judgments decide fewer new pairs per hour."
            ),
            *_no_interval([each.decided.per_hour for each in orders]),
        ],
        plot=Plot(
            kind="intervals", label="task", value="per_hour", low="low", high="high", start=0
        ),
    )


def _places(orders: Sequence[TaskOrder]) -> Table:
    ranks = [{row.system: row.rank for row in each.order} for each in orders]
    first = ranks[0]
    names = {name for each in ranks for name in each}
    systems = sorted(names, key=lambda name: (first.get(name, len(first) + 1), name))
    return Table(
        name="orders",
        title=_("Place in each task"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            *(Column(each.task.name, _words(each.task.name)) for each in orders),
        ),
        rows=[(name, *(each.get(name) for each in ranks)) for name in systems],
        plot=Plot(kind="bump", label="system", value=orders[0].task.name),
    )


def _ranges(orders: Sequence[TaskOrder]) -> Table:
    rows: list[tuple[Value, ...]] = []
    rules = []
    for each in orders:
        rows += [
            (
                _words(each.task.name),
                row.system,
                row.score,
                row.rank,
                row.rank_low,
                row.rank_high,
                row.cluster,
            )
            for row in each.order
        ]
        rules.append(len(rows) - 1)
    return Table(
        name="ranges",
        title=_("Order of each task"),
        columns=(
            Column("task", _("Task"), is_text=True),
            Column("system", _("System"), is_text=True, names="system"),
            Column("score", _("Score")),
            Column("rank", _("Rank")),
            Column("rank_low", _("From")),
            Column("rank_high", _("To")),
            Column("cluster", _("Cluster")),
        ),
        rows=rows,
        rules=frozenset(rules[:-1]),
        keys=2,
    )


def _correlations(pairs: Sequence[PairOfTasks], options: Mapping[str, Any]) -> Table:
    low, high = _ends(options)
    measures = (("kendall", _("Kendall’s τ-b")), ("spearman", "Spearman"), ("pearson", "Pearson"))
    return Table(
        name="correlations",
        title=_("How alike two tasks score the systems"),
        columns=(
            Column("first", _("Task"), is_text=True),
            Column("second", _("Other task"), is_text=True),
            Column("systems", _("Systems in both")),
            *(
                column
                for name, heading in measures
                for column in (
                    Column(name, heading),
                    Column(f"{name}_low", low),
                    Column(f"{name}_high", high),
                )
            ),
            Column("agreeing", _("Decided alike")),
            Column("contradicting", _("Decided the other way round")),
        ),
        rows=[
            (
                _words(pair.first),
                _words(pair.second),
                len(pair.correlations.systems),
                *(
                    value
                    for name in _MEASURES
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
                "Noise pulls correlations towards 0: two tasks of one true order correlate less the fewer judgments they have. Intervals account for segments, which the tasks share, and for judges, and are for campaigns of this size."
            ),
            *_no_interval(
                [getattr(pair.correlations, name) for pair in pairs for name in _MEASURES]
            ),
            *(_no_correlation(pair) for pair in pairs if pair.correlations.reason is not None),
        ],
    )


def _no_interval(estimates: Sequence[Estimate | None]) -> list[str]:
    if all(each is None or each.low is not None for each in estimates):
        return []
    return [
        _(
            "Where there is no interval, nothing tells how far the figure may be off: there is one judge or one segment, or too few resamples have such a figure, or all have the same."
        )
    ]


def _no_correlation(pair: PairOfTasks) -> str:
    names = {"tasks": BETWEEN.join((_words(pair.first), _words(pair.second)))}
    if pair.correlations.reason is NoCorrelation.FEW_SYSTEMS:
        return (
            _("%(tasks)s: no correlation, because fewer than three systems have a score in both.")
            % names
        )
    return _("%(tasks)s: no correlation, because all scores of one of them are equal.") % names


def _contradictions(pairs: Sequence[PairOfTasks], found: TasksBeside) -> Table:
    decided = {each.task.name: each.decided for each in found.orders}
    return Table(
        name="contradictions",
        title=_("Pairs that both tasks decide, but the other way round"),
        columns=(
            Column("first", _("Task"), is_text=True),
            Column("second", _("Other task"), is_text=True),
            Column("better", _("Better by this task"), is_text=True, names="system"),
            Column("worse", _("Worse by this task"), is_text=True, names="other"),
            Column("wins", _("Wins")),
            Column("losses", _("Losses")),
            Column("other_wins", _("Wins in the other task")),
            Column("other_losses", _("Losses in it")),
        ),
        rows=[
            (
                _words(pair.first),
                _words(pair.second),
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
