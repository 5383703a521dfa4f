"""Rankings as reports."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.code_version import code_version
from ranking.core.methods.bradley_terry import INFINITE_GAP
from ranking.core.ranges.sign_tests import ComparedPair, Correction
from ranking.core.rankings.rank import Ranking, only_estimable
from ranking.range_choices import choice_of
from ranking.range_limits import range_limits
from ranking.reports.inputs import AnyInput, ignored_documents_notes, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Report, Table
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.not_ranked import reason_in_words
from ranking.wording.not_yet import shortages_of_rows
from ranking.wording.numbers import in_figures
from ranking.wording.ranges import cluster_rules, limit_in_words, ranges_in_words, shared_rank


def rankings_report(given: AnyInput, rankings: Sequence[Ranking], *, pairs: bool) -> Report:
    """Tell one or several rankings of the same judgments; `pairs` adds a table of these to each."""
    limits = [_limits(given, ranking) for ranking in rankings]
    notes = input_notes(given)
    if any(choice_of(ranking).accounts_for_documents for ranking in rankings):
        notes.extend(ignored_documents_notes(given))
    return Report(
        notes=notes,
        tables=[
            table
            for ranking, found in zip(rankings, limits, strict=True)
            for table in (*_tables(ranking, found), *([_pairs_table(ranking)] if pairs else []))
        ],
        data={
            "input": input_data(given),
            "rankings": [
                _data(ranking, found) for ranking, found in zip(rankings, limits, strict=True)
            ],
            "version": code_version(),
        },
    )


@dataclass(frozen=True, slots=True)
class _Limits:
    """What the ranges do not account for, as codes, and the numbers its words need."""

    codes: list[str]
    counts: dict[str, Any]


def _limits(given: AnyInput, ranking: Ranking) -> _Limits:
    units = given.units(ranking.method)
    effective = units.effective
    return _Limits(
        codes=range_limits(choice_of(ranking), ranking.limits, effective),
        counts={
            "judges": ranking.judges,
            "segments": units.segments,
            "documents": units.documents,
            "effective_judges": effective.judges,
            "effective_documents": effective.documents,
            "effective_segments": effective.segments,
        },
    )


_EFFECTIVE = ("effective_segments", "effective_documents", "effective_judges")


def _data(ranking: Ranking, limits: _Limits) -> dict[str, Any]:
    return {
        "method": ranking.method,
        "parameters": ranking.parameters,
        "seed": ranking.seed,
        "resample": ranking.resample,
        "resamples": ranking.resamples,
        "confidence": ranking.confidence,
        "ranges": ranking.ranges,
        "correction": ranking.correction,
        "sides": ranking.sides,
        "limits": limits.codes,
        **{name: limits.counts[name] for name in _EFFECTIVE},
        "content_key_version": ranking.content_key_version,
        "systems": shown_rows(ranking),
        "pairs": tested_pairs(ranking.pairs, ranking.shortages),
        "not_estimable": ranking.not_estimable,
        "groups": ranking.groups,
        "extra": ranking.extra,
    }


def shown_rows(ranking: Ranking) -> list[dict[str, Any]]:
    """Return the ranked systems as plain JSON, without the ranges and clusters that are not estimable yet."""
    return [only_estimable(row) for row in ranking.rows()]


def tested_pairs(pairs: Iterable[ComparedPair], thin: Container[str]) -> list[dict[str, Any]]:
    """Return pairs as plain JSON, without p-values if either system lacks the judgments for a test."""
    unknown = {"p_value": None, "adjusted_p": None}
    return [
        {**asdict(pair), **(unknown if pair.better in thin or pair.worse in thin else {})}
        for pair in pairs
    ]


def _tables(ranking: Ranking, limits: _Limits) -> list[Table]:
    """Return a table for each group of systems that comparisons connect."""
    notes = _notes(ranking, limits)
    rows = ranking.rows()
    if len(ranking.groups) < 2:
        return [ranks_table(rows, name=ranking.method, method=ranking.method, notes=notes)]
    return [
        replace(
            ranks_table(
                [row for row in rows if row["group"] == number],
                name=f"{ranking.method}_group_{number}",
                method=ranking.method,
                notes=notes if number == len(ranking.groups) else (),
            ),
            title=_("Ranking by %(method)s, group %(number)s of %(count)s")
            % {
                "method": METHOD_WORDS.get(ranking.method, ranking.method),
                "number": number,
                "count": len(ranking.groups),
            },
        )
        for number in range(1, len(ranking.groups) + 1)
    ]


def ranks_table(
    rows: Sequence[Mapping[str, Any]], *, name: str, method: str, notes: Sequence[str] = ()
) -> Table:
    """Return ranked systems, best first, as a ranking or a stored one has them, with their rank ranges drawn."""
    shown = [{"group": 1, **only_estimable(row), "shared_rank": shared_rank(row)} for row in rows]
    shares = any(row.get("last_rank", row["rank"]) != row["rank"] for row in rows)
    several = len({row["group"] for row in shown}) > 1
    columns = (
        Column("system", _("System"), is_text=True, names="system"),
        *((Column("group", _("Group")),) if several else ()),
        Column("score", _("Score")),
        Column("rank", _("Rank")),
        *((Column("shared_rank", _("Shared rank"), is_text=True),) if shares else ()),
        Column("rank_low", _("From")),
        Column("rank_high", _("To")),
        Column("cluster", _("Cluster")),
        Column("wins", _("Wins"), counts="won"),
        Column("losses", _("Losses"), counts="lost"),
        Column("ties", _("Ties"), counts="tied"),
    )
    return Table(
        name=name,
        title=_("Ranking by %(method)s") % {"method": METHOD_WORDS.get(method, method)},
        columns=columns,
        rows=[tuple(row[column.key] for column in columns) for row in shown],
        rules=cluster_rules(shown),
        notes=[*shortages_of_rows(rows), *notes],
        plot=Plot(
            kind="intervals",
            label="system",
            value="rank",
            low="rank_low",
            high="rank_high",
            is_whole=True,
        ),
    )


_CORRECTIONS = {
    Correction.NONE: gettext_lazy("not corrected for the number of pairs"),
    Correction.HOLM: gettext_lazy("corrected for the number of pairs by Holm’s method"),
    Correction.BENJAMINI_HOCHBERG: gettext_lazy(
        "corrected for the number of pairs by Benjamini and Hochberg’s method"
    ),
}


def tests_in_words(sides: int, correction: Correction, level: float) -> str:
    """Say how pairs are tested."""
    return _("%(sides)s tests, %(correction)s; significant up to %(level)s.") % {
        "sides": _("Two-sided") if sides == 2 else _("One-sided"),
        "correction": _CORRECTIONS[correction],
        "level": in_figures(level),
    }


def _pairs_table(ranking: Ranking) -> Table:
    return Table(
        name=f"{ranking.method}_pairs",
        title=_("Pairs of systems by %(method)s")
        % {"method": METHOD_WORDS.get(ranking.method, ranking.method)},
        columns=(
            Column("better", _("Better"), is_text=True, names="system"),
            Column("worse", _("Worse"), is_text=True, names="other"),
            Column("wins", _("Wins"), counts="won"),
            Column("losses", _("Losses"), counts="lost"),
            Column("ties", _("Ties"), counts="tied"),
            Column("p_value", _("p")),
            Column("adjusted_p", _("Corrected p")),
            Column("significant", _("Significant"), is_text=True),
        ),
        rows=[
            (
                pair["better"],
                pair["worse"],
                pair["wins"],
                pair["losses"],
                pair["ties"],
                pair["p_value"],
                pair["adjusted_p"],
                _("not estimable yet")
                if pair["p_value"] is None
                else _("yes")
                if pair["significant"]
                else _("no"),
            )
            for pair in tested_pairs(ranking.pairs, ranking.shortages)
        ],
        keys=2,
        notes=[tests_in_words(ranking.sides, ranking.correction, choice_of(ranking).level)],
    )


def _notes(ranking: Ranking, limits: _Limits) -> list[str]:
    choice = choice_of(ranking)
    has_ranges = len(ranking.shortages) < len(ranking.systems)
    ranges = ranges_in_words(
        choice, resamples=ranking.resamples, limits=limits.codes, counts=limits.counts
    )
    notes = [
        *(ranges if has_ranges or not ranking.systems else []),
        *(
            limit_in_words(code, limits.counts, ranges=choice.ranges)
            for code in limits.codes
            if has_ranges
        ),
        _("Seed: %(seed)s.") % {"seed": ranking.seed},
    ]
    if ranking.parameters:
        given = ", ".join(
            f"{name} {in_figures(value) if isinstance(value, float) else value}"
            for name, value in ranking.parameters.items()
        )
        notes.append(_("Parameters: %(parameters)s.") % {"parameters": given})
    notes.extend(
        _("%(system)s is not ranked: %(reason)s.")
        % {"system": row.system, "reason": reason_in_words(row.reason)}
        for row in ranking.not_estimable
    )
    notes.extend(_groups_in_words(ranking))
    for tiers in ranking.extra.get("separated", ()):
        order = " > ".join(", ".join(tier) for tier in tiers)
        notes.append(
            _(
                "Between these, all comparisons were won by the former, so that their distance is "
                "infinite; the scores show it as %(gap)s: %(order)s."
            )
            % {"gap": in_figures(INFINITE_GAP), "order": order}
        )
    if ranking.extra.get("proven_optimal") is False:
        notes.append(_("It is not proven that no other order violates fewer comparisons."))
    if ranking.extra.get("converged") is False:
        notes.append(_("The estimate did not converge."))
    return notes


def group_notes(ranking: Ranking) -> list[str]:
    """Return what must be read beside one table of a ranking: its groups, and what ranges lack."""
    return [
        *(
            note
            for number in range(1, len(ranking.groups) + 1)
            for note in shortages_of_rows([row for row in ranking.rows() if row["group"] == number])
        ),
        *_groups_in_words(ranking),
    ]


def _groups_in_words(ranking: Ranking) -> list[str]:
    if len(ranking.groups) < 2:
        return []
    groups = "; ".join(", ".join(group) for group in ranking.groups)
    return [
        _("Nothing compares these groups with each other, so each is ranked by itself: %(groups)s.")
        % {"groups": groups}
    ]
