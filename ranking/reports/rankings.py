"""Rankings as reports."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.bradley_terry import INFINITE_GAP
from ranking.core.ranking import Ranking
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.tables import Column, Report, Table


def rankings_report(given: Input, rankings: Sequence[Ranking]) -> Report:
    """Tell one or several rankings of the same judgments."""
    return Report(
        notes=input_notes(given),
        tables=[_table(ranking) for ranking in rankings],
        data={
            "input": input_data(given),
            "rankings": [_data(ranking) for ranking in rankings],
            "version": code_version(),
        },
    )


def _data(ranking: Ranking) -> dict[str, Any]:
    return {
        "method": ranking.method,
        "parameters": ranking.parameters,
        "seed": ranking.seed,
        "resample": ranking.resample,
        "resamples": ranking.resamples,
        "confidence": ranking.confidence,
        "content_key_version": ranking.content_key_version,
        "systems": ranking.systems,
        "not_estimable": ranking.not_estimable,
        "groups": ranking.groups,
        "extra": ranking.extra,
    }


def _table(ranking: Ranking) -> Table:
    rows = ranking.systems
    return Table(
        name=ranking.method,
        title=_("Ranking by %(method)s") % {"method": ranking.method},
        columns=(
            Column("system", _("System"), is_text=True),
            Column("score", _("Score")),
            Column("rank", _("Rank")),
            Column("rank_low", _("From")),
            Column("rank_high", _("To")),
            Column("cluster", _("Cluster")),
            Column("wins", _("Wins")),
            Column("losses", _("Losses")),
            Column("ties", _("Ties")),
        ),
        rows=[
            (
                row.system,
                row.score,
                row.rank,
                row.rank_low,
                row.rank_high,
                row.cluster,
                row.wins,
                row.losses,
                row.ties,
            )
            for row in rows
        ],
        rules=frozenset(
            number
            for number, (row, below) in enumerate(pairwise(rows))
            if row.cluster != below.cluster
        ),
        notes=_notes(ranking),
    )


def _notes(ranking: Ranking) -> list[str]:
    notes = [
        _(
            "Rank ranges: %(resamples)s resamples of %(level)s, confidence %(confidence)s, "
            "seed %(seed)s."
        )
        % {
            "resamples": f"{ranking.resamples:,}",
            "level": ranking.resample,
            "confidence": f"{ranking.confidence:g}",
            "seed": ranking.seed,
        }
    ]
    if ranking.parameters:
        given = ", ".join(f"{name} {value}" for name, value in ranking.parameters.items())
        notes.append(_("Parameters: %(parameters)s.") % {"parameters": given})
    notes.extend(
        _("%(system)s is not ranked: %(reason)s.")
        % {"system": row.system, "reason": row.reason.replace("_", " ")}
        for row in ranking.not_estimable
    )
    if len(ranking.groups) > 1:
        groups = "; ".join(", ".join(group) for group in ranking.groups)
        notes.append(
            _(
                "Nothing compares these groups with each other, so their common ranking is "
                "arbitrary: %(groups)s."
            )
            % {"groups": groups}
        )
    for tiers in ranking.extra.get("separated", ()):
        order = " > ".join(", ".join(tier) for tier in tiers)
        notes.append(
            _(
                "Between these, all comparisons were won by the former, so that their distance is "
                "infinite; the scores show it as %(gap)s: %(order)s."
            )
            % {"gap": f"{INFINITE_GAP:g}", "order": order}
        )
    if ranking.extra.get("proven_optimal") is False:
        notes.append(_("It is not proven that no other order violates fewer comparisons."))
    if ranking.extra.get("converged") is False:
        notes.append(_("The estimate did not converge."))
    return notes
