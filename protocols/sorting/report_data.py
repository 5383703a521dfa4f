"""A sort as data: what programs read of its report."""

from __future__ import annotations

from typing import Any

from protocols.sorting.found import SortFound
from protocols.sorting.statistics.chain import SortSettings, Step
from protocols.sorting.statistics.comparison import ComparisonResult
from protocols.sorting.statistics.merge_insertion import most_comparisons
from protocols.sorting.statistics.preference import Preference
from ranking.code_version import code_version


def sort_data(found: SortFound) -> dict[str, Any]:
    """Return all that a sort says, for files of JSON and for programs."""
    chain, read = found.chain, found.read
    return {
        "input": {
            "files": [{"name": file.name, "sha256": file.sha256} for file in read.files],
            "answers": read.answers,
            "identical": read.identical,
            "judges": len(read.judges),
            "excluded_judges": read.excluded_judges,
            "systems": chain.systems,
        },
        "settings": found.settings,
        "order": chain.order,
        "clusters": chain.clusters,
        "done": chain.state.done,
        "left_at_most": chain.state.left_at_most,
        "most": most_comparisons(len(chain.systems)),
        "open": chain.state.open,
        "comparisons": [_step_data(step, found) for step in chain.steps],
        "neighbours": [(step.result.first, step.result.second) for step in chain.neighbours],
        "remaining": [
            {
                "better": each.better,
                "worse": each.worse,
                "places": each.places,
                "contradicts": each.contradicts,
                "result": each.result and _result_data(each.result, found.settings),
            }
            for each in chain.remaining
        ]
        if found.verify
        else None,
        "orders": found.beside
        and {
            name: {
                "systems": found.beside.order(name),
                "tau": {other: found.beside.tau[name, other] for other in found.beside.scores},
            }
            for name in found.beside.scores
        },
        "version": code_version(),
    }


def _step_data(step: Step, found: SortFound) -> dict[str, Any]:
    pair = frozenset((step.result.first, step.result.second))
    return {
        "number": step.number,
        **_result_data(step.result, found.settings),
        "adjusted_p": step.adjusted_p,
        "significant": step.significant,
        "winner": step.decision.winner,
        "missing": step.decision.missing,
        "arbitrary": step.decision.arbitrary,
        **(
            {"last": found.last[pair], "late": found.late.get(pair, 0)}
            if pair in found.last
            else {}
        ),
    }


def _result_data(result: ComparisonResult, settings: SortSettings) -> dict[str, Any]:
    low, high = result.pooled.interval(settings.level)
    return {
        "first": result.first,
        "second": result.second,
        **_preference_data(result.pooled.counts),
        "error": result.pooled.error,
        "error_level": result.pooled.level,
        "z": result.pooled.z,
        "p_normal": result.pooled.p("normal"),
        "p_judges": result.p_judges,
        "low": low,
        "high": high,
        "judges": {judge: _preference_data(each) for judge, each in result.judges.items()},
        "of_judges": _preference_data(result.of_judges),
        "of_sentences": result.of_sentences and _preference_data(result.of_sentences),
        "against_majority": result.against_majority,
    }


def _preference_data(counts: Preference) -> dict[str, Any]:
    return {
        "wins": counts.wins,
        "losses": counts.losses,
        "same": counts.same,
        "identical": counts.identical,
        "mean": counts.mean,
        "error": counts.error,
        "z": counts.z,
        "p_normal": counts.p_normal,
        "p_exact": counts.p_exact,
    }
