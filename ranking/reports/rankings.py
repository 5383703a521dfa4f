"""Rankings as reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.effective_units import effective_units
from ranking.core.methods import METHODS
from ranking.core.ranking import Ranking
from ranking.range_choices import RangeChoice
from ranking.range_limits import range_limits
from ranking.range_words import limit_in_words, ranges_in_words
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.tables import Column, Report, Table


def rankings_report(given: Input, rankings: Sequence[Ranking], choice: RangeChoice) -> Report:
    """Tell one or several rankings of the same judgments, whose ranges were made as chosen."""
    limits = [_limits(given, ranking, choice) for ranking in rankings]
    return Report(
        notes=input_notes(given),
        tables=[
            _table(ranking, choice, found) for ranking, found in zip(rankings, limits, strict=True)
        ],
        data={
            "input": input_data(given),
            "rankings": [
                _data(ranking, choice, found)
                for ranking, found in zip(rankings, limits, strict=True)
            ],
            "version": code_version(),
        },
    )


@dataclass(frozen=True, slots=True)
class _Limits:
    """What the ranges do not account for, as codes, and the numbers its words need."""

    codes: list[str]
    counts: dict[str, Any]


def _limits(given: Input, ranking: Ranking, choice: RangeChoice) -> _Limits:
    blocks = given.blocks
    effective = effective_units(blocks, METHODS[ranking.method])
    return _Limits(
        codes=range_limits(choice, ranking.limits, effective),
        counts={
            "judges": ranking.judges,
            "segments": len(np.unique(blocks.segment)),
            "effective_judges": effective.judges,
            "effective_segments": effective.segments,
        },
    )


def _data(ranking: Ranking, choice: RangeChoice, limits: _Limits) -> dict[str, Any]:
    return {
        "method": ranking.method,
        "parameters": ranking.parameters,
        "seed": ranking.seed,
        "resample": ranking.resample,
        "resamples": ranking.resamples,
        "confidence": ranking.confidence,
        "ranges": choice.ranges,
        "correction": choice.correction,
        "sides": choice.sides,
        "limits": limits.codes,
        **{name: limits.counts[name] for name in ("effective_segments", "effective_judges")},
        "content_key_version": ranking.content_key_version,
        "systems": ranking.systems,
        "not_estimable": ranking.not_estimable,
        "groups": ranking.groups,
        "extra": ranking.extra,
    }


def _table(ranking: Ranking, choice: RangeChoice, limits: _Limits) -> Table:
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
        notes=_notes(ranking, choice, limits),
    )


def _notes(ranking: Ranking, choice: RangeChoice, limits: _Limits) -> list[str]:
    notes = [
        *ranges_in_words(choice, resamples=ranking.resamples, limits=limits.codes),
        *(limit_in_words(code, limits.counts) for code in limits.codes if ranking.systems),
        _("Seed: %(seed)s.") % {"seed": ranking.seed},
    ]
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
    if ranking.extra.get("proven_optimal") is False:
        notes.append(_("It is not proven that no other order violates fewer comparisons."))
    if ranking.extra.get("converged") is False:
        notes.append(_("The estimate did not converge."))
    return notes
