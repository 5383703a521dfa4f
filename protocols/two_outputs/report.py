"""Report on choices between two outputs and their agreement (Bojar et al. 2011, §2.5.2), for page, REST and command."""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import TypedDict

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from protocols.frame.lines import AnswersRead
from protocols.frame.tables import analysis_of_lines, report_of_answers
from protocols.two_outputs.files import LINES, OF_FOUR, JudgedPair, choices_arranged
from protocols.two_outputs.statistics import (
    Choice,
    Choices,
    JudgesCompared,
    TwoJudges,
    judges_compared,
)
from ranking.files.records import refuse_unknown
from ranking.reports.analyses.judge_pairs import JUDGE, OTHER
from ranking.reports.analyses.options import Option, OptionError
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.tables import (
    BETWEEN,
    Column,
    Report,
    Table,
    Value,
    end_columns,
    judge_column,
)
from ranking.reports.wording.agreement import kappa_text
from ranking.reports.wording.numbers import all_in_figures


@dataclass(frozen=True)
class TwoOutputsResult:
    """Agreement of judges with the original answers, and with both kinds of ties merged if there
    are two.

    Attributes
    ----------
    choices : Choices
    systems : tuple of two str, optional
        Systems X and Y if all items are about the same two; None for several pairs.
    compared : JudgesCompared
    merged : JudgesCompared or None
        None if "both fine" and "both wrong" are not distinguished.
    """

    choices: Choices
    systems: tuple[str, str] | None
    compared: JudgesCompared
    merged: JudgesCompared | None

    @property
    def four_answers(self) -> bool:
        """True if "both fine" and "both wrong" are distinguished."""
        return self.merged is not None


def two_outputs_result(
    read: AnswersRead[JudgedPair],
    *,
    systems: tuple[str, str] | None = None,
) -> TwoOutputsResult:
    """Compare the judges of a task or of files, by their answers about `systems` if given."""
    choices, pair = choices_arranged(read.rows, systems=systems)
    is_of_four = read.rules.get("four_answers") or any(
        row.answer in OF_FOUR for row in read.rows
    )
    is_mirrored = pair is None
    merged = None
    if is_of_four:
        merged = judges_compared(choices.merged(), is_mirrored=is_mirrored).reported()
    return TwoOutputsResult(
        choices=choices,
        systems=pair,
        compared=judges_compared(choices, is_mirrored=is_mirrored).reported(),
        merged=merged,
    )


class TwoOutputsOptions(TypedDict):
    """Options of the analysis of two outputs; empty if not chosen."""

    system_x: str
    system_y: str
    judge: str
    other: str


def two_outputs_report(
    analysis_input: Input | AnswersOfFiles,
    options: TwoOutputsOptions,
    result: TwoOutputsResult,
) -> Report:
    """Report answers by judge, κ of each pair and of all judges, and a cross-table of two judges'
    answers.
    """
    chosen = _chosen(result.compared, _judges(options))
    tables = [_totals(result), _agreement(result), _pairs(result)]
    tables += [] if chosen is None else [_side_by_side(result, chosen)]
    return report_of_answers(
        analysis_input=analysis_input,
        notes=_notes(result),
        tables=[table for table in tables if table.rows],
        data={
            "systems": result.systems,
            "four_answers": result.four_answers,
            "choices": [choice.name.lower() for choice in Choice],
            "agreement": result.compared,
            "merged": result.merged,
            "side_by_side": chosen,
        },
    )


def _notes(result: TwoOutputsResult) -> Iterator[str]:
    choices = result.choices
    systems = result.systems
    yield _(
        "Answers: %(answers)s; pairs of outputs: %(items)s; judges: %(judges)s.",
    ) % all_in_figures(
        answers=len(choices.item),
        items=choices.items,
        judges=len(choices.judges),
    )
    if systems is None:
        yield _(
            "In each pair, X is the system whose name sorts first. P(E) does not depend on the order.",
        )
    if not result.compared.pairs:
        yield _("No two judges compared the same outputs.")


def _words(result: TwoOutputsResult) -> dict[Choice, str]:
    """Return the names of choices; "both wrong" only if four answers are distinguished."""
    x, y = result.systems or ("X", "Y")
    labels = {
        Choice.X: _("%(system)s is better") % {"system": x},
        Choice.Y: _("%(system)s is better") % {"system": y},
    }
    if result.four_answers:
        return {
            **labels,
            Choice.SAME: _("both fine"),
            Choice.BOTH_WRONG: _("both wrong"),
        }
    return {**labels, Choice.SAME: _("the same")}


def _totals(result: TwoOutputsResult) -> Table:
    labels = _words(result)
    compared = result.compared
    rows: list[list[Value]] = []
    for judge, total in zip(compared.judges, compared.totals, strict=True):
        counts = []
        for choice in labels:
            counts.append(total[choice])
        rows.append([judge, *counts, sum(total)])
    if rows:
        sums = []
        for choice in labels:
            sums.append(sum(total[choice] for total in compared.totals))
        rows.append([_("Total"), *sums, sum(sums)])
    return Table(
        name="answers",
        title=_("Answers by judge"),
        columns=[
            judge_column(),
            *(Column(choice.name.lower(), word) for choice, word in labels.items()),
            Column("answers", _("Answers")),
        ],
        rows=rows,
        rules=frozenset({len(rows) - 2}) if rows else frozenset(),
    )


def _agreement(result: TwoOutputsResult) -> Table:
    rows: list[list[Value]] = [[_("separate"), *_numbers(result.compared)]]
    if result.merged is not None:
        rows.append(
            [_("“both fine” and “both wrong” merged"), *_numbers(result.merged)],
        )
    return Table(
        name="agreement",
        title=_("Overall agreement"),
        columns=[
            Column("answers", _("Answers"), is_text=True),
            Column("pairs", _("Pairs of judges")),
            Column("lowest", _("Lowest κ")),
            Column("highest", _("Highest κ")),
            Column("mean", _("Mean κ")),
            Column("deviation", _("± SD")),
            Column("fleiss", _("Fleiss’ κ")),
            *end_columns(),
            Column("p_agree", _("P(A)")),
            Column("p_chance", _("P(E)")),
            Column("items", _("Pairs of outputs")),
            Column("unanimous", _("Share with full agreement")),
        ],
        rows=rows if result.compared.pairs else [],
    )


def _numbers(compared: JudgesCompared) -> list[Value]:
    together = compared.together
    return [
        len(compared.pairs),
        compared.lowest,
        compared.highest,
        compared.mean,
        compared.deviation,
        kappa_text(together.kappa, together.p_chance, reason=together.reason),
        together.low,
        together.high,
        together.p_agree,
        together.p_chance,
        together.items,
        together.unanimous / together.items if together.items else None,
    ]


def _pairs(result: TwoOutputsResult) -> Table:
    if result.merged:
        merged = {}
        for pair in result.merged.pairs:
            merged[pair.judges] = pair
    else:
        merged = {}

    def names(pair: TwoJudges) -> str:
        return BETWEEN.join(pair.judges)

    def merged_kappa(pair: TwoJudges) -> Value:
        return _kappa(merged[pair.judges])

    columns = [
        Column("judges", _("Judges"), is_text=True, names="judges", of=names),
        Column("items", _("Pairs of outputs")),
        Column("agreeing", _("Agreeing")),
        Column("p_agree", _("P(A)")),
        Column("p_chance", _("P(E)")),
        Column("kappa", _("κ"), of=_kappa),
        *end_columns(),
    ]
    if merged:
        columns.append(Column("merged", _("κ, ties merged"), of=merged_kappa))
    return Table.of(
        result.compared.pairs,
        name="judge_pairs",
        title=_("κ by pair of judges"),
        columns=columns,
    )


def _kappa(pair: TwoJudges) -> Value:
    return kappa_text(pair.kappa, pair.p_chance, reason=pair.reason)


def _chosen(compared: JudgesCompared, judges: tuple[str, ...]) -> TwoJudges | None:
    """Return the pair with all named judges that shares the most items; None if there is no such
    pair.
    """
    named = []
    for pair in compared.pairs:
        if set(judges) <= set(pair.judges):
            named.append(pair)
    return max(named, key=attrgetter("items"), default=None)


def _side_by_side(result: TwoOutputsResult, pair: TwoJudges) -> Table:
    labels = _words(result)
    one, other = pair.judges
    rows: list[list[Value]] = []
    for choice, word in labels.items():
        rows.append(
            [
                word,
                *(pair.table[choice][of_other] for of_other in labels),
                sum(pair.table[choice]),
            ],
        )
    sums = []
    for of_other in labels:
        sum_of_column = 0
        for table_row in pair.table:
            sum_of_column += table_row[of_other]
        sums.append(sum_of_column)
    return Table(
        name="side_by_side",
        title=_("%(one)s (rows) and %(other)s (columns)")
        % {"one": one, "other": other},
        columns=[
            Column("answer", one, is_text=True),
            *(Column(choice.name.lower(), word) for choice, word in labels.items()),
            Column("answers", _("Total")),
        ],
        rows=[*rows, [_("Total"), *sums, pair.items]],
        rules=frozenset({len(rows) - 1}),
    )


SYSTEM_X = Option(
    name="system_x",
    label=gettext_lazy("System X"),
    default="",
    help=gettext_lazy("Leave empty for all pairs of systems."),
)
SYSTEM_Y = Option(name="system_y", label=gettext_lazy("System Y"), default="")


def _check_options(options: TwoOutputsOptions) -> TwoOutputsOptions:
    systems = [options["system_x"], options["system_y"]]
    if any(systems) and (not all(systems) or systems[0] == systems[1]):
        raise OptionError(_("Enter two different systems."), field=SYSTEM_Y.name)
    judges = _judges(options)
    if len(judges) > len(set(judges)):
        raise OptionError(_("Enter two different judges."), field=OTHER.name)
    return options


def _judges(options: TwoOutputsOptions) -> tuple[str, ...]:
    chosen = []
    for name in (options["judge"], options["other"]):
        if name:
            chosen.append(name)
    return tuple(chosen)


def _find(
    analysis_input: Input | AnswersOfFiles,
    options: TwoOutputsOptions,
) -> TwoOutputsResult:
    rows: list[JudgedPair] = analysis_input.answers.rows
    systems = (options["system_x"], options["system_y"])
    if isinstance(analysis_input, AnswersOfFiles) and any(systems):
        names: set[str] = set()
        for row in rows:
            names.update((*row.first, *row.second))
        refuse_unknown("system", systems, names)
    named_systems = None
    if any(systems):
        named_systems = systems
    result = two_outputs_result(analysis_input.answers, systems=named_systems)
    if not result.choices.items:
        raise ValueError(_("No judgments match these options."))
    for name in _judges(options):
        if name not in result.choices.judges:
            raise ValueError(
                _("No judgments by %(names)s match these options.") % {"names": name},
            )
    return result


ANALYSIS = analysis_of_lines(
    LINES,
    name="two_outputs",
    title=gettext_lazy("Two outputs"),
    question=gettext_lazy(
        "How did judges compare two outputs, and how well do they agree?",
    ),
    options=(SYSTEM_X, SYSTEM_Y, JUDGE, OTHER),
    check=_check_options,
    protocols=frozenset({Protocol.TWO_OUTPUTS}),
    step=gettext_lazy("Measuring agreement"),
    find=_find,
    tell=two_outputs_report,
)
