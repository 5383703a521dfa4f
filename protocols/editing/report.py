"""Report on the acceptability of edited outputs by system, for page, REST and command."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypedDict

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.models import Protocol
from protocols.editing.files import LINES
from protocols.editing.statistics import (
    FEWEST_EDITS,
    FEWEST_TESTED,
    Acceptability,
    Counting,
    Edit,
    EditedPair,
    EditedSystem,
    Outcome,
    acceptability,
)
from protocols.frame.tables import (
    AnalysisOptions,
    analysis_of_lines,
    one_judge_notes,
    report_of_answers,
)
from ranking.core.agreement.intervals import reported
from ranking.core.judges.shares import Share
from ranking.core.scores import Shortage
from ranking.reports.analyses.options import CONFIDENCE, Option, OptionError
from ranking.reports.correlations import in_figures_with_interval
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.plots import interval_plot
from ranking.reports.tables import Column, Report, Table, end_columns, system_column
from ranking.reports.wording.agreement import kappa_text
from ranking.reports.wording.methods import shortages_in_words
from ranking.reports.wording.numbers import all_in_figures, decimals, percent_in_figures


def _tell(
    analysis_input: Input | AnswersOfFiles,
    _options: AnalysisOptions,
    result: Acceptability,
) -> Report:
    """Report the acceptable edits of each system, without a percentage if there are too few."""
    rows: list[Edit] = analysis_input.answers.rows
    edited = {(edit.segment, edit.judge) for edit in rows}
    acceptors = set()
    own_segment = 0
    uncorrected = []
    for edit in rows:
        for judge, acceptable in edit.acceptances:
            acceptors.add(judge)
            if (edit.segment, judge) in edited:
                own_segment += 1
            if edit.is_unable:
                uncorrected.append(acceptable)
    counted = {
        "edits": len(rows),
        "editors": len({edit.judge for edit in rows}),
        "acceptors": len(acceptors),
    }
    notes = [
        _("Edits: %(edits)s; editors: %(editors)s; acceptors: %(acceptors)s.")
        % all_in_figures(**counted),
        *_notes(rows, result),
    ]
    if own_segment:
        notes.append(
            _(
                "Warning: acceptances by judges who edited another output of the same segment: %(count)s.",
            )
            % all_in_figures(count=own_segment),
        )
    if uncorrected:
        notes.append(
            _("Uncorrected outputs accepted unchanged: %(counted)s.")
            % {"counted": _count_of_total(sum(uncorrected), len(uncorrected))},
        )
    return report_of_answers(
        analysis_input=analysis_input,
        of_files={"segments": len({edit.segment for edit in rows})},
        counted={
            **counted,
            "own_segment": own_segment,
            "uncorrected": {"accepted": sum(uncorrected), "asked": len(uncorrected)},
        },
        notes=notes,
        tables=[_systems(result), _effort(result), _pairs(result)],
        data={"acceptability": result},
    )


def _notes(rows: list[Edit], result: Acceptability) -> Iterator[str]:
    number = result.number
    yield _(
        "Edits per system: %(least)s to %(most)s, mean %(mean)s ± %(deviation)s.",
    ) % {
        "least": number_format(number.least),
        "most": number_format(number.most),
        "mean": decimals(number.mean, 1),
        "deviation": "–" if number.deviation is None else decimals(number.deviation, 1),
    }
    if any(row.share is None for row in result.systems):
        yield ngettext(
            "Systems with fewer than %(count)d edit have no percentage and no rank.",
            "Systems with fewer than %(count)d edits have no percentage and no rank.",
            result.fewest,
        ) % {"count": result.fewest}
    yield from one_judge_notes((edit.systems, edit.judge) for edit in rows)
    acceptors = result.acceptors
    kappa = kappa_text(acceptors.kappa, acceptors.p_chance, reason=acceptors.reason)
    if isinstance(kappa, float):
        kappa = in_figures_with_interval(kappa, acceptors.low, acceptors.high, 2)
    if kappa is not None:
        yield _("Agreement between acceptors: κ %(kappa)s on %(edits)s edits.") % {
            "kappa": kappa,
            "edits": number_format(acceptors.edits),
        }


def _count_of_total(acceptable: int, decided: int) -> str:
    return _("%(done)s of %(asked)s") % all_in_figures(done=acceptable, asked=decided)


def _acceptance_column(
    key: str,
    heading: str,
    of: Callable[[Any], tuple[int, int]],
) -> Column:
    """Return a column of acceptable and decided edits."""

    def counted(row: Any) -> str:
        acceptable, decided = of(row)
        return _count_of_total(acceptable, decided)

    return Column(key, heading, is_text=True, of=counted)


def _percent(key: str, heading: str, of: Callable[[Any], float | None]) -> Column:
    def percent(row: Any) -> float | None:
        share = of(row)
        if share is None:
            return None
        return 100 * share

    return Column(key, heading, decimals=1, of=percent)


def _share_column(
    key: str,
    heading: str,
    of_share: Callable[[Share], float | None],
) -> Column:
    """Return a column about the share of acceptable edits; empty without a share."""

    def of(row: EditedSystem) -> float | None:
        if row.share is None:
            return None
        return of_share(row.share)

    return _percent(key, heading, of)


def _edits_of(outcome: Outcome) -> Callable[[EditedSystem], tuple[int, int]]:
    def counts(row: EditedSystem) -> tuple[int, int]:
        return row.by_outcome[outcome.value]

    return counts


def _counts_of_first(pair: EditedPair) -> tuple[int, int]:
    return pair.counts[0], pair.counts[1]


def _counts_of_second(pair: EditedPair) -> tuple[int, int]:
    return pair.counts[2], pair.counts[3]


def _systems(result: Acceptability) -> Table:
    return Table.of(
        result.systems,
        name="systems",
        title=_("Acceptable edits"),
        columns=(
            system_column(),
            _acceptance_column(
                "acceptable",
                _("Acceptable"),
                attrgetter("acceptable", "decided"),
            ),
            _share_column("percent", "%", attrgetter("value")),
            _share_column("low", _("From"), attrgetter("low")),
            _share_column("high", _("To"), attrgetter("high")),
            Column("rank", _("Rank")),
            *end_columns("rank_"),
            Column("cluster", _("Cluster")),
            _acceptance_column("edited", _("Edited"), _edits_of(Outcome.EDITED)),
            _acceptance_column(
                "unchanged",
                _("Unchanged"),
                _edits_of(Outcome.UNCHANGED),
            ),
            Column("unable", _("Unable")),
            Column("split", _("Split")),
            Column("open", _("Undecided")),
        ),
        notes=[
            _(
                "Outputs that could not be edited count as not acceptable. Intervals: Clopper–Pearson on the effective number of edits, clustered by segment and editor (%(confidence)s%% confidence).",
            )
            % {"confidence": percent_in_figures(result.confidence)},
            *_counting(result.counting),
        ],
        plot=interval_plot("system", "percent"),
    )


def _counting(counting: Counting) -> list[str]:
    if counting is Counting.MAJORITY:
        return [_("An edit is acceptable if more than half of its acceptors say so.")]
    return [
        _("The percentage counts every acceptance separately."),
        _("Ranks have no ranges, because the tests compare majorities."),
    ]


def _effort(result: Acceptability) -> Table:
    return Table.of(
        result.systems,
        name="effort",
        title=_("Editing effort"),
        columns=(
            system_column(),
            Column("edits", _("Edits")),
            _percent("unchanged", _("Unchanged, %"), attrgetter("share_unchanged")),
            Column("characters", _("Characters changed per 100"), decimals=1),
            Column("median_seconds", _("Seconds"), decimals=1),
        ),
    )


def _pairs(result: Acceptability) -> Table:
    shortages = {}
    for row in result.systems:
        if row.decided < FEWEST_TESTED:
            shortages[row.system] = Shortage("edits", row.decided, FEWEST_TESTED)
    return Table.of(
        result.pairs,
        name="pairs",
        title=_("Pairs of systems: Fisher’s exact test"),
        columns=(
            Column("first", _("System"), is_text=True, names="system"),
            _acceptance_column("first_acceptable", _("Acceptable"), _counts_of_first),
            Column("second", _("System"), is_text=True, names="other"),
            _acceptance_column("second_acceptable", _("Acceptable"), _counts_of_second),
            Column("p", _("p"), of=attrgetter("p_value")),
            Column("adjusted_p", _("Corrected p")),
        ),
        keys=3,
        notes=[
            _("Two-sided, Holm-corrected; assumes independent edits."),
            *shortages_in_words(shortages, len(result.systems)),
        ],
    )


FEWEST = Option(
    name="fewest",
    label=gettext_lazy("Minimum edits"),
    default=FEWEST_EDITS,
    low=1,
    high=10_000,
)
ACCEPTANCES = Option(
    name="acceptances",
    label=gettext_lazy("Several acceptances per edit"),
    default=Counting.MAJORITY.value,
    choices={
        Counting.MAJORITY.value: gettext_lazy("majority"),
        Counting.MEAN.value: gettext_lazy("each counted separately"),
    },
)


class EditingOptions(TypedDict):
    """Options of the analysis of edits."""

    fewest: int
    acceptances: str
    confidence: float


def _find(
    analysis_input: Input | AnswersOfFiles,
    options: EditingOptions,
) -> Acceptability:
    if (
        isinstance(analysis_input, AnswersOfFiles)
        and analysis_input.answers.excluded_judges
    ):
        raise OptionError(
            "judges cannot be excluded from edits.",
            field="exclude_judge",
        )
    result = acceptability(
        analysis_input.answers.rows,
        fewest=options["fewest"],
        counting=Counting(options["acceptances"]),
        confidence=options["confidence"],
    )
    return replace(result, acceptors=reported(result.acceptors))


ANALYSIS = analysis_of_lines(
    LINES,
    name="editing",
    title=gettext_lazy("Acceptable edits"),
    question=gettext_lazy(
        "How often can each system’s output be edited into acceptable text?",
    ),
    options=(FEWEST, ACCEPTANCES, CONFIDENCE),
    protocols=frozenset({Protocol.EDITING}),
    stands_for_ranking=True,
    step=gettext_lazy("Counting"),
    find=_find,
    tell=_tell,
)
