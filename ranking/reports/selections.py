"""The comparison of methods by their predictions as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.selection import MethodSelection, Requirement
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.tables import Column, Report, Table


def selection_report(
    given: Input, found: MethodSelection, requirements: Sequence[Requirement] = ()
) -> Report:
    """Tell which method predicts held-out judgments best, and how much data each needs."""
    tables = [accuracy_table(found)]
    if requirements:
        tables.append(_requirements(found, requirements))
    return Report(
        notes=[
            *input_notes(given),
            _("%(folds)s folds of %(segments)s segments, seed %(seed)s")
            % {"folds": found.folds, "segments": number_format(found.segments), "seed": found.seed},
        ],
        tables=tables,
        data={
            "input": input_data(given),
            **selection_data(found),
            "data_requirements": list(requirements) or None,
            "version": code_version(),
        },
    )


def selection_data(found: MethodSelection) -> dict[str, Any]:
    """Return how well each method predicted, for programs."""
    return {
        "methods": [
            {"method": name, **asdict(accuracy)} for name, accuracy in found.methods.items()
        ],
        "best": next(iter(found.methods)),
        "oracle": found.oracle,
        "majority": found.majority,
        "folds": found.folds,
        "segments": found.segments,
        "comparisons": found.comparisons,
        "ties": found.ties,
        "seed": found.seed,
    }


def accuracy_table(found: MethodSelection) -> Table:
    """Tell how well each method predicted, best first, between the best there can be and the simplest."""
    rows = [
        (name, each.accuracy, each.standard_error, each.behind, each.behind_error)
        for name, each in found.methods.items()
    ]
    return Table(
        name="accuracy",
        title=_("Accuracy at predicting held-out comparisons (win, tie or loss)"),
        columns=(
            Column("method", _("Method"), is_text=True),
            Column("accuracy", _("Accuracy"), decimals=4),
            Column("standard_error", _("Standard error"), decimals=4),
            Column("behind", _("Behind the best"), decimals=4),
            Column("behind_error", _("Its standard error"), decimals=4),
        ),
        rows=[
            (_("oracle"), found.oracle, None, None, None),
            *rows,
            (_("commonest outcome"), found.majority, None, None, None),
        ],
        rules=frozenset({0, len(rows)}),
    )


def _requirements(found: MethodSelection, requirements: Sequence[Requirement]) -> Table:
    names = list(found.methods)
    return Table(
        name="data_requirements",
        title=_("Accuracy when learning from a share of the blocks"),
        columns=(
            Column("share", _("Share"), is_text=True),
            Column("comparisons", _("Comparisons"), decimals=0),
            *(Column(name, name, decimals=4) for name in names),
        ),
        rows=[
            (f"{each.share:g}", each.comparisons, *(each.accuracy[name] for name in names))
            for each in requirements
        ],
    )
