"""Compare the orders of systems by all tasks of a test set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TypedDict, cast

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import comma_list, labelled
from ranking.core.beside import (
    DecidedPairs,
    PairOfTasks,
    ScoredTask,
    TaskOrder,
    TasksBeside,
    tasks_beside,
)
from ranking.core.estimates import Estimate, NoCorrelation
from ranking.core.ranges import Correction
from ranking.core.rankings.rank import UnrankedSystem
from ranking.core.rankings.records import RankedRow
from ranking.reports.analyses.firmness import COUNTS_METHOD
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need, converging
from ranking.reports.analyses.options import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    AnalysisOptions,
)
from ranking.reports.analyses.ranking import estimable_rows, group_notes
from ranking.reports.correlations import interval_columns
from ranking.reports.inputs import Input, TaskRead, excluded_notes, input_data
from ranking.reports.plots import interval_plot
from ranking.reports.tables import (
    BETWEEN,
    Column,
    Report,
    ReportData,
    Table,
    end_columns,
    order_columns,
    ranks_in_orders,
    system_column,
    with_rows,
)
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import percent
from ranking.reports.wording.pair_tests import sign_tests_in_words
from ranking.reports.wording.ranges import rank_cell, systems_of
from version import code_version

#: Correlations in the order of columns, with their headings.
_MEASURES = {"kendall": "Kendall’s τ-b", "spearman": "Spearman", "pearson": "Pearson"}


class PairCounts(TypedDict):
    """Two systems, and how often the first won and lost against the second."""

    better: str
    worse: str
    wins: int
    losses: int


@dataclass(frozen=True, kw_only=True)
class TaskFigures:
    """A task and its order of systems, without ranges and clusters that are not yet estimable."""

    task: str
    watermark: int
    excluded_judges: list[str]
    untimed: int
    judgments: int = 0
    judges: int | None = None
    segments: int | None = None
    systems: Sequence[str] = ()
    hours: float | None = None
    pairs: int | None = None
    decided: int | None = None
    decided_pairs: Sequence[PairCounts] = ()
    per_hour: Estimate | None = None
    is_scored: bool = False
    order: Sequence[RankedRow] = ()
    not_estimable: Sequence[UnrankedSystem] = ()
    groups: Sequence[Sequence[str]] = ()
    limits: Sequence[str] = ()

    @property
    def compared(self) -> int | None:
        """The number of its systems; None without judgments."""
        return len(self.systems) if self.judgments else None

    @property
    def data(self) -> ReportData:
        """The machine-readable figures; only those of the input without judgments."""
        if self.judgments:
            return vars(self)
        return {
            "task": self.task,
            "watermark": self.watermark,
            "excluded_judges": self.excluded_judges,
            "untimed": self.untimed,
            "judgments": 0,
            "systems": [],
            "order": [],
        }


@dataclass(frozen=True, kw_only=True)
class OrdersCompared:
    """Correlations of the scores of two tasks, and the pairs that both decide."""

    first: str
    second: str
    systems: Sequence[str]
    kendall: Estimate | None
    spearman: Estimate | None
    pearson: Estimate | None
    reason: NoCorrelation | None
    agreeing: Sequence[tuple[str, str]]
    contradicting: Sequence[tuple[str, str]]


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> TasksBeside:
    tasks = [read.judged for read in inputs.beside or () if read.judged is not None]
    with converging(options[COUNTS_METHOD]):
        return tasks_beside(
            tasks,
            options[COUNTS_METHOD],
            resamples=options[RESAMPLES],
            confidence=options[CONFIDENCE],
            seed=options[SEED],
            progress=begin(_("Ranking")),
        )


#: Names of studies by the protocols that identify tasks within their test set.
Names = Mapping[str, str]


def _notes(
    tasks: Sequence[TaskRead],
    studies: Names,
    answer: TasksBeside,
    options: AnalysisOptions,
) -> list[str]:
    judged = []
    unjudged = []
    excluded: set[str] = set()
    for read in tasks:
        name = read.name
        excluded.update(read.excluded_judges)
        if read.judged is None:
            unjudged.append(labelled(name, _("No judgments match these options.")))
            continue
        last = {"number": number_format(read.watermark)}
        judged.append(labelled(name, _("Judgments 1 to %(number)s") % last))
    notes = [*judged, *unjudged, *excluded_notes(sorted(excluded))]
    notes.append(
        _(
            "%(method)s; %(confidence)s rank ranges that account for segments and judges if there are enough of them.",
        )
        % {
            "method": METHOD_WORDS[options[COUNTS_METHOD]],
            "confidence": percent(options[CONFIDENCE]),
        },
    )
    if len(answer.orders) < 2:
        notes.append(_("No other task of this test set has judgments to compare with."))
    compared = {order.decided.systems for order in answer.orders if _rows(order)}
    if len(compared) > 1:
        notes.append(
            _(
                "The tasks compare different systems, so their scores are not directly comparable.",
            ),
        )
    untimed = {read.protocol for read in tasks if read.untimed}
    for order in answer.orders:
        task = {"task": studies[order.task.name]}
        if not _rows(order):
            notes.append(_("%(task)s: no comparisons yet.") % task)
        if isinstance(order.task, ScoredTask):
            notes.append(
                _(
                    "%(task)s: systems are ordered by mean score, with confidence sets for ranks.",
                )
                % task,
            )
        if order.ranking is not None and order.ranking.not_estimable:
            names = comma_list(row.system for row in order.ranking.not_estimable)
            few = _("Not enough judgments to rank: %(names)s.") % {"names": names}
            notes.append(labelled(task["task"], few))
        if order.task.name in untimed:
            notes.append(
                _("%(task)s: no hours, because some judgments have no active time.")
                % task,
            )
    return notes


def _rows(order: TaskOrder) -> list[RankedRow]:
    """Return the systems in the order of a task, without ranges and clusters not yet estimable."""
    if order.ranking is not None:
        return estimable_rows(order.ranking)
    rows = []
    for mean in order.means:
        rows.append(cast("RankedRow", {"group": 1, **mean, "shortage": None}))
    return rows


def _task_column(key: str, heading: str, studies: Names) -> Column:
    task = attrgetter(key)

    def in_words(row: object) -> str:
        return studies[task(row)]

    return Column(key, heading, is_text=True, of=in_words)


def _tasks_table(
    tasks: Sequence[TaskFigures],
    studies: Names,
    confidence: float,
) -> Table:
    judged = [task for task in tasks if task.judgments]
    unjudged = [task for task in tasks if not task.judgments]
    return Table.of(
        [*judged, *unjudged],
        name="tasks",
        title=_("Pairs decided per hour"),
        columns=(
            _task_column("task", _("Task"), studies),
            Column("judgments", _("Judgments")),
            Column("judges", _("Judges")),
            Column("segments", _("Segments")),
            Column("systems", _("Systems"), of=attrgetter("compared")),
            Column("hours", _("Active hours"), decimals=2),
            Column("pairs", _("Pairs")),
            Column("decided", _("Pairs decided")),
            *interval_columns(
                "per_hour",
                _("Decided per hour"),
                confidence,
                ends="",
                decimals=2,
            ),
        ),
        notes=[
            _("A pair is decided if its test is significant."),
            *sign_tests_in_words(2, Correction.HOLM, round(1 - confidence, 12)),
            _(
                "Hours are active time, including changed answers but not skips or attention checks.",
            ),
            _(
                "Intervals account for segments and judges. Larger campaigns decide fewer new pairs per hour.",
            ),
            *_no_interval([task.per_hour for task in tasks]),
        ],
        plot=interval_plot("task", "per_hour", start=0),
    )


def _places_table(orders: Sequence[TaskOrder], studies: Names) -> Table:
    """Return the ranks by each task; if a task has unconnected groups, only `_ranges_table` has its ranks."""
    headings = {}
    ranks: list[dict[str, int]] = []
    names: set[str] = set()
    for order in orders:
        rows = _rows(order)
        headings[order.task.name] = studies[order.task.name]
        of_task = {row["system"]: row["rank"] for row in rows}
        names.update(of_task)
        groups = set(map(itemgetter("group"), rows))
        ranks.append(of_task if groups == {1} else {})
    first = systems_of(_rows(orders[0]))
    others = sorted(names.difference(first))
    return ranks_in_orders(headings, ranks, systems=[*first, *others])


def _ranges_table(orders: Sequence[TaskOrder], studies: Names) -> Table:
    rows = []
    rules = []
    notes = []
    for order in orders:
        task = order.task.name
        for _group, members in groupby(_rows(order), key=itemgetter("group")):
            rows += [{**row, "task": studies[task]} for row in members]
            rules.append(len(rows) - 1)
        if order.ranking is not None:
            for note in group_notes(order.ranking):
                notes.append(labelled(studies[task], note))
    columns = [Column("task", _("Task"), is_text=True), system_column()]
    if set(map(itemgetter("group"), rows)) != {1}:
        columns.append(Column("group", _("Group")))
    columns += [
        Column("score", _("Score")),
        Column("rank", _("Rank"), of=rank_cell),
        *end_columns("rank_"),
        Column("cluster", _("Cluster")),
    ]
    return Table.of(
        rows,
        name="ranges",
        title=_("Ranking"),
        columns=columns,
        notes=notes,
        rules=frozenset(rules[:-1]),
        keys=2,
    )


def _two_tasks(studies: Names) -> tuple[Column, Column]:
    return (
        _task_column("first", _("Task"), studies),
        _task_column("second", _("Other task"), studies),
    )


def _count_column(key: str, heading: str) -> Column:
    """Return a column of the number of items of an attribute."""
    items = attrgetter(key)

    def count(row: object) -> int:
        return len(items(row))

    return Column(key, heading, of=count)


def _correlations_table(
    pairs: Sequence[OrdersCompared],
    studies: Names,
    confidence: float,
) -> Table:
    reasons = {
        NoCorrelation.FEW_SYSTEMS: _(
            "%(tasks)s: no correlation (needs 4 shared systems with scores).",
        ),
        NoCorrelation.EQUAL_SCORES: _(
            "%(tasks)s: no correlation, because all scores of one task are equal.",
        ),
    }
    estimates = []
    missing = []
    for pair in pairs:
        estimates += [pair.kendall, pair.spearman, pair.pearson]
        if pair.reason is not None:
            tasks = BETWEEN.join((studies[pair.first], studies[pair.second]))
            missing.append(reasons[pair.reason] % {"tasks": tasks})
    columns = [*_two_tasks(studies), _count_column("systems", _("Shared systems"))]
    for name, heading in _MEASURES.items():
        columns += interval_columns(name, heading, confidence)
    columns += [
        _count_column("agreeing", _("Pairs decided the same way")),
        _count_column("contradicting", _("Pairs decided differently")),
    ]
    return Table.of(
        pairs,
        name="correlations",
        title=_("Correlation of scores"),
        columns=columns,
        keys=2,
        notes=[
            _(
                "Fewer judgments pull correlations towards 0. Intervals account for segments and judges.",
            ),
            *_no_interval(estimates),
            *missing,
        ],
    )


def _no_interval(estimates: Sequence[Estimate | None]) -> list[str]:
    estimable = [estimate for estimate in estimates if estimate is not None]
    if not any(estimate.low is None for estimate in estimable):
        return []
    return [
        _(
            "A missing interval means one judge, one segment, or resamples that are too few or all equal.",
        ),
    ]


def _contradictions_table(answer: TasksBeside, studies: Names) -> Table:
    decided = {order.task.name: order.decided for order in answer.orders}
    rows = []
    for pair in answer.pairs:
        names = (studies[pair.first], studies[pair.second])
        for better, worse in pair.contradicting:
            counts = decided[pair.first].won_and_lost(better, worse)
            other_counts = decided[pair.second].won_and_lost(better, worse)
            rows.append((*names, better, worse, *counts, *other_counts))
    return Table(
        name="contradictions",
        title=_("Pairs decided differently"),
        columns=(
            *_two_tasks(studies),
            *order_columns(),
            Column("wins", _("Wins")),
            Column("losses", _("Losses")),
            Column("other_wins", _("Wins (other task)")),
            Column("other_losses", _("Losses (other task)")),
        ),
        rows=rows,
        keys=4,
    )


def _tell(inputs: Input, options: AnalysisOptions, answer: TasksBeside) -> Report:
    """Report the order of each task, pairs decided per hour, and the similarity of each pair of orders."""
    read = inputs.beside or ()
    studies = {task.protocol: task.name for task in read}
    confidence = options[CONFIDENCE]
    orders = {order.task.name: order for order in answer.orders}
    tasks = [_figures(task, orders.get(task.protocol)) for task in read]
    ranked = list(filter(_rows, answer.orders))
    pairs = list(map(_compare_orders, answer.pairs))
    tables = [_tasks_table(tasks, studies, confidence)]
    if ranked:
        tables += [_places_table(ranked, studies), _ranges_table(ranked, studies)]
    if pairs:
        tables.append(_correlations_table(pairs, studies, confidence))
    tables.append(_contradictions_table(answer, studies))
    return Report(
        notes=_notes(read, studies, answer, options),
        tables=with_rows(tables),
        data={
            "input": input_data(inputs),
            **options.of((COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED)),
            "tasks": [task.data for task in tasks],
            "pairs": pairs,
            "version": code_version(),
        },
    )


def _compare_orders(pair: PairOfTasks) -> OrdersCompared:
    correlations = pair.correlations
    return OrdersCompared(
        first=pair.first,
        second=pair.second,
        systems=correlations.systems,
        kendall=correlations.by_measure.get("kendall"),
        spearman=correlations.by_measure.get("spearman"),
        pearson=correlations.by_measure.get("pearson"),
        reason=correlations.reason,
        agreeing=pair.agreeing,
        contradicting=pair.contradicting,
    )


def _figures(read: TaskRead, order: TaskOrder | None) -> TaskFigures:
    figures = TaskFigures(
        task=read.protocol,
        watermark=read.watermark,
        excluded_judges=list(read.excluded_judges),
        untimed=read.untimed,
    )
    if order is None:
        return figures
    decided = order.decided
    blocks = order.task.blocks
    figures = replace(
        figures,
        judgments=len(blocks),
        judges=len(np.unique(blocks.judge)),
        segments=len(np.unique(blocks.segment)),
        systems=decided.systems,
        hours=order.task.time.hours,
        pairs=decided.pairs,
        decided=decided.decided,
        decided_pairs=_decided_pairs(decided),
        per_hour=decided.per_hour,
        is_scored=isinstance(order.task, ScoredTask),
        order=_rows(order),
    )
    ranking = order.ranking
    if ranking is None:
        return figures
    return replace(
        figures,
        not_estimable=ranking.not_estimable,
        groups=ranking.groups,
        limits=ranking.limits,
    )


def _decided_pairs(decided: DecidedPairs) -> list[PairCounts]:
    pairs: list[PairCounts] = []
    for indices in np.argwhere(decided.better).tolist():
        better, worse = map(decided.systems.__getitem__, indices)
        wins, losses = decided.won_and_lost(better, worse)
        pairs.append({"better": better, "worse": worse, "wins": wins, "losses": losses})
    return pairs


BESIDE = AnalysisKind(
    name="beside",
    title=gettext_lazy("Compare protocols"),
    question=gettext_lazy(
        "Do the tasks of this test set agree, and how many pairs does each decide per hour?",
    ),
    options=(COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    needs=frozenset({Need.OTHER_TASKS}),
    find=_find,
    tell=_tell,
)
