"""Report on the progress of a task's sort and the evidence for its order, for page, REST and command."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.frame.scale.report import CORRECTION
from protocols.frame.tables import files_data, rules_between
from protocols.models import SystemSort
from protocols.sorting.files import ComparisonsRead, read_comparisons
from protocols.sorting.sorts import DEFAULTS, MOST, answers_given, sort_decided, verdict_rule
from protocols.sorting.statistics.chain import SortedChain, SortSettings, Step, sort_judged
from protocols.sorting.statistics.merge_insertion import (
    Pair,
    PartialOrder,
    most_comparisons,
    pair_of,
    partial_order,
)
from protocols.sorting.statistics.verdicts import Decision, VerdictRule, verdicts_of
from ranking.analyses.kind import AnalysisKind, Begin, ChosenJudgments
from ranking.analyses.options import RESAMPLES, SEED, Option, OptionError
from ranking.analyses.ranking import tests_in_words
from ranking.code_version import code_version
from ranking.core.beside import OrderBeside, orders_beside
from ranking.core.ranges import Correction
from ranking.core.rankings.two_systems import (
    FEWEST_NORMAL,
    FEWEST_TESTED,
    ComparisonResult,
    PairJudgments,
    Preference,
    blocks_of,
)
from ranking.core.scores import Shortage
from ranking.files.sources import ReadingProgress
from ranking.reports.inputs import AnswersOfFiles, Input, excluded_notes
from ranking.reports.tables import Column, Plot, Report, Table, Value
from ranking.wording.methods import METHOD_WORDS, shortages_in_words
from ranking.wording.pair_tests import LEVEL_WORDS

TEST = Option(
    name="test",
    label=gettext_lazy("Test"),
    default="normal",
    choices={
        "normal": gettext_lazy("|R| > z · se[R] (as in the paper)"),
        "exact": gettext_lazy("exact sign test"),
    },
    help=gettext_lazy("Test that decides significance between neighbours; both are shown."),
)
ERROR = Option(
    name="error",
    label=gettext_lazy("se[R] accounts for"),
    default="auto",
    choices={
        "auto": gettext_lazy("Segments and judges if judges share segments"),
        "two_way": gettext_lazy("Segments and judges"),
        "judgments": gettext_lazy("Judgments"),
    },
)


#: Described in `docs/commands.md`; 0 and "" mean that an option is not given.
_OF_FILES = (
    Option(name="systems", default=""),
    Option(name="quota", default=0, low=0, high=MOST),
    Option(name="extension", default=DEFAULTS["extension"], low=0, high=MOST),
    Option(name="on_undecided", default="sign", choices={"sign": "", "extend": ""}),
    Option(name="cap", default=0, low=0, high=MOST),
    Option(name="level", default=SortSettings().level, low=0, high=1, is_open=True),
    Option(name="verify", default=False),
    Option(name="beside", default=()),
    RESAMPLES,
    SEED,
)


_SORT: Final = "sort"
#: Methods that score the judgments of a sort. Expected Wins averages over a system's opponents,
#: which differ between systems in a sort; Bradley–Terry accounts for that.
_METHODS: Final = ("expected_wins", "bradley_terry")


@dataclass(frozen=True, kw_only=True)
class SortRead:
    """A sort from a task or from files, with the judgments that its figures are based on.

    Attributes
    ----------
    systems : collection of str
    settings : SortSettings
    read : ComparisonsRead
        For a closed comparison, the judgments behind its verdict; for an open one, those so far.
    decisions : mapping of pair to Decision, or None
        Decision on each comparison of a task, closed or open.
    late : mapping of pair to int
        Number of a task's answers that came after the verdict or do not count.
    last : mapping of pair to int
        Number of the last judgment of each verdict of a task.
    others : mapping of str to sequence of str
        Other orders by name, best first.
    verify : bool
        Whether to list pairs that the sort did not compare.
    """

    systems: Collection[str]
    settings: SortSettings
    read: ComparisonsRead
    decisions: Mapping[Pair, Decision] | None = None
    late: Mapping[Pair, int] = field(default_factory=dict)
    last: Mapping[Pair, int] = field(default_factory=dict)
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    verify: bool = False


#: Progress of a sort, and other orders to compare with it; None until there is an order.
Found = tuple[SortedChain, Mapping[str, OrderBeside] | None]


def _read_files(
    names: Sequence[str],
    options: Mapping[str, Any],
    excluded: Sequence[str],
    progress: ReadingProgress,
) -> SortRead:
    read = read_comparisons(names, exclude_judges=excluded, progress=progress)
    rule = None
    if options["quota"]:
        rule = VerdictRule(
            quota=options["quota"],
            cap=options["cap"] or None,
            **{name: options[name] for name in ("extension", "on_undecided", "test", "level")},
        )
    elif options["on_undecided"] == "extend" or options["cap"]:
        raise OptionError("on_undecided and cap need a quota.", field="quota")
    named = options["systems"]
    return SortRead(
        systems=_names(named) if named else {name for pair in read.judged for name in pair},
        settings=_settings(options, options[SEED.name], rule),
        read=read,
        others=dict(map(_named_order, options["beside"])),
        verify=options["verify"],
    )


def _settings(options: Mapping[str, Any], seed: int, rule: VerdictRule | None) -> SortSettings:
    of_files = {name: options[name] for name in ("level", "resamples") if name in options}
    return SortSettings(
        seed=seed,
        rule=rule,
        test=options[TEST.name],
        correction=Correction(options[CORRECTION.name]),
        error=options[ERROR.name],
        **of_files,
    )


def _named_order(text: str) -> tuple[str, tuple[str, ...]]:
    name, equals, systems = text.partition("=")
    if not name or not equals:
        raise OptionError("Write NAME=A,B,…", field="beside")
    return name, _names(systems)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise OptionError("Remove the empty name between commas.", field="systems")
    return names


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, options: Mapping[str, Any]
) -> SortRead:
    sort = (
        SystemSort.objects.filter(task=task, watermark__lte=watermark).order_by("-number").first()
    )
    if sort is None:
        raise ValueError(_("Nothing sorted yet: no comparison has started."))
    without = judgments.without
    rows = list(sort.verdicts.filter(watermark__lte=watermark).order_by("step"))
    decided, answers = sort_decided(sort, rows, watermark=watermark, without=without)
    used = {pair_of(row.winner, row.loser): set(row.judgments) for row in rows}
    used |= {pair: {each.number for each in own} for pair, own in answers.items()}
    given = answers_given(
        task=task,
        watermark=watermark,
        pairs=decided,
        without=without,
        documents=judgments.documents,
    )
    judged, late = {}, {}
    for pair, decision in decided.items():
        counted = [each for each in given.get(pair, ()) if each.number in used[pair]]
        if counted or decision.winner:
            judged[pair] = PairJudgments.of_rows(
                pair, [(each.judge, each.segment, each.answer) for each in counted]
            )
        if decision.winner:
            others = (each for each in given.get(pair, ()) if each.number not in used[pair])
            late[pair] = sum(each.is_current for each in others)
    return SortRead(
        systems=sort.systems,
        settings=_settings(options, sort.seed, verdict_rule(task)),
        decisions=decided,
        late=late,
        last={pair: max(used[pair], default=0) for pair in late},
        read=ComparisonsRead(judged),
    )


def _find(given: Input | AnswersOfFiles, _options: Mapping[str, Any], begin: Begin) -> Found:
    begin(_("Sorting"))
    read: SortRead = given.answers
    judged = read.read.judged
    chain = sort_judged(read.systems, judged, read.settings, decisions=read.decisions)
    beside = None
    if chain.order is not None:
        blocks = blocks_of(list(judged.values()), chain.order)
        beside = orders_beside(_SORT, chain.order, read.others, blocks=blocks, methods=_METHODS)
    return chain, beside


def _tell(given: Input | AnswersOfFiles, _options: object, found: Found) -> Report:
    """Report the order with its clusters, the result of each comparison, and the open ones."""
    read: SortRead = given.answers
    chain, beside = found
    steps = [_step_data(step, read) for step in chain.steps]
    remaining = chain.remaining if read.verify else []
    tables = [
        _known(chain),
        _open(chain),
        _order(chain),
        _neighbours(steps, chain),
        _comparisons(steps),
        _verdicts(read, chain, steps),
        _majorities(steps),
        _by_judge(steps, read.settings),
        _remaining(remaining, read.settings),
        _beside(beside),
    ]
    return Report(
        notes=_notes(read, chain),
        tables=[table for table in tables if table.rows],
        data={
            "input": {
                "files": files_data(read.read.files),
                **read.read.counted,
                "excluded_judges": read.read.excluded_judges,
                "systems": chain.systems,
            },
            "settings": read.settings,
            "order": chain.order,
            "clusters": chain.clusters,
            "done": chain.state.done,
            "left_at_most": chain.state.left_at_most,
            "most": most_comparisons(len(chain.systems)),
            "open": chain.state.open,
            "comparisons": steps,
            "neighbours": [(step.result.first, step.result.second) for step in chain.neighbours],
            "remaining": [
                {**each, "result": each["result"] and _result_data(each["result"], read.settings)}
                for each in remaining
            ]
            if read.verify
            else None,
            "orders": beside,
            "version": code_version(),
        },
    )


def _notes(sort: SortRead, chain: SortedChain) -> list[str]:
    read, settings = sort.read, sort.settings
    notes = [
        _(
            "Answers: %(answers)s, judges: %(judges)s, systems: %(systems)s, identical outputs: %(identical)s."
        )
        % {
            "systems": len(chain.systems),
            **{name: number_format(number) for name, number in read.counted.items()},
        }
    ]
    notes += excluded_notes(read.excluded_judges)
    if chain.order is None:
        notes.append(
            _("Not sorted yet: %(done)d comparisons closed, at most %(left)d left.")
            % {"done": chain.state.done, "left": chain.state.left_at_most}
        )
    else:
        notes.append(
            _("Sorted by merge insertion with %(done)d of at most %(most)d comparisons.")
            % {"done": chain.state.done, "most": most_comparisons(len(chain.systems))}
        )
        notes.append(
            _("A sort cannot reveal contradictions between judgments; compare more pairs for that.")
        )
    notes.append(tests_in_words(2, settings.correction, settings.level))
    notes += _thin(chain)
    results = [step.result for step in chain.steps]
    levels = {result.pooled.level for result in results if len(result.judges) > 1}
    applying = {
        _("Where all judgments agree, se[R] is 0 and p is from the exact test."): any(
            result.pooled.error == 0 for result in results
        ),
        _(
            "The pooled tests assume independent judgments; they find too many differences if judges disagree in taste."
        ): "judgments" in levels,
        # The bootstrap resampled other units, because there are fewer than four judges.
        _(
            "With fewer than four judges, the pooled tests ignore differences between judges and may find too many differences."
        ): not levels.isdisjoint({"segments", "blocks"}),
        _(
            "p over judges is from Student’s t over each judge’s R; it also holds for few judges who disagree in taste."
        ): any(result.p_judges is not None for result in results),
    }
    return [*notes, *(words for words, applies in applying.items() if applies)]


def _thin(chain: SortedChain) -> list[str]:
    """Return notes on comparisons with too few judgments for a test, or for an interval."""
    there = {
        f"{step.result.first} : {step.result.second}": step.result.pooled.judgments
        for step in chain.steps
    }
    notes = shortages_in_words(
        {
            pair: Shortage("judgments", judgments, FEWEST_TESTED)
            for pair, judgments in there.items()
            if judgments < FEWEST_TESTED
        },
        len(there),
    )
    if min(there.values(), default=FEWEST_NORMAL) < FEWEST_NORMAL:
        notes.append(
            _(
                "R has an interval from %(needed)s judgments per comparison; with fewer, p is at least that of the exact test."
            )
            % {"needed": number_format(FEWEST_NORMAL)}
        )
    return notes


def _open(chain: SortedChain) -> Table:
    begun = {step.pair: step for step in chain.steps}
    rows: list[tuple[Value, ...]] = []
    for first, second in chain.state.open:
        step = begun.get(pair_of(first, second))
        there = step.result.pooled.judgments if step else 0
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
    order = chain.order or ()
    clusters = chain.clusters or [None] * len(order)
    return Table(
        name="order",
        title=_("Order of systems"),
        columns=(
            Column("place", _("Place")),
            Column("system", _("System"), is_text=True, names="system"),
            Column("cluster", _("Cluster")),
        ),
        rows=[(place, *row) for place, row in enumerate(zip(order, clusters, strict=True), 1)],
        rules=rules_between(chain.clusters),
    )


#: Headings of the columns of comparisons, by the keys of their rows.
_HEADINGS: Final[Mapping[str, Any]] = {
    "judge": gettext_lazy("Judge"),
    "votes": gettext_lazy("Votes"),
    "number": gettext_lazy("Step"),
    "places": gettext_lazy("Distance"),
    "judgments": gettext_lazy("Judgments"),
    "last": gettext_lazy("Last judgment"),
    "late": gettext_lazy("Late answers"),
    "wins": gettext_lazy("Wins"),
    "losses": gettext_lazy("Losses"),
    "ties": gettext_lazy("Ties"),
    "same": gettext_lazy("Same quality"),
    "identical": gettext_lazy("Identical"),
    "mean": "R",
    "error": "se[R]",
    "low": gettext_lazy("From"),
    "high": gettext_lazy("To"),
    "p_normal": gettext_lazy("p"),
    "p_exact": gettext_lazy("Exact p"),
    "p_judges": gettext_lazy("p over judges"),
    "adjusted_p": gettext_lazy("Corrected p"),
    "significant": gettext_lazy("Significant"),
    "arbitrary": gettext_lazy("Drawn at random"),
    "against": gettext_lazy("Against the majority"),
    "contradicts": gettext_lazy("Contradicts the order"),
}
_COUNTS: Final = ("wins", "losses", "same", "identical", "mean", "error")
_TESTS: Final = ("p_normal", "p_exact")
_SIGNIFICANCE: Final = (*_TESTS, "p_judges", "adjusted_p", "significant")
_TEXTS: Final = ("judge", "votes")
_YES_NO: Final = ("significant", "arbitrary", "against", "contradicts")
#: Keys of columns in files, where they differ from those of the rows.
_KEYS: Final = {"votes": "of", "number": "step", "arbitrary": "drawn"}


def _of_pairs(
    name: str,
    title: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Iterable[str],
    *,
    keys: int = 2,
    notes: Sequence[str] = (),
) -> Table:
    """Return a table with a row for each pair, the better system first."""
    return Table.of(
        rows,
        name=name,
        title=title,
        columns=(
            Column("better", _("Better"), is_text=True, names="system", of=itemgetter("first")),
            Column("worse", _("Worse"), is_text=True, names="other", of=itemgetter("second")),
            *map(_column, columns),
        ),
        keys=keys,
        notes=notes,
    )


def _column(name: str) -> Column:
    words = {True: _("yes"), False: _("no"), None: None}
    return Column(
        _KEYS.get(name, name),
        str(_HEADINGS[name]),
        is_text=name in (*_TEXTS, *_YES_NO),
        names="judge" if name == "judge" else None,
        of=lambda row: words[row[name]] if name in _YES_NO else row[name],
    )


def _neighbours(steps: Sequence[Mapping[str, Any]], chain: SortedChain) -> Table:
    return _of_pairs(
        "neighbours",
        _("Neighbours"),
        [steps[step.number - 1] for step in chain.neighbours],
        ("mean", "low", "high", *_SIGNIFICANCE),
        notes=[_("Neighbours that do not differ significantly share a cluster.")],
    )


def _comparisons(steps: Sequence[Mapping[str, Any]]) -> Table:
    columns = (*_COUNTS, *_SIGNIFICANCE, "arbitrary")
    return _of_pairs("comparisons", _("Comparisons"), steps, columns)


def _verdicts(read: SortRead, chain: SortedChain, steps: Sequence[Mapping[str, Any]]) -> Table:
    """Return the stored verdicts, in the order in which the sort requested them."""
    notes = []
    if any(read.late.values()):
        notes.append(
            _("Late answers arrived after the verdict; they are kept but do not change it.")
        )
    return _of_pairs(
        "verdicts",
        _("Verdicts"),
        [
            {**row, "judgments": step.decision.asked}
            for step, row in zip(chain.steps, steps, strict=True)
            if "last" in row
        ],
        ("number", "judgments", "last", "late"),
        notes=notes,
    )


def _majorities(steps: Sequence[Mapping[str, Any]]) -> Table:
    """Return two rows per comparison: one vote per judge, and one per sentence that several judges judged."""
    return _of_pairs(
        "majorities",
        _("Majority votes by judge and by sentence"),
        [
            {**row, "votes": str(LEVEL_WORDS[level]), **row[votes], "ties": row[votes]["same"]}
            for row in steps
            for level, votes in (("judges", "of_judges"), ("segments", "of_sentences"))
            if row[votes] is not None
        ],
        ("votes", "wins", "losses", "ties", "p_exact"),
        keys=3,
    )


def _by_judge(steps: Sequence[Mapping[str, Any]], settings: SortSettings) -> Table:
    return _of_pairs(
        "judges",
        _("Comparisons by judge"),
        [
            {
                **row,
                **counts,
                "judge": judge,
                "significant": counts[f"p_{settings.test}"] <= settings.level,
                "against": judge in row["against_majority"],
            }
            for row in steps
            for judge, counts in row["judges"].items()
        ],
        ("judge", *_COUNTS, *_TESTS, "significant", "against"),
        keys=3,
    )


def _remaining(remaining: Sequence[Mapping[str, Any]], settings: SortSettings) -> Table:
    columns = ("places", "judgments", "mean", *_TESTS, "contradicts")
    rows = []
    for each in remaining:
        row = {"first": each["better"], "second": each["worse"], "places": each["places"]}
        if result := each["result"]:
            row |= _result_data(result, settings)
            row |= {"judgments": result.pooled.judgments, "contradicts": each["contradicts"]}
        rows.append(dict.fromkeys(columns) | row)
    return _of_pairs("remaining", _("Pairs not compared by the sort, nearest first"), rows, columns)


def _known(chain: SortedChain) -> Table:
    """Return the known order of each pair of systems, open comparisons, and the possible places of
    each system.
    """
    known = partial_order(chain.systems, verdicts_of(step.decision for step in chain.steps))
    open_now = {pair_of(*pair) for pair in chain.state.open}
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


def _sign(known: PartialOrder, row: int, column: int, open_now: set[Pair]) -> str:
    if known.better[row, column]:
        return "+" if known.won[row, column] else "(+)"
    if known.better[column, row]:
        return "−" if known.won[column, row] else "(−)"
    return "?" if pair_of(known.systems[row], known.systems[column]) in open_now else ""


def _beside(orders: Mapping[str, OrderBeside] | None) -> Table:
    """Return the orders by other methods, and their agreement with the sort."""
    return Table(
        name="beside",
        title=_("Orders by other methods"),
        columns=(
            Column("order", _("Method"), is_text=True),
            Column("systems", _("Systems"), is_text=True),
            Column("tau", _("Kendall’s τ")),
        ),
        rows=[
            (_order_name(name), " > ".join(each.systems), each.tau[_SORT])
            for name, each in (orders or {}).items()
        ],
    )


def _order_name(name: str) -> str:
    if name == _SORT:
        return _("Sorting")
    return str(METHOD_WORDS.get(name, name))


def _step_data(step: Step, read: SortRead) -> dict[str, Any]:
    data = {
        "number": step.number,
        **_result_data(step.result, read.settings),
        "adjusted_p": step.adjusted_p,
        "significant": step.significant,
        "winner": step.decision.winner,
        "missing": step.decision.missing,
        "arbitrary": step.decision.arbitrary,
    }
    if step.pair in read.last:
        data |= {"last": read.last[step.pair], "late": read.late[step.pair]}
    return data


def _result_data(result: ComparisonResult, settings: SortSettings) -> dict[str, Any]:
    low, high = result.pooled.interval(settings.level)
    return {
        "first": result.first,
        "second": result.second,
        **_preference_data(result.pooled),
        "error_level": result.pooled.level,
        "p_judges": result.p_judges,
        "low": low,
        "high": high,
        "judges": {judge: _preference_data(each) for judge, each in result.judges.items()},
        "of_judges": _preference_data(result.of_judges),
        "of_sentences": result.of_sentences and _preference_data(result.of_sentences),
        "against_majority": result.against_majority,
    }


def _preference_data(counts: Preference) -> dict[str, Any]:
    return {name: getattr(counts, name) for name in (*_COUNTS, "z", *_TESTS)}


ANALYSIS = AnalysisKind(
    name="sorting",
    title=gettext_lazy("Sorting"),
    question=gettext_lazy("How far is the sort, and which neighbours differ significantly?"),
    options=(TEST, ERROR, CORRECTION),
    protocols=frozenset({Protocol.SORTING}),
    read=_read,
    find=_find,
    tell=_tell,
    read_files=_read_files,
    file_options=_OF_FILES,
)
