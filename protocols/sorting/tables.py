"""A sort as tables with the words around them, and as data for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from protocols.sorting.files import ComparisonsRead
from protocols.sorting.statistics.chain import (
    SORT,
    OrdersBeside,
    Remaining,
    SortedChain,
    SortSettings,
    Step,
)
from protocols.sorting.statistics.comparison import (
    FEWEST_NORMAL,
    FEWEST_TESTED,
    ComparisonResult,
    Preference,
)
from protocols.sorting.statistics.merge_insertion import (
    PartialOrder,
    Verdict,
    most_comparisons,
    partial_order,
)
from ranking.code_version import code_version
from ranking.core.scores import Shortage
from ranking.reports.plots import Plot
from ranking.reports.rankings import tests_in_words
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.not_yet import shortages_in_words
from ranking.wording.pair_tests import LEVEL_WORDS


@dataclass(frozen=True)
class SortFound:
    """A sort with what it was asked for; `beside` is None as long as there is no order.

    Of a task `last` has the last judgment of each verdict by number, and `late` how many answers came after it.
    """

    read: ComparisonsRead
    settings: SortSettings
    chain: SortedChain
    beside: OrdersBeside | None
    verify: bool = False
    last: Mapping[frozenset[str], int] = field(default_factory=dict)
    late: Mapping[frozenset[str], int] = field(default_factory=dict)


def sort_report(found: SortFound) -> Report:
    """Tell the order with its clusters, what each comparison says, and what is still open."""
    chain = found.chain
    tables = [
        known_table(chain),
        _open(chain),
        _order(chain),
        _neighbours(found),
        _comparisons(found),
        _verdicts(found),
        _majorities(chain),
        _by_judge(found),
    ]
    if found.verify and chain.order is not None:
        tables.append(_remaining(found))
    if found.beside is not None:
        tables.append(beside_table(found.beside))
    return Report(
        notes=_notes(found),
        tables=[table for table in tables if table.rows],
        data=sort_data(found),
    )


def _notes(found: SortFound) -> list[str]:
    read, chain = found.read, found.chain
    notes = [
        _(
            "Answers: %(answers)s, judges: %(judges)s, systems: %(systems)s, identical outputs: %(identical)s."
        )
        % {
            "answers": number_format(read.answers),
            "judges": len(read.judges),
            "systems": len(chain.systems),
            "identical": number_format(read.identical),
        }
    ]
    if read.excluded_judges:
        notes.append(_without(read.excluded_judges))
    most = most_comparisons(len(chain.systems))
    if chain.order is None:
        notes.append(
            _("Not sorted yet: comparisons closed: %(done)d, still to close at most: %(left)d.")
            % {"done": chain.state.done, "left": chain.state.left_at_most}
        )
    else:
        notes.append(
            _("Sorted by merge insertion with %(done)d comparisons, of %(most)d at most.")
            % {"done": chain.state.done, "most": most}
        )
        notes.append(
            _("No sort can show that judges contradict themselves: compare further pairs for that.")
        )
    notes.append(tests_in_words(2, found.settings.correction, found.settings.level))
    notes += _thin(chain)
    if any(step.result.pooled.error == 0 for step in chain.steps):
        notes.append(
            _(
                "Where all judgments are the same, se[R] is 0 and says nothing: p is that of the exact test."
            )
        )
    if any(
        step.result.pooled.level == "judgments" and len(step.result.judges) > 1
        for step in chain.steps
    ):
        notes.append(
            _(
                "The tests of all judges together take judgments for independent; judges of different taste make them too eager."
            )
        )
    # What the bootstrap drew where fewer than four judges are too few to draw.
    if any(
        step.result.pooled.level in ("segments", "blocks") and len(step.result.judges) > 1
        for step in chain.steps
    ):
        notes.append(
            _(
                "With fewer than four judges, how judges differ is not in the tests of all judges together; judges of different taste make them too eager."
            )
        )
    if any(step.result.p_judges is not None for step in chain.steps):
        notes.append(
            _(
                "p over judges is that of Student’s t over the R of each judge: it also holds with few judges of different taste."
            )
        )
    return notes


def _thin(chain: SortedChain) -> list[str]:
    """Say which comparisons have too few judgments for a test, and that some have for an interval."""
    notes = shortages_in_words(
        {
            f"{step.result.first} : {step.result.second}": Shortage(
                "judgments", step.result.pooled.counts.judgments, FEWEST_TESTED
            )
            for step in chain.steps
            if math.isnan(step.p)
        },
        len(chain.steps),
    )
    if any(step.result.pooled.counts.judgments < FEWEST_NORMAL for step in chain.steps):
        notes.append(
            _(
                "R has an interval from %(needed)s judgments of a comparison on; with fewer, p is at least that of the exact test."
            )
            % {"needed": number_format(FEWEST_NORMAL)}
        )
    return notes


def _without(judges: Iterable[str]) -> str:
    names = list(judges)
    without = ngettext(
        "Without %(count)d judge: %(names)s.", "Without %(count)d judges: %(names)s.", len(names)
    )
    return without % {"count": len(names), "names": ", ".join(names)}


def _open(chain: SortedChain) -> Table:
    begun = {frozenset((step.result.first, step.result.second)): step for step in chain.steps}
    rows: list[tuple[Value, ...]] = []
    for first, second in chain.state.open:
        step = begun.get(frozenset((first, second)))
        there = step.result.pooled.counts.judgments if step else 0
        rows.append((first, second, there, step.decision.missing if step else None))
    return Table(
        name="open",
        title=_("Comparisons to make next"),
        columns=(
            Column("first", _("System"), is_text=True, names="system"),
            Column("second", _("Other"), is_text=True, names="other"),
            Column("judgments", _("Judgments")),
            Column("missing", _("missing")),
        ),
        rows=rows,
        keys=2,
    )


def _order(chain: SortedChain) -> Table:
    return Table(
        name="order",
        title=_("Order of the systems"),
        columns=(
            Column("place", _("Place")),
            Column("system", _("System"), is_text=True, names="system"),
            Column("cluster", _("Cluster")),
        ),
        rows=[
            (place, system, cluster)
            for place, (system, cluster) in enumerate(
                zip(chain.order or (), _clusters(chain), strict=True), 1
            )
        ],
        rules=frozenset(
            place for place, (above, below) in enumerate(pairwise(chain.clusters)) if above != below
        ),
    )


def _clusters(chain: SortedChain) -> Sequence[int | None]:
    return chain.clusters or [None] * len(chain.order or ())


def _pair_columns() -> tuple[Column, ...]:
    return (
        Column("better", _("Better"), is_text=True, names="system"),
        Column("worse", _("Worse"), is_text=True, names="other"),
    )


def _significance_columns() -> tuple[Column, ...]:
    return (
        Column("p_normal", _("p")),
        Column("p_exact", _("Exact p")),
        Column("p_judges", _("p over judges")),
        Column("adjusted_p", _("Corrected p")),
        Column("significant", _("Significant"), is_text=True),
    )


def _significance(step: Step) -> tuple[Value, ...]:
    pooled = step.result.pooled
    return (
        pooled.p("normal"),
        pooled.p("exact"),
        step.result.p_judges,
        step.adjusted_p,
        _yes_no(is_so=step.significant),
    )


def _neighbours(found: SortFound) -> Table:
    level = found.settings.level
    return Table(
        name="neighbours",
        title=_("Neighbours in the order"),
        columns=(
            *_pair_columns(),
            Column("mean", "R"),
            Column("low", _("From")),
            Column("high", _("To")),
            *_significance_columns(),
        ),
        rows=[
            (
                step.result.first,
                step.result.second,
                step.result.pooled.counts.mean,
                *step.result.pooled.interval(level),
                *_significance(step),
            )
            for step in found.chain.neighbours
        ],
        notes=[
            _(
                "Neighbours whose difference is not significant share a cluster: they could be swapped."
            )
        ],
        keys=2,
    )


def _count_columns() -> tuple[Column, ...]:
    return (
        Column("wins", _("Wins")),
        Column("losses", _("Losses")),
        Column("same", _("Same quality")),
        Column("identical", _("Identical")),
        Column("mean", "R"),
        Column("error", "se[R]"),
    )


def _counts(counts: Preference, error: float | None = None) -> tuple[Value, ...]:
    return (
        counts.wins,
        counts.losses,
        counts.same,
        counts.identical,
        counts.mean,
        counts.error if error is None else error,
    )


def _comparisons(found: SortFound) -> Table:
    return Table(
        name="comparisons",
        title=_("Comparisons"),
        columns=(
            *_pair_columns(),
            *_count_columns(),
            *_significance_columns(),
            Column("drawn", _("Drawn by lot"), is_text=True),
        ),
        rows=[
            (
                step.result.first,
                step.result.second,
                *_counts(step.result.pooled.counts, step.result.pooled.error),
                *_significance(step),
                _yes_no(is_so=step.decision.arbitrary),
            )
            for step in found.chain.steps
        ],
        keys=2,
    )


def _verdicts(found: SortFound) -> Table:
    """Return the verdicts that are kept, in the order in which the sort asked for them."""
    notes = []
    if any(found.late.values()):
        notes.append(
            _(
                "Late answers are kept, and change no verdict: their HIT came back after it was closed."
            )
        )
    return Table(
        name="verdicts",
        title=_("Verdicts"),
        columns=(
            *_pair_columns(),
            Column("step", _("Step")),
            Column("judgments", _("Judgments")),
            Column("last", _("Last judgment")),
            Column("late", _("Late answers")),
        ),
        rows=[
            (
                step.result.first,
                step.result.second,
                step.number,
                step.decision.asked,
                found.last[pair],
                found.late.get(pair, 0),
            )
            for step in found.chain.steps
            if (pair := frozenset((step.result.first, step.result.second))) in found.last
        ],
        notes=notes,
        keys=2,
    )


def _majorities(chain: SortedChain) -> Table:
    """Return two rows a comparison: a vote a judge, and a vote a sentence that several judges judged."""
    return Table(
        name="majorities",
        title=_("Majorities of judges, and of judges for each sentence"),
        columns=(
            *_pair_columns(),
            Column("of", _("Votes"), is_text=True),
            Column("wins", _("Wins")),
            Column("losses", _("Losses")),
            Column("ties", _("Ties")),
            Column("p_exact", _("Exact p")),
        ),
        rows=[
            (step.result.first, step.result.second, str(LEVEL_WORDS[of]), *_votes(votes))
            for step in chain.steps
            for of, votes in (
                ("judges", step.result.of_judges),
                ("segments", step.result.of_sentences),
            )
            if votes is not None
        ],
        keys=3,
    )


def _votes(votes: Preference) -> tuple[Value, ...]:
    return (votes.wins, votes.losses, votes.same, votes.p_exact)


def _by_judge(found: SortFound) -> Table:
    level = found.settings.level
    return Table(
        name="judges",
        title=_("Comparisons by judge"),
        columns=(
            *_pair_columns(),
            Column("judge", _("Judge"), is_text=True, names="judge"),
            *_count_columns(),
            Column("p_normal", _("p")),
            Column("p_exact", _("Exact p")),
            Column("significant", _("Significant"), is_text=True),
            Column("against", _("Against all together"), is_text=True),
        ),
        rows=[
            (
                step.result.first,
                step.result.second,
                judge,
                *_counts(counts),
                counts.p_normal,
                counts.p_exact,
                _yes_no(is_so=_p(counts, found.settings) <= level),
                _yes_no(is_so=judge in step.result.against_majority),
            )
            for step in found.chain.steps
            for judge, counts in step.result.judges.items()
        ],
        keys=3,
    )


def _p(counts: Preference, settings: SortSettings) -> float:
    return counts.p_normal if settings.test == "normal" else counts.p_exact


def _remaining(found: SortFound) -> Table:
    return Table(
        name="remaining",
        title=_("Pairs not compared by the sort, the nearest first"),
        columns=(
            *_pair_columns(),
            Column("places", _("Distance")),
            Column("judgments", _("Judgments")),
            Column("mean", "R"),
            Column("p_normal", _("p")),
            Column("p_exact", _("Exact p")),
            Column("contradicts", _("Contradicts the order"), is_text=True),
        ),
        rows=[_remaining_row(each) for each in found.chain.remaining],
        keys=2,
    )


def _remaining_row(each: Remaining) -> tuple[Value, ...]:
    named = (each.better, each.worse, each.places)
    if each.result is None:
        return (*named, None, None, None, None, None)
    pooled = each.result.pooled
    return (
        *named,
        pooled.counts.judgments,
        pooled.counts.mean,
        pooled.p("normal"),
        pooled.p("exact"),
        _yes_no(is_so=each.contradicts),
    )


def _yes_no(*, is_so: bool) -> str:
    return _("yes") if is_so else _("no")


def known_table(chain: SortedChain) -> Table:
    """Return which system is known to be better than which, which comparisons are open, and the places each may take."""
    decided = [step.decision for step in chain.steps]
    verdicts = [Verdict(each.winner, each.loser) for each in decided if each.winner and each.loser]
    known = partial_order(chain.systems, verdicts)
    open_now = {frozenset(pair) for pair in chain.state.open}
    return Table(
        name="known",
        title=_("What the sort knows so far"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("low", _("From place")),
            Column("high", _("To place")),
            *(
                Column(f"against_{number}", name, is_text=True)
                for number, name in enumerate(known.systems, 1)
            ),
        ),
        rows=[
            (
                system,
                *known.places(row),
                *(_sign(known, row, column, open_now) for column in range(len(known.systems))),
            )
            for row, system in enumerate(known.systems)
        ],
        notes=[
            _(
                "+: the system of the row is better than that of the column, −: it is worse; in brackets where that follows from other comparisons. ?: the two are compared now."
            )
        ],
        keys=1,
        plot=Plot(kind="known", label="system", value="low", high="high"),
    )


def _sign(known: PartialOrder, row: int, column: int, open_now: set[frozenset[str]]) -> str:
    if known.better[row, column]:
        return "+" if known.won[row, column] else "(+)"
    if known.better[column, row]:
        return "−" if known.won[column, row] else "(−)"
    return "?" if frozenset((known.systems[row], known.systems[column])) in open_now else ""


def beside_table(beside: OrdersBeside) -> Table:
    """Return the orders by other methods, and how far each agrees with the sort."""
    return Table(
        name="beside",
        title=_("Other orders of the systems"),
        columns=(
            Column("order", _("Method"), is_text=True),
            Column("systems", _("Systems"), is_text=True),
            Column("tau", _("Kendall’s τ")),
        ),
        rows=[
            (_order_name(name), " > ".join(beside.order(name)), beside.tau[SORT, name])
            for name in beside.scores
        ],
    )


def _order_name(name: str) -> str:
    if name == SORT:
        return _("Sorting")
    return str(METHOD_WORDS.get(name, name))


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
