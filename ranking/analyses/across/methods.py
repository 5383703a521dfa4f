"""Number of clusters by method and test set, and differences between the methods' orders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.across.rows import (
    JUDGES_OPTIONS,
    RankedTestSet,
    TableRow,
    rank_arguments,
    ranked_test_set,
    row_notes,
    rows_data,
    watermark_note,
)
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.methods import FIRST, OTHERS
from ranking.analyses.ranking import RANGE_OPTIONS, checked
from ranking.code_version import code_version
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank
from ranking.core.scores import TIE_DECIMALS
from ranking.reports.inputs import Input
from ranking.reports.tables import Column, Report, Table
from ranking.wording.methods import METHOD_WORDS

_SHOWN = frozenset({"expected_wins", "bradley_terry", "bojar", "geq_others", "gt_others"})
_OTHERS = replace(
    OTHERS,
    # Use a fixed order, regardless of the order in the request.
    default=tuple(name for name in METHODS if name in _SHOWN),
    help=gettext_lazy("Lopez, TrueSkill, and Hopkins and May take minutes."),
)


def _methods(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the methods, starting with the one that the others are compared to."""
    return tuple(dict.fromkeys([options["first"], *options["methods"]]))


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _methods(options):
        found = checked({**options, "method": name})
    return {name: value for name, value in found.items() if name != "method"}


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, RankedTestSet]:
    return {
        name: ranked_test_set(
            given, rank(given.blocks, name, progress=begin(_("Ranking")), **rank_arguments(options))
        )
        for name in _methods(options)
    }


def _swapped(first: RankedTestSet, other: RankedTestSet) -> list[tuple[str, str]]:
    """Return the pairs whose order differs, each with the better system by the first method first.

    Ranks order systems with equal scores by name, and unconnected systems arbitrarily: neither is
    an order of the method.
    """
    ahead, behind = _ahead(first), _ahead(other)
    names = [row["system"] for row in first.systems]
    return [
        (one, two) for one, two in combinations(names, 2) if ahead(one, two) and behind(two, one)
    ]


def _ahead(ranking: RankedTestSet) -> Callable[[str, str], bool]:
    """Return a function that tells whether a system has a higher score than another."""
    scores = {
        row["system"]: 0.0 if row["score"] is None else round(row["score"], TIE_DECIMALS)
        for row in ranking.systems
    }
    group = {name: number for number, names in enumerate(ranking.groups) for name in names}

    def is_ahead(one: str, two: str) -> bool:
        both = one in scores and two in scores and group.get(one) == group.get(two)
        return both and scores[one] > scores[two]

    return is_ahead


def _tell(rows: Sequence[TableRow], options: Mapping[str, Any]) -> Report:
    counted = [row for row in rows if row.found is not None]
    methods = _methods(options)
    return Report(
        notes=[
            watermark_note(counted),
            _("Compared with %(method)s.") % {"method": METHOD_WORDS[methods[0]]},
            *row_notes(rows),
        ],
        tables=[_clusters(counted, methods), _first(counted, methods), _orders(counted, methods)],
        data={
            "methods": list(methods),
            "ranges": {option.name: options[option.name] for option in RANGE_OPTIONS},
            "test_sets": rows_data(rows, lambda row: {"methods": _data(row, methods)}),
            "version": code_version(),
        },
    )


def _data(row: TableRow, methods: Sequence[str]) -> list[dict[str, Any]]:
    if row.found is None:
        return []
    return [
        {
            "method": name,
            "clusters": row.found[name].clusters,
            "first_cluster": row.found[name].first_cluster,
            "order": [each["system"] for each in row.found[name].systems],
            "swapped": [list(pair) for pair in _swapped(row.found[methods[0]], row.found[name])],
        }
        for name in methods
    ]


def _clusters(rows: Sequence[TableRow], methods: Sequence[str]) -> Table:
    return Table(
        name="clusters",
        title=_("Clusters"),
        columns=(
            Column("test_set", _("Test set"), is_text=True, names="test_set"),
            Column("systems", _("Systems")),
            *(Column(name, str(METHOD_WORDS[name])) for name in methods),
        ),
        rows=[
            (
                row.test_set.name,
                len(row.test_set.names_of("system")),
                *(row.found[name].clusters for name in methods),
            )
            for row in rows
        ],
        notes=[
            _(
                "More clusters do not make a method better. To compare how well methods predict, see “Compare methods” of each test set."
            )
        ],
    )


def _first(rows: Sequence[TableRow], methods: Sequence[str]) -> Table:
    return Table(
        name="first_clusters",
        title=_("First cluster"),
        columns=(
            Column("test_set", _("Test set"), is_text=True, names="test_set"),
            Column("method", _("Method"), is_text=True),
            Column("clusters", _("Clusters")),
            Column("first_cluster", _("First cluster"), is_text=True),
            Column("swapped", _("Pairs in a different order")),
        ),
        rows=[
            (
                row.test_set.name,
                str(METHOD_WORDS[name]),
                row.found[name].clusters,
                ", ".join(row.found[name].first_cluster) or "–",
                len(_swapped(row.found[methods[0]], row.found[name])),
            )
            for row in rows
            for name in methods
        ],
        rules=frozenset(len(methods) * number - 1 for number in range(1, len(rows))),
        keys=2,
    )


def _orders(rows: Sequence[TableRow], methods: Sequence[str]) -> Table:
    """Return the pairs that some method orders differently from the first method."""
    lines, rules = [], []
    for row in rows:
        by_pair: dict[tuple[str, str], list[str]] = {}
        for name in methods[1:]:
            for pair in _swapped(row.found[methods[0]], row.found[name]):
                by_pair.setdefault(pair, []).append(str(METHOD_WORDS[name]))
        lines += [
            (row.test_set.name, one, two, ", ".join(names)) for (one, two), names in by_pair.items()
        ]
        rules.append(len(lines) - 1)
    return Table(
        name="orders",
        title=_("Pairs in a different order"),
        columns=(
            Column("test_set", _("Test set"), is_text=True, names="test_set"),
            Column("better", _("Better"), is_text=True, names="system"),
            Column("worse", _("Worse"), is_text=True, names="other"),
            Column("methods", _("Reversed by"), is_text=True),
        ),
        rows=lines,
        rules=frozenset(rules[:-1]) - {-1},
        keys=3,
        notes=[] if lines else [_("All methods agree.")],
    )


CLUSTERS_BY_METHODS = AnalysisKind(
    of_campaign=True,
    name="methods",
    title=gettext_lazy("Methods and clusters"),
    question=gettext_lazy(
        "How many clusters does each method find, and where do methods disagree?"
    ),
    options=(FIRST, _OTHERS, *RANGE_OPTIONS, *JUDGES_OPTIONS),
    check=_checked,
    shows_rule=True,
    find=_find,
    tell=_tell,
)
