"""The orders of a test set by its tasks beside each other, as a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ranking.code_version import code_version
from ranking.core.beside import DecidedPairs, PairOfTasks, ScoredTask, TaskOrder, TasksBeside
from ranking.reports.beside_tasks.notes import beside_notes
from ranking.reports.beside_tasks.tables import (
    MEASURES,
    contradictions_table,
    correlations_table,
    places_table,
    ranges_table,
    rows_of,
    tasks_table,
    units_of,
)
from ranking.reports.inputs import Input, input_data
from ranking.reports.tables import Report
from ranking.reports.task_read import TaskRead


def beside_report(given: Input, found: TasksBeside, options: Mapping[str, Any]) -> Report:
    """Tell the order of each task, pairs decided per hour, and how alike the orders of every two tasks are."""
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
