"""Compare the orders of systems by all tasks of a test set."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from campaign.texts.joining import comma_list, labelled
from ranking.core.beside import (
    DecidedPairs,
    ScoredTask,
    TaskOrder,
    TasksBeside,
    tasks_beside,
)
from ranking.core.estimates import MEASURES, NoCorrelation
from ranking.core.ranges import Correction
from ranking.reports.analyses.firmness import COUNTS_METHOD
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need, converging
from ranking.reports.analyses.options import CONFIDENCE, RESAMPLES, SEED
from ranking.reports.analyses.ranking import group_notes, shown_rows
from ranking.reports.correlations import interval_columns
from ranking.reports.inputs import Input, TaskRead, excluded_notes, input_data
from ranking.reports.plots import interval_plot
from ranking.reports.tables import (
    BETWEEN,
    Column,
    Report,
    Table,
    end_columns,
    ranks_in_orders,
    system_column,
)
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import percent
from ranking.reports.wording.pair_tests import sign_tests_in_words
from ranking.reports.wording.ranges import rank_cell
from version import code_version

#: Values of one or two tasks, as plain data and as table rows.
Told = dict[str, Any]


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
    """Return the name of a protocol, which identifies a task within its test set."""
    return str(Protocol(protocol).label)


def _notes(
    tasks: Sequence[TaskRead], found: TasksBeside, options: Mapping[str, Any]
) -> list[str]:
    notes = [
        labelled(
            task_in_words(each.protocol),
            _("Judgments 1 to %(number)s") % {"number": number_format(each.watermark)},
        )
        for each in tasks
        if each.judged is not None
    ]
    notes += [
        labelled(task_in_words(each.protocol), _("No judgments match these options."))
        for each in tasks
        if each.judged is None
    ]
    notes += excluded_notes(
        sorted({name for each in tasks for name in each.excluded_judges})
    )
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
    if len({each.decided.systems for each in found.orders if _rows(each)}) > 1:
        notes.append(
            _(
                "The tasks compare different systems, so their scores are not directly comparable."
            )
        )
    untimed = {each.protocol for each in tasks if each.untimed}
    for order in found.orders:
        task = {"task": task_in_words(order.task.name)}
        if not _rows(order):
            notes.append(_("%(task)s: no comparisons yet.") % task)
        if isinstance(order.task, ScoredTask):
            notes.append(
                _(
                    "%(task)s: outputs were scored one at a time, so systems are ordered by mean score, with confidence sets for ranks."
                )
                % task
            )
        if order.ranking is not None and order.ranking.not_estimable:
            names = comma_list(row.system for row in order.ranking.not_estimable)
            few = _("Not enough judgments to rank: %(names)s.") % {"names": names}
            notes.append(labelled(task["task"], few))
        if order.task.name in untimed:
            notes.append(
                _("%(task)s: no hours, because some judgments have no active time.")
                % task
            )
    return notes


def _rows(order: TaskOrder) -> list[Told]:
    """Return the systems in the order of a task, without ranges and clusters not yet estimable."""
    if order.ranking is not None:
        return [dict(row) for row in shown_rows(order.ranking)]
    return [{"group": 1, **row, "shortage": None} for row in order.means]


def _tasks_table(told: Sequence[Told], confidence: float) -> Table:
    return Table.of(
        # Tasks without judgments are last.
        sorted(told, key=lambda each: not each["judgments"]),
        name="tasks",
        title=_("Pairs decided per hour"),
        columns=(
            _task_column("task", _("Task")),
            Column("judgments", _("Judgments")),
            Column("judges", _("Judges")),
            Column("segments", _("Segments")),
            Column(
                "systems",
                _("Systems"),
                of=lambda row: len(row["systems"]) if row["judgments"] else None,
            ),
            Column("hours", _("Active hours"), decimals=2),
            Column("pairs", _("Pairs")),
            Column("decided", _("Pairs decided")),
            *interval_columns(
                "per_hour", _("Decided per hour"), confidence, ends="", decimals=2
            ),
        ),
        notes=[
            _("A pair is decided if its test is significant."),
            *sign_tests_in_words(2, Correction.HOLM, round(1 - confidence, 12)),
            _(
                "Hours are active time, including changed answers but not skips or attention checks."
            ),
            _(
                "Intervals account for segments and judges. Larger campaigns decide fewer new pairs per hour."
            ),
            *_no_interval([each.get("per_hour") for each in told]),
        ],
        plot=interval_plot("task", "per_hour", start=0),
    )


def _places_table(orders: Sequence[TaskOrder]) -> Table:
    """Return the ranks by each task; if a task has unconnected groups, only `_ranges_table` has its ranks."""
    whole = []
    for order in orders:
        whole.append({row["system"]: row for row in _rows(order)})
    places = [
        {name: row["rank"] for name, row in rows.items()}
        if all(row["group"] == 1 for row in rows.values())
        else {}
        for rows in whole
    ]
    first = list(whole[0])
    names = {name for each in whole for name in each}
    headings = {each.task.name: task_in_words(each.task.name) for each in orders}
    return ranks_in_orders(
        headings, places, systems=[*first, *sorted(names.difference(first))]
    )


def _ranges_table(orders: Sequence[TaskOrder]) -> Table:
    rows: list[Told] = []
    rules = []
    for order in orders:
        for _group, members in groupby(_rows(order), key=itemgetter("group")):
            rows += [row | {"task": order.task.name} for row in members]
            rules.append(len(rows) - 1)
    several = any(row["group"] > 1 for row in rows)
    return Table.of(
        rows,
        name="ranges",
        title=_("Ranking"),
        columns=(
            _task_column("task", _("Task")),
            system_column(),
            *((Column("group", _("Group")),) if several else ()),
            Column("score", _("Score")),
            Column("rank", _("Rank"), of=rank_cell),
            *end_columns("rank_"),
            Column("cluster", _("Cluster")),
        ),
        notes=[
            labelled(task_in_words(each.task.name), note)
            for each in orders
            if each.ranking is not None
            for note in group_notes(each.ranking)
        ],
        rules=frozenset(rules[:-1]),
        keys=2,
    )


def _task_column(key: str, heading: str) -> Column:
    return Column(key, heading, is_text=True, of=lambda row: task_in_words(row[key]))


def _two_tasks() -> tuple[Column, Column]:
    return _task_column("first", _("Task")), _task_column("second", _("Other task"))


def _correlations_table(pairs: Sequence[Told], confidence: float) -> Table:
    measures = {
        "kendall": "Kendall’s τ-b",
        "spearman": "Spearman",
        "pearson": "Pearson",
    }
    reasons = {
        NoCorrelation.FEW_SYSTEMS: _(
            "%(tasks)s: no correlation (needs 4 shared systems with scores)."
        ),
        NoCorrelation.EQUAL_SCORES: _(
            "%(tasks)s: no correlation, because all scores of one task are equal."
        ),
    }
    return Table.of(
        pairs,
        name="correlations",
        title=_("Correlation of scores"),
        columns=(
            *_two_tasks(),
            Column("systems", _("Shared systems"), of=lambda row: len(row["systems"])),
            *(
                column
                for name, heading in measures.items()
                for column in interval_columns(name, heading, confidence)
            ),
            Column(
                "agreeing",
                _("Pairs decided the same way"),
                of=lambda row: len(row["agreeing"]),
            ),
            Column(
                "contradicting",
                _("Pairs decided differently"),
                of=lambda row: len(row["contradicting"]),
            ),
        ),
        keys=2,
        notes=[
            _(
                "Fewer judgments pull correlations towards 0. Intervals account for segments and judges."
            ),
            *_no_interval([pair[name] for pair in pairs for name in measures]),
            *(
                reasons[pair["reason"]]
                % {
                    "tasks": BETWEEN.join(
                        map(task_in_words, (pair["first"], pair["second"]))
                    )
                }
                for pair in pairs
                if pair["reason"] is not None
            ),
        ],
    )


def _no_interval(estimates: Sequence[Any]) -> list[str]:
    if all(estimate is None or estimate.low is not None for estimate in estimates):
        return []
    return [
        _(
            "A missing interval means one judge, one segment, or resamples that are too few or all equal."
        )
    ]


def _contradictions_table(found: TasksBeside) -> Table:
    decided = {order.task.name: order.decided for order in found.orders}
    return Table.of(
        (
            {"first": pair.first, "second": pair.second}
            | _pair(decided[pair.first], better, worse)
            | _pair(decided[pair.second], better, worse, "other_")
            for pair in found.pairs
            for better, worse in pair.contradicting
        ),
        name="contradictions",
        title=_("Pairs decided differently"),
        columns=(
            *_two_tasks(),
            Column("better", _("Better"), is_text=True, names="system"),
            Column("worse", _("Worse"), is_text=True, names="other"),
            Column("wins", _("Wins")),
            Column("losses", _("Losses")),
            Column("other_wins", _("Wins (other task)")),
            Column("other_losses", _("Losses (other task)")),
        ),
        keys=4,
    )


def _pair(decided: DecidedPairs, better: str, worse: str, prefix: str = "") -> Told:
    """Return two systems, and how often the first won and lost against the second."""
    wins, losses = decided.won_and_lost(better, worse)
    return {
        "better": better,
        "worse": worse,
        f"{prefix}wins": wins,
        f"{prefix}losses": losses,
    }


def _tell(given: Input, options: Mapping[str, Any], found: TasksBeside) -> Report:
    """Report the order of each task, pairs decided per hour, and the similarity of each pair of orders."""
    tasks = given.beside or ()
    confidence = options["confidence"]
    orders = {order.task.name: order for order in found.orders}
    told = [_told(task, orders.get(task.protocol)) for task in tasks]
    ranked = [order for order in found.orders if _rows(order)]
    pairs = []
    for pair in found.pairs:
        pairs.append(
            {
                "first": pair.first,
                "second": pair.second,
                "systems": pair.correlations.systems,
                **{name: pair.correlations.by_measure.get(name) for name in MEASURES},
                "reason": pair.correlations.reason,
                "agreeing": [list(each) for each in pair.agreeing],
                "contradicting": [list(each) for each in pair.contradicting],
            }
        )
    tables = [
        _tasks_table(told, confidence),
        *([_places_table(ranked), _ranges_table(ranked)] if ranked else []),
        *([_correlations_table(pairs, confidence)] if pairs else []),
        _contradictions_table(found),
    ]
    return Report(
        notes=_notes(tasks, found, options),
        tables=[table for table in tables if table.rows],
        data={
            "input": input_data(given),
            **{
                name: options[name]
                for name in ("method", "confidence", "resamples", "seed")
            },
            "tasks": told,
            "pairs": pairs,
            "version": code_version(),
        },
    )


def _told(read: TaskRead, order: TaskOrder | None) -> Told:
    data: Told = {
        "task": read.protocol,
        "watermark": read.watermark,
        "excluded_judges": list(read.excluded_judges),
        "untimed": read.untimed,
    }
    if order is None:
        return {**data, "judgments": 0, "systems": [], "order": []}
    ranking = order.ranking
    decided = order.decided
    blocks = order.task.blocks
    return {
        **data,
        "judgments": len(blocks),
        "judges": len(np.unique(blocks.judge)),
        "segments": len(np.unique(blocks.segment)),
        "systems": list(decided.systems),
        "hours": order.task.time.hours,
        "pairs": decided.pairs,
        "decided": decided.decided,
        "decided_pairs": [
            _pair(decided, decided.systems[better], decided.systems[worse])
            for better, worse in np.argwhere(decided.better).tolist()
        ],
        "per_hour": decided.per_hour,
        "is_scored": isinstance(order.task, ScoredTask),
        "order": _rows(order),
        **{
            name: getattr(ranking, name, [])
            for name in ("not_estimable", "groups", "limits")
        },
    }


BESIDE = AnalysisKind(
    name="beside",
    title=gettext_lazy("Compare protocols"),
    question=gettext_lazy(
        "Do the tasks of this test set agree, and how many pairs does each decide per hour?"
    ),
    options=(COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    needs=frozenset({Need.OTHER_TASKS}),
    find=_find,
    tell=_tell,
)
