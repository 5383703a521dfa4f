"""Report on the progress of a task's sort and the evidence for its order, for page, REST and command."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Final

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.frame.lines import AnswersRead
from protocols.frame.scale.report import CORRECTION
from protocols.frame.tables import AnalysisOptions, report_of_answers, rules_between
from protocols.models import SystemSort
from protocols.sorting.answers import MOST, RULES, answers_given, quota_of, sort_decided
from protocols.sorting.files import LINES, Compared, judged_pairs
from ranking.core.beside import OrderBeside, orders_beside
from ranking.core.ranges import Correction
from ranking.core.rankings.two_systems import (
    FEWEST_NORMAL,
    FEWEST_TESTED,
    PairJudgments,
    blocks_of,
)
from ranking.core.scores import Shortage
from ranking.core.sorting import (
    Decision,
    Pair,
    SortedChain,
    SortSettings,
    Verdict,
    most_comparisons,
    pair_of,
    partial_order,
    sort_judged,
)
from ranking.files.sources import ReadingProgress
from ranking.reports.analyses.kind import Begin, ChosenJudgments, ProtocolAnalysis
from ranking.reports.analyses.options import RESAMPLES, SEED, Option, OptionError
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.plots import PartialOrderPlot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    end_columns,
    judge_column,
    system_column,
    yes_no_column,
)
from ranking.reports.wording.methods import METHOD_WORDS, shortages_in_words
from ranking.reports.wording.numbers import all_in_figures, in_figures
from ranking.reports.wording.pair_tests import CORRECTED_WORDS, LEVEL_WORDS

TEST = Option(
    name="test",
    label=gettext_lazy("Test"),
    default="normal",
    choices={
        "normal": gettext_lazy("|R| > z · se[R] (as in the paper)"),
        "exact": gettext_lazy("exact sign test"),
    },
    help=gettext_lazy(
        "Test that decides significance between neighbours; both are shown.",
    ),
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
    Option(name="extension", default=RULES["extension"].initial, low=0, high=MOST),
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
    judged : mapping of pair to PairJudgments
        For a closed comparison, the judgments behind its verdict; for an open one, those so far.
    decisions : mapping of pair to Decision, or None
        Decision on each comparison of a task, closed or open.
    arrived : mapping of pair to dict
        For each verdict of a task, the number of its last judgment ("last"), and of the answers that
        came after the verdict or do not count ("late").
    others : mapping of str to sequence of str
        Other orders by name, best first.
    verify : bool
        Whether to list pairs that the sort did not compare.
    """

    systems: Collection[str]
    settings: SortSettings
    judged: Mapping[Pair, PairJudgments]
    decisions: Mapping[Pair, Decision] | None = None
    arrived: Mapping[Pair, Mapping[str, int]] = field(default_factory=dict)
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    verify: bool = False


#: A comparison or pair, with the keys that `SortedChain` describes.
Step = Mapping[str, Any]

#: The sort that was read, its progress, and other orders to compare with it; None until there is an
#: order.
SortResult = tuple[SortRead, SortedChain, Mapping[str, OrderBeside] | None]


def _sort_from_files(read: AnswersRead[Compared], options: AnalysisOptions) -> SortRead:
    if not read.rows:
        raise ValueError(_("No judgments match these options."))
    if not options["quota"] and (options["on_undecided"] == "extend" or options["cap"]):
        raise OptionError("on_undecided and cap need a quota.", field="quota")
    judged = judged_pairs(read.rows)
    systems: Collection[str] = set().union(*judged)
    if options["systems"]:
        systems = _names(options["systems"])
    names = ("seed", "extension", "on_undecided", "level", "resamples")
    return SortRead(
        systems=systems,
        settings=_settings(
            options,
            quota=options["quota"] or None,
            cap=options["cap"] or None,
            **{name: options[name] for name in names},
        ),
        judged=judged,
        others=dict(map(_named_order, options["beside"])),
        verify=options["verify"],
    )


def _settings(options: AnalysisOptions, **particular: Any) -> SortSettings:
    correction = Correction(options[CORRECTION.name])
    return SortSettings(
        test=options[TEST.name],
        error=options[ERROR.name],
        correction=correction,
        **particular,
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
    task: Task,
    watermark: int,
    judgments: ChosenJudgments,
    options: AnalysisOptions,
) -> SortRead:
    sort = (
        SystemSort.objects.filter(task=task, watermark__lte=watermark)
        .order_by("-number")
        .first()
    )
    if sort is None:
        raise ValueError(_("Nothing sorted yet: no comparison has started."))
    decided, new = sort_decided(sort, watermark=watermark, without=judgments.without)
    used = {}
    for pair, new_answers in new.items():
        used[pair] = {answer.number for answer in new_answers}
    for row in sort.verdicts.filter(watermark__lte=watermark):
        used[pair_of(row.winner, row.loser)] = set(row.judgments)
    answers_by_pair = answers_given(
        task=task,
        pairs=decided,
        documents=judgments.documents,
        watermark=watermark,
        without=judgments.without,
    )
    judged = {}
    arrived = {}
    for pair, decision in decided.items():
        answers = answers_by_pair.get(pair, [])
        counted = [answer for answer in answers if answer.number in used[pair]]
        if counted or decision.winner:
            rows = [
                (comparison.judge, comparison.segment, comparison.answer)
                for comparison in counted
            ]
            judged[pair] = PairJudgments.of_rows(pair, rows)
        if decision.winner:
            late = 0
            for answer in answers:
                if answer.is_current and answer.number not in used[pair]:
                    late += 1
            arrived[pair] = {"last": max(used[pair], default=0), "late": late}
    return SortRead(
        systems=sort.systems,
        settings=_settings(options, seed=sort.seed, **quota_of(task)),
        judged=judged,
        decisions=decided,
        arrived=arrived,
    )


def _find(
    analysis_input: Input | AnswersOfFiles,
    options: AnalysisOptions,
    begin: Begin,
) -> SortResult:
    begin(_("Sorting"))
    sort = analysis_input.answers
    if isinstance(analysis_input, AnswersOfFiles):
        sort = _sort_from_files(analysis_input.answers, options)
    chain = sort_judged(
        sort.systems,
        sort.judged,
        sort.settings,
        decisions=sort.decisions,
    )
    beside = None
    if chain.order is not None:
        blocks = blocks_of(list(sort.judged.values()), chain.order)
        beside = orders_beside(
            _SORT,
            chain.order,
            sort.others,
            blocks=blocks,
            methods=_METHODS,
        )
    return sort, chain, beside


def _tell(
    analysis_input: Input | AnswersOfFiles,
    _options: object,
    result: SortResult,
) -> Report:
    """Report the order with its clusters, the result of each comparison, and the open ones."""
    sort, chain, beside = result
    settings = sort.settings
    steps = []
    for step in chain.steps:
        steps.append({**step, **sort.arrived.get(_pair(step), {})})
    is_corrected = settings.correction is not Correction.NONE
    tests = [*_P_VALUES, *(_SIGNIFICANCE if is_corrected else ())]
    names: set[str] = set()
    identical = 0
    for judged in sort.judged.values():
        names.update(judged.judges)
        identical += int(judged.identical.sum())
    counted = {
        "answers": sum(map(len, sort.judged.values())),
        "judges": len(names),
        "identical": identical,
    }
    remaining = []
    if sort.verify:
        remaining = [_remaining_row(pair) for pair in chain.remaining]
    tables = [
        _known_order(chain),
        _open(chain),
        _order(chain),
        _pairs(
            "neighbours",
            _("Neighbours"),
            chain.neighbours,
            ("mean", "low", "high", *tests),
            notes=[
                _("Neighbours with p above %(level)s share a cluster.")
                % {"level": in_figures(settings.level)},
            ],
        ),
        _pairs("comparisons", _("Comparisons"), steps, (*_COUNTS, *tests, "drawn")),
        _verdicts(steps),
        _majorities(steps),
        _comparisons_by_judge(steps),
        _pairs(
            "remaining",
            _("Pairs not compared by the sort, nearest first"),
            remaining,
            ("places", "judgments", "mean", *_TESTS, "contradicts"),
        ),
        _orders_by_other_methods(beside or {}),
    ]
    filled = []
    for table in tables:
        if table.rows:
            filled.append(table)
    return report_of_answers(
        analysis_input=analysis_input,
        counted={**counted, "systems": chain.systems},
        notes=_notes(chain, settings, {**counted, "systems": len(chain.systems)}),
        tables=filled,
        data={
            "settings": settings,
            "order": chain.order,
            "clusters": chain.clusters,
            "done": chain.state.closed,
            "left_at_most": chain.state.left_at_most,
            "most": most_comparisons(len(chain.systems)),
            "open": chain.state.open,
            "comparisons": steps,
            "neighbours": [(row["first"], row["second"]) for row in chain.neighbours],
            "remaining": chain.remaining if sort.verify else None,
            "orders": beside,
        },
    )


def _notes(
    chain: SortedChain,
    settings: SortSettings,
    counted: Mapping[str, int],
) -> Iterator[str]:
    state = chain.state
    most = most_comparisons(len(chain.systems))
    levels = set()
    fewest = FEWEST_NORMAL
    thin = {}
    for step in chain.steps:
        if len(step["judges"]) > 1:
            levels.add(step["error_level"])
        judgments = step["judgments"]
        fewest = min(fewest, judgments)
        if judgments < FEWEST_TESTED:
            pair = f"{step['first']} : {step['second']}"
            thin[pair] = Shortage("judgments", judgments, FEWEST_TESTED)
    yield _(
        "Answers: %(answers)s, judges: %(judges)s, systems: %(systems)s, identical outputs: %(identical)s.",
    ) % all_in_figures(**counted)
    if chain.order is None:
        yield _(
            "Not sorted yet: %(done)d comparisons closed, at most %(left)d left.",
        ) % {
            "done": state.closed,
            "left": state.left_at_most,
        }
    else:
        yield _(
            "Sorted by merge insertion with %(done)d of at most %(most)d comparisons.",
        ) % {
            "done": state.closed,
            "most": most,
        }
        yield _(
            "A sort cannot reveal contradictions between judgments; compare more pairs for that.",
        )
    yield _(
        "Two-sided tests of each comparison’s judgments, taken as independent, %(correction)s.",
    ) % {"correction": CORRECTED_WORDS[settings.correction]}
    yield from shortages_in_words(thin, len(chain.steps))
    if fewest < FEWEST_NORMAL:
        yield _(
            "Intervals of R need %(needed)s judgments per comparison; with fewer, p is at least that of the exact test.",
        ) % all_in_figures(needed=FEWEST_NORMAL)
    if any(step["error"] == 0 for step in chain.steps):
        yield _("If all judgments agree, se[R] is 0 and p is from the exact test.")
    if "judgments" in levels:
        yield _(
            "The pooled tests assume independent judgments; they find too many differences if judges disagree in taste.",
        )
    # The bootstrap resampled other units, because there are fewer than four judges.
    if levels & {"segments", "blocks"}:
        yield _(
            "With fewer than four judges, the pooled tests ignore differences between judges and may find too many differences.",
        )
    if any(step["p_judges"] is not None for step in chain.steps):
        yield _(
            "p over judges is from Student’s t over each judge’s R; it also holds for few judges who disagree in taste.",
        )


def _known_order(chain: SortedChain) -> Table:
    """Return the known order of each pair of systems, open comparisons, and the possible places of
    each system.
    """
    closed = []
    for step in chain.steps:
        if step["winner"]:
            closed.append(Verdict(step["first"], step["second"]))
    order = partial_order(chain.systems, closed)
    open_now = set()
    for pair in chain.state.open:
        open_now.add(pair_of(*pair))
    is_open = []
    for one in order.systems:
        signs_of_row = []
        for two in order.systems:
            signs_of_row.append(pair_of(one, two) in open_now)
        is_open.append(signs_of_row)
    signs = np.select(
        [order.won, order.better, order.won.T, order.better.T, is_open],
        ["+", "(+)", "−", "(−)", "?"],
        "",
    ).tolist()
    rows = []
    for index, system in enumerate(order.systems):
        rows.append((system, *order.places(index), *signs[index]))
    return Table(
        name="known",
        title=_("Current state of the sort"),
        columns=(
            system_column(),
            Column("low", _("From place")),
            Column("high", _("To place")),
            *(
                Column(f"against_{number}", name, is_text=True)
                for number, name in enumerate(order.systems, 1)
            ),
        ),
        rows=rows,
        notes=[
            _(
                "+: row system is better; −: worse; in brackets: follows from other comparisons; ?: comparison in progress.",
            ),
        ],
        plot=PartialOrderPlot(),
    )


def _open(chain: SortedChain) -> Table:
    begun = {_pair(step): step for step in chain.steps}
    nothing = {"judgments": 0, "missing": None}
    open_rows = []
    for pair in chain.state.open:
        open_rows.append(
            {**begun.get(pair_of(*pair), nothing), "first": pair[0], "second": pair[1]},
        )
    return Table.of(
        open_rows,
        name="open",
        title=_("Next comparisons"),
        columns=(
            Column("first", _("System"), is_text=True, names="system"),
            Column("second", _("Other"), is_text=True, names="other"),
            Column("judgments", _("Judgments")),
            Column("missing", _("Missing")),
        ),
        keys=2,
    )


def _pair(step: Step) -> Pair:
    return pair_of(step["first"], step["second"])


def _order(chain: SortedChain) -> Table:
    order = chain.order or ()
    clusters = chain.clusters or [None] * len(order)
    rows = []
    for rank, row in enumerate(zip(order, clusters, strict=True), 1):
        rows.append((rank, *row))
    return Table(
        name="order",
        title=_("Order of systems"),
        columns=(
            Column("place", _("Place")),
            system_column(),
            Column("cluster", _("Cluster")),
        ),
        rows=rows,
        rules=rules_between(chain.clusters),
    )


_COUNTS: Final = ("wins", "losses", "same", "identical", "mean", "error")
_TESTS: Final = ("p_normal", "p_exact")
_P_VALUES: Final = (*_TESTS, "p_judges")
_SIGNIFICANCE: Final = ("adjusted_p", "significant")


def _pairs(
    name: str,
    title: str,
    rows: Iterable[Step],
    columns: Collection[str],
    **more: Any,
) -> Table:
    """Return a table with a row for each pair, the better system first, and these of all columns."""
    every = (
        judge_column(),
        Column("of", _("Votes"), is_text=True),
        Column("step", _("Step"), of=itemgetter("number")),
        Column("places", _("Distance")),
        Column("judgments", _("Judgments")),
        Column("last", _("Last judgment")),
        Column("late", _("Late answers")),
        Column("wins", _("Wins")),
        Column("losses", _("Losses")),
        Column("ties", _("Ties"), of=itemgetter("same")),
        Column("same", _("Same quality")),
        Column("identical", _("Identical")),
        Column("mean", "R"),
        Column("error", "se[R]"),
        *end_columns(),
        Column("p_normal", _("p")),
        Column("p_exact", _("Exact p")),
        Column("p_judges", _("p over judges")),
        Column("adjusted_p", _("Corrected p")),
        yes_no_column("significant", _("Significant")),
        yes_no_column("drawn", _("Drawn at random"), of=itemgetter("arbitrary")),
        yes_no_column("against", _("Against the majority")),
        yes_no_column("contradicts", _("Contradicts the order")),
    )
    chosen = []
    for column in every:
        if column.key in columns:
            chosen.append(column)
    return Table.of(
        rows,
        name=name,
        title=title,
        columns=(
            Column(
                "better",
                _("Better"),
                is_text=True,
                names="system",
                of=itemgetter("first"),
            ),
            Column(
                "worse",
                _("Worse"),
                is_text=True,
                names="other",
                of=itemgetter("second"),
            ),
            *chosen,
        ),
        **{"keys": 2, **more},
    )


def _verdicts(steps: Sequence[Step]) -> Table:
    """Return the stored verdicts, in the order in which the sort requested them."""
    rows = []
    for row in steps:
        if "last" in row:
            rows.append({**row, "judgments": row["asked"]})
    notes = []
    if any(row["late"] for row in rows):
        notes.append(
            _(
                "Late answers arrived after the verdict; they are kept but do not change it.",
            ),
        )
    return _pairs(
        "verdicts",
        _("Verdicts"),
        rows,
        ("step", "judgments", "last", "late"),
        notes=notes,
    )


def _majorities(steps: Sequence[Step]) -> Table:
    """Return two rows per comparison: one vote per judge, and one per sentence that several judges judged."""
    majority_rows = []
    for row in steps:
        for level, votes in (("judges", "of_judges"), ("segments", "of_sentences")):
            if row[votes] is not None:
                majority_rows.append(
                    {**row, "of": str(LEVEL_WORDS[level]), **row[votes]},
                )
    return _pairs(
        "majorities",
        _("Majority votes by judge and by sentence"),
        majority_rows,
        ("of", "wins", "losses", "ties", "p_exact"),
        keys=3,
    )


def _comparisons_by_judge(steps: Sequence[Step]) -> Table:
    judge_rows = []
    for row in steps:
        for judge, counts in row["judges"].items():
            judge_rows.append(
                {
                    **row,
                    **counts,
                    "judge": judge,
                    "against": judge in row["against_majority"],
                },
            )
    return _pairs(
        "judges",
        _("Comparisons by judge"),
        judge_rows,
        ("judge", *_COUNTS, *_TESTS, "against"),
        keys=3,
    )


def _remaining_row(pair: Step) -> dict[str, object]:
    figures = pair["result"] or dict.fromkeys(("mean", "judgments", *_TESTS))
    contradicts = None
    if pair["result"]:
        contradicts = pair["contradicts"]
    named = {"first": pair["better"], "second": pair["worse"]}
    return {**figures, **pair, **named, "contradicts": contradicts}


def _orders_by_other_methods(orders: Mapping[str, OrderBeside]) -> Table:
    """Return the orders by other methods, and their agreement with the sort."""
    method_labels = {**METHOD_WORDS, _SORT: _("Sorting")}
    rows = []
    for name, ordered in orders.items():
        rows.append(
            (
                str(method_labels.get(name, name)),
                " > ".join(ordered.systems),
                ordered.tau[_SORT],
            ),
        )
    return Table(
        name="beside",
        title=_("Orders by other methods"),
        columns=(
            Column("order", _("Method"), is_text=True),
            Column("systems", _("Systems"), is_text=True),
            Column("tau", _("Kendall’s τ")),
        ),
        rows=rows,
    )


def _read_files(
    names: Sequence[str],
    _options: AnalysisOptions,
    excluded: Sequence[str],
    progress: ReadingProgress,
) -> AnswersRead[Compared]:
    return LINES.read(names, exclude_judges=excluded, progress=progress)


ANALYSIS = ProtocolAnalysis(
    name="sorting",
    title=gettext_lazy("Sorting"),
    question=gettext_lazy(
        "How far has the sort progressed, and which neighbours share a cluster?",
    ),
    options=(TEST, ERROR, CORRECTION),
    protocols=frozenset({Protocol.SORTING}),
    read=_read,
    find=_find,
    tell=_tell,
    read_files=_read_files,
    file_options=_OF_FILES,
)
