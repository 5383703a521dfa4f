"""A sort as tables with the words around them, and as data for programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from protocols.frame.tables import CellsOf, files_data, rules_between, table_of
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
    Pooled,
    Preference,
)
from protocols.sorting.statistics.merge_insertion import (
    PartialOrder,
    Verdict,
    most_comparisons,
    partial_order,
)
from ranking.analyses.ranking import tests_in_words
from ranking.code_version import code_version
from ranking.core.scores import Shortage
from ranking.reports.inputs import excluded_notes
from ranking.reports.tables import Column, Plot, Report, Table, Value
from ranking.wording.methods import METHOD_WORDS, shortages_in_words
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
    notes += excluded_notes(read.excluded_judges)
    most = most_comparisons(len(chain.systems))
    if chain.order is None:
        notes.append(
            _("Not sorted yet: %(done)d comparisons closed, at most %(left)d left.")
            % {"done": chain.state.done, "left": chain.state.left_at_most}
        )
    else:
        notes.append(
            _("Sorted by merge insertion with %(done)d of at most %(most)d comparisons.")
            % {"done": chain.state.done, "most": most}
        )
        notes.append(
            _("A sort cannot reveal contradictions between judgments; compare more pairs for that.")
        )
    notes.append(tests_in_words(2, found.settings.correction, found.settings.level))
    notes += _thin(chain)
    if any(step.result.pooled.error == 0 for step in chain.steps):
        notes.append(_("Where all judgments agree, se[R] is 0 and p is from the exact test."))
    if any(
        step.result.pooled.level == "judgments" and len(step.result.judges) > 1
        for step in chain.steps
    ):
        notes.append(
            _(
                "The pooled tests assume independent judgments; they find too many differences if judges disagree in taste."
            )
        )
    # What the bootstrap drew where fewer than four judges are too few to draw.
    if any(
        step.result.pooled.level in ("segments", "blocks") and len(step.result.judges) > 1
        for step in chain.steps
    ):
        notes.append(
            _(
                "With fewer than four judges, the pooled tests ignore differences between judges and may find too many differences."
            )
        )
    if any(step.result.p_judges is not None for step in chain.steps):
        notes.append(
            _(
                "p over judges is from Student’s t over each judge’s R; it also holds for few judges who disagree in taste."
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
                "R has an interval from %(needed)s judgments per comparison; with fewer, p is at least that of the exact test."
            )
            % {"needed": number_format(FEWEST_NORMAL)}
        )
    return notes


def _open(chain: SortedChain) -> Table:
    begun = {frozenset((step.result.first, step.result.second)): step for step in chain.steps}
    rows: list[tuple[Value, ...]] = []
    for first, second in chain.state.open:
        step = begun.get(frozenset((first, second)))
        there = step.result.pooled.counts.judgments if step else 0
        rows.append((first, second, there, step.decision.missing if step else None))
    return Table(
        name="open",
        title=_("Next comparisons"),
        columns=(
            Column("first", _("System"), is_text=True, names="system"),
            Column("second", _("Other"), is_text=True, names="other"),
            Column("judgments", _("Judgments")),
            Column("missing", _("Missing")),
        ),
        rows=rows,
        keys=2,
    )


def _order(chain: SortedChain) -> Table:
    return Table(
        name="order",
        title=_("Order of systems"),
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
        rules=rules_between(chain.clusters),
    )


def _clusters(chain: SortedChain) -> Sequence[int | None]:
    return chain.clusters or [None] * len(chain.order or ())


def _pair() -> tuple[CellsOf[Step], ...]:
    return (
        (
            Column("better", _("Better"), is_text=True, names="system"),
            lambda step: step.result.first,
        ),
        (Column("worse", _("Worse"), is_text=True, names="other"), lambda step: step.result.second),
    )


def _significance() -> tuple[CellsOf[Step], ...]:
    return (
        (Column("p_normal", _("p")), lambda step: step.result.pooled.p("normal")),
        (Column("p_exact", _("Exact p")), lambda step: step.result.pooled.p("exact")),
        (Column("p_judges", _("p over judges")), lambda step: step.result.p_judges),
        Column("adjusted_p", _("Corrected p")),
        (
            Column("significant", _("Significant"), is_text=True),
            lambda step: _yes_no(is_so=step.significant),
        ),
    )


def _neighbours(found: SortFound) -> Table:
    level = found.settings.level
    return table_of(
        found.chain.neighbours,
        name="neighbours",
        title=_("Neighbours"),
        columns=(
            *_pair(),
            (Column("mean", "R"), lambda step: step.result.pooled.counts.mean),
            (Column("low", _("From")), lambda step: step.result.pooled.interval(level)[0]),
            (Column("high", _("To")), lambda step: step.result.pooled.interval(level)[1]),
            *_significance(),
        ),
        notes=[_("Neighbours that do not differ significantly share a cluster.")],
        keys=2,
    )


def _counts() -> tuple[CellsOf[Preference], ...]:
    return (
        Column("wins", _("Wins")),
        Column("losses", _("Losses")),
        Column("same", _("Same quality")),
        Column("identical", _("Identical")),
        Column("mean", "R"),
        Column("error", "se[R]"),
    )


def _of(row: CellsOf[Any], part: Callable[[Any], Any]) -> tuple[Column, Callable[[Any], Value]]:
    """Return a column of a part of each row."""
    column, cell = (row, attrgetter(row.key)) if isinstance(row, Column) else row
    return column, lambda whole: cell(part(whole))


def _comparisons(found: SortFound) -> Table:
    *counts, error = (_of(each, lambda step: step.result.pooled.counts) for each in _counts())
    return table_of(
        found.chain.steps,
        name="comparisons",
        title=_("Comparisons"),
        columns=(
            *_pair(),
            *counts,
            (error[0], lambda step: step.result.pooled.error),
            *_significance(),
            (
                Column("drawn", _("Drawn at random"), is_text=True),
                lambda step: _yes_no(is_so=step.decision.arbitrary),
            ),
        ),
        keys=2,
    )


def _verdicts(found: SortFound) -> Table:
    """Return the verdicts that are kept, in the order in which the sort asked for them."""
    notes = []
    if any(found.late.values()):
        notes.append(
            _("Late answers arrived after the verdict; they are kept but do not change it.")
        )
    return table_of(
        [step for step in found.chain.steps if _pair_of(step) in found.last],
        name="verdicts",
        title=_("Verdicts"),
        columns=(
            *_pair(),
            (Column("step", _("Step")), lambda step: step.number),
            (Column("judgments", _("Judgments")), lambda step: step.decision.asked),
            (Column("last", _("Last judgment")), lambda step: found.last[_pair_of(step)]),
            (Column("late", _("Late answers")), lambda step: found.late.get(_pair_of(step), 0)),
        ),
        notes=notes,
        keys=2,
    )


def _pair_of(step: Step) -> frozenset[str]:
    return frozenset((step.result.first, step.result.second))


def _majorities(chain: SortedChain) -> Table:
    """Return two rows a comparison: a vote a judge, and a vote a sentence that several judges judged."""
    return table_of(
        [
            (step, str(LEVEL_WORDS[of]), votes)
            for step in chain.steps
            for of, votes in (
                ("judges", step.result.of_judges),
                ("segments", step.result.of_sentences),
            )
            if votes is not None
        ],
        name="majorities",
        title=_("Majority votes by judge and by sentence"),
        columns=(
            *(_of(each, itemgetter(0)) for each in _pair()),
            (Column("of", _("Votes"), is_text=True), itemgetter(1)),
            (Column("wins", _("Wins")), lambda row: row[2].wins),
            (Column("losses", _("Losses")), lambda row: row[2].losses),
            (Column("ties", _("Ties")), lambda row: row[2].same),
            (Column("p_exact", _("Exact p")), lambda row: row[2].p_exact),
        ),
        keys=3,
    )


def _by_judge(found: SortFound) -> Table:
    level = found.settings.level
    return table_of(
        [
            (step, judge, counts)
            for step in found.chain.steps
            for judge, counts in step.result.judges.items()
        ],
        name="judges",
        title=_("Comparisons by judge"),
        columns=(
            *(_of(each, itemgetter(0)) for each in _pair()),
            (Column("judge", _("Judge"), is_text=True, names="judge"), itemgetter(1)),
            *(_of(each, itemgetter(2)) for each in _counts()),
            (Column("p_normal", _("p")), lambda row: row[2].p_normal),
            (Column("p_exact", _("Exact p")), lambda row: row[2].p_exact),
            (
                Column("significant", _("Significant"), is_text=True),
                lambda row: _yes_no(is_so=_p(row[2], found.settings) <= level),
            ),
            (
                Column("against", _("Against the majority"), is_text=True),
                lambda row: _yes_no(is_so=row[1] in row[0].result.against_majority),
            ),
        ),
        keys=3,
    )


def _p(counts: Preference, settings: SortSettings) -> float:
    return counts.p_normal if settings.test == "normal" else counts.p_exact


def _remaining(found: SortFound) -> Table:
    def pooled(cell: Callable[[Pooled], Value]) -> Callable[[Remaining], Value]:
        return lambda each: None if each.result is None else cell(each.result.pooled)

    return table_of(
        found.chain.remaining,
        name="remaining",
        title=_("Pairs not compared by the sort, nearest first"),
        columns=(
            Column("better", _("Better"), is_text=True, names="system"),
            Column("worse", _("Worse"), is_text=True, names="other"),
            Column("places", _("Distance")),
            (Column("judgments", _("Judgments")), pooled(lambda found: found.counts.judgments)),
            (Column("mean", "R"), pooled(lambda found: found.counts.mean)),
            (Column("p_normal", _("p")), pooled(lambda found: found.p("normal"))),
            (Column("p_exact", _("Exact p")), pooled(lambda found: found.p("exact"))),
            (
                Column("contradicts", _("Contradicts the order"), is_text=True),
                lambda each: None if each.result is None else _yes_no(is_so=each.contradicts),
            ),
        ),
        keys=2,
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
        title=_("Current state of the sort"),
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
                "+: row system is better; −: worse; in brackets: follows from other comparisons; ?: comparison in progress."
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
    return table_of(
        beside.scores,
        name="beside",
        title=_("Orders by other methods"),
        columns=(
            (Column("order", _("Method"), is_text=True), _order_name),
            (
                Column("systems", _("Systems"), is_text=True),
                lambda name: " > ".join(beside.order(name)),
            ),
            (Column("tau", _("Kendall’s τ")), lambda name: beside.tau[SORT, name]),
        ),
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
            "files": files_data(read.files),
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
    pair = _pair_of(step)
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
