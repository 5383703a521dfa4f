"""Report on ratings, for page, REST and command."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from campaign.texts.joining import comma_list, labelled
from protocols.frame.lines import AnswersRead
from protocols.frame.scale.computed import (
    AgreementOf,
    CriterionResult,
    RatingOptions,
    RatingsResult,
    Weighted,
    ratings_result,
    weight_read,
)
from protocols.frame.scale.files import LINES, Rating, easy_items, ratings_arranged
from protocols.frame.scale.presets import criteria_of
from protocols.frame.scale.statistics.agreement import RatingAgreement
from protocols.frame.scale.statistics.judges import RatingJudge
from protocols.frame.scale.statistics.means import MeanRating, MeanRatings
from protocols.frame.scale.statistics.outliers import Removal, Rule
from protocols.frame.scale.statistics.ratings import POINTS, Items
from protocols.frame.tables import analysis_of_lines, report_of_answers, rules_between
from ranking.core.diagnosis.correlation import SampledCorrelation
from ranking.core.ranges import Correction
from ranking.files.records import refuse_unknown
from ranking.reports.analyses.options import CONFIDENCE, SEED, Option, OptionError
from ranking.reports.correlations import (
    correlation_columns,
    in_figures_with_interval,
    interval_notes,
)
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.plots import LinePlot, PointPlot, interval_plot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    Value,
    end_columns,
    estimate_columns,
    judge_column,
    of_part,
    system_column,
)
from ranking.reports.wording.agreement import (
    kappa_text,
    strength_caution,
    strength_in_words,
)
from ranking.reports.wording.methods import shortages_in_words
from ranking.reports.wording.numbers import all_in_figures, decimals, percent_in_figures
from ranking.reports.wording.pair_tests import CORRECTION_WORDS

MERGE = Option(
    name="merge",
    label=gettext_lazy("Merge into three points"),
    default=False,
    help=gettext_lazy("Merges 1 with 2, and 4 with 5, on scales of five points."),
)
STANDARDISE = Option(
    name="standardise",
    label=gettext_lazy("Standardise by judge"),
    default=False,
    help=gettext_lazy("Uses z = (x − mean) / standard deviation of each judge."),
)
EASY = Option(
    name="easy",
    label=gettext_lazy("Easy texts"),
    default=(),
    help=gettext_lazy(
        "Enter a segment number, optionally with a system: “12” or “12 online-a”. If empty, candidates are proposed."
    ),
)
EASY_BELOW = Option(
    name="easy_below",
    label=gettext_lazy("Minimum rating of easy texts"),
    default=POINTS,
    low=2,
    high=POINTS,
    help=gettext_lazy(
        "On five points; as far below the best rating on other scales. Lower ratings count as missed."
    ),
)
DEVIATIONS = Option(
    name="deviations",
    label=gettext_lazy("Outlier threshold (standard deviations from the mean)"),
    default=0.0,
    low=0,
    high=100,
    help=gettext_lazy(
        "0 shows figures only. 1 is the rule of Hamon et al. (2007), which also flags about one in six careful judges."
    ),
)
BY_DIFFERENCE = Option(
    name="by_difference",
    label=gettext_lazy("Compare with other judges"),
    default=False,
    help=gettext_lazy(
        "Uses the mean difference from other judges on the same texts as a judge’s mean score."
    ),
)
CORRECTION = Option(
    name="correction",
    label=gettext_lazy("Correction for multiple testing"),
    default=Correction.NONE.value,
    choices={
        each.value: CORRECTION_WORDS[each]
        for each in (Correction.NONE, Correction.HOLM)
    },
)
WEIGHTS = Option(
    name="weights",
    label=gettext_lazy("Weights of criteria"),
    default=(),
    help=gettext_lazy(
        "Ranks systems by one criterion, “fluency:1”, or by a weighted mean of several, “fluency:1” and “adequacy:2”. Leave empty for the weights of the task."
    ),
)
#: Criteria of which one is compared with the other in a plot and a sentence.
_TWO: Final = 2
_OPTIONS: Final = (
    MERGE,
    STANDARDISE,
    EASY,
    EASY_BELOW,
    DEVIATIONS,
    BY_DIFFERENCE,
    WEIGHTS,
    CORRECTION,
    CONFIDENCE,
    SEED,
)


def _checked(options: RatingOptions) -> RatingOptions:
    _easy_named(options["easy"])
    for weight in options.get("weights", ()):
        try:
            weight_read(weight)
        except ValueError as error:
            raise OptionError(str(error), field=WEIGHTS.name) from error
    return options


def _easy_named(names: Sequence[str]) -> list[tuple[int, str | None]]:
    """Return the segment and system of each text marked as easy. Raises OptionError for an invalid
    name.
    """
    easy: list[tuple[int, str | None]] = []
    for name in names:
        segment, _space, system = name.partition(" ")
        if not (segment.isascii() and segment.isdigit()):
            raise OptionError(
                _(
                    "“%(given)s” is not a segment number, or a segment number and a system."
                )
                % {"given": name},
                field=EASY.name,
            )
        easy.append((int(segment), system.strip() or None))
    return easy


def _find(
    analysis_input: Input | AnswersOfFiles, options: RatingOptions
) -> RatingsResult:
    read: AnswersRead[Rating] = analysis_input.answers
    condition = options.get("condition") or None
    if condition:
        conditions = set()
        for read_row in read.rows:
            conditions.add(read_row.condition or "")
        refuse_unknown("condition", [condition], conditions)
    criteria = criteria_of(read.rules)
    rows = []
    for row in read.rows:
        if condition in (None, row.condition):
            rows.append(row)
    ratings = ratings_arranged(rows, criteria)
    items = next(iter(ratings.values())).items
    # If only part of a file counts, a list for the whole campaign may name excluded items.
    easy = _easy(
        items, options["easy"], are_all=not (read.excluded_judges or condition)
    )
    return ratings_result(
        ratings,
        options,
        criteria=criteria,
        easy=easy,
        word_counts=_words(analysis_input, items),
    )


def _easy(
    items: Items, names: Sequence[str], *, are_all: bool
) -> npt.NDArray[np.bool_] | None:
    if not names:
        return None
    named = _easy_named(names)
    for name, system in zip(names, named, strict=True):
        if are_all and not easy_items(items, [system]).any():
            raise ValueError(
                _("No ratings for “%(given)s” match these options.") % {"given": name}
            )
    return easy_items(items, named)


def _words(
    analysis_input: Input | AnswersOfFiles, items: Items
) -> npt.NDArray[np.int64] | None:
    """Return the word count of each text's source; short texts are proposed as easy first."""
    if analysis_input.texts is None:
        return None
    word_counts = analysis_input.texts.words()
    last = int(items.segment.max())
    if last >= len(word_counts):
        raise ValueError(
            _(
                "Segment %(last)d was rated, but the source has only %(segments)d segments."
            )
            % {"segments": len(word_counts) - 1, "last": last}
        )
    return word_counts[items.segment]


def _rule_in_words(rule: Rule) -> str:
    """Return the name that Hamon et al. (2007) give a rule."""
    return {
        Rule.MEAN_SCORE: _("Mean score"),
        Rule.MEAN_AGREEMENT: _("Mean agreement"),
        Rule.EASY_ITEMS: _("Easy sentences"),
    }[rule]


def _ranges_in_words(means: MeanRatings) -> Iterator[str]:
    """Describe the intervals and rank ranges of mean ratings, and their limits, in sentences."""
    shortages = {}
    for row in means.systems:
        if row.shortage:
            shortages[row.system] = row.shortage
    yield from shortages_in_words(shortages, len(means.systems))
    if len(shortages) == len(means.systems):
        return
    yield _(
        "Intervals: Student’s t over segments and judges (%(confidence)s%% confidence)."
    ) % {"confidence": percent_in_figures(means.confidence)}
    if means.correction is Correction.HOLM:
        yield _("Ranks: simultaneous confidence sets.")
    else:
        yield _("Ranks: a separate confidence set for each system.")
    unsure = []
    for row in means.systems:
        if row.standard_error is None and row.shortage is None:
            unsure.append(row.system)
    if unsure:
        yield _(
            "Warning: no intervals for %(systems)s, because there are too few ratings or all are equal."
        ) % {"systems": comma_list(unsure)}


def _tell(
    analysis_input: Input | AnswersOfFiles,
    options: RatingOptions,
    result: RatingsResult,
) -> Report:
    """Report means, agreement, judges, outliers, and the results without them."""
    ratings = result.ratings
    items = result.items
    counted = {
        "items": len(items),
        "segments": len(set(items.segment.tolist())),
        "systems": len(items.systems),
        "judges": len(next(iter(ratings.values())).judges),
    }
    met_again = {
        criterion: own_ratings.met_again for criterion, own_ratings in ratings.items()
    }
    names = result.names
    numbers = []
    for criterion, own in ratings.items():
        numbers.append(labelled(names[criterion], number_format(len(own))))
    notes = [
        _(
            "Texts: %(items)s; segments: %(segments)s; systems: %(systems)s; judges: %(judges)s. Ratings: %(numbers)s."
        )
        % {"numbers": comma_list(numbers), **all_in_figures(**counted)},
        *(
            _(
                "Warning: %(criterion)s: ratings by judges who rated another text of the same segment: %(count)s."
            )
            % {"criterion": names[criterion], "count": number_format(number)}
            for criterion, number in met_again.items()
            if number
        ),
        *_notes(result, options),
    ]
    more: dict[str, object] = {}
    for (later, one), correlation in result.correlated.items():
        more[f"{later}_and_{one}"] = correlation
    if result.weighted is not None:
        more["weighted"] = result.weighted
    return report_of_answers(
        analysis_input=analysis_input,
        counted={
            **counted,
            "ratings": {criterion: len(own) for criterion, own in ratings.items()},
            "conditions": list(items.conditions),
            "met_again": met_again,
        },
        notes=notes,
        tables=_tables(
            result, options["confidence"], are_outliers_named=options["deviations"] > 0
        ),
        data={
            "options": _options_reported(options),
            "criteria": result.criteria,
            "agreement": result.agreement,
            "outliers_by_both": result.in_all,
            **more,
            "proposed_easy": list(_proposed_items(result)),
        },
    )


def _options_reported(options: RatingOptions) -> dict[str, object]:
    values: Mapping[str, object] = options
    reported = []
    for option in _OPTIONS:
        if option not in (EASY, WEIGHTS):
            reported.append(option.name)
    return {name: values[name] for name in reported}


def _tables(
    result: RatingsResult, confidence: float, *, are_outliers_named: bool
) -> Iterator[Table]:
    if result.weighted is not None:
        yield _weighted_means(result.weighted, result.names)
    for criterion, criterion_result in result.criteria.items():
        yield _means(
            result.names[criterion], criterion_result.means, name=f"means_{criterion}"
        )
    if len(result.criteria) > 1:
        yield _all_means(result)
    if len(result.criteria) > _TWO:
        yield _correlations(result, confidence)
    yield _n_agreement(result)
    yield _kappas(result)
    for criterion, criterion_result in result.criteria.items():
        yield _judges(criterion, result.names[criterion], criterion_result)
    if are_outliers_named:
        yield _outliers(result)
        yield _removals(result, confidence)
        for criterion, criterion_result in result.criteria.items():
            yield _without(criterion, result.names[criterion], criterion_result)
    if len(result.proposed_easy):
        yield _proposed(result)


def _notes(result: RatingsResult, options: RatingOptions) -> Iterator[str]:
    if options["merge"]:
        yield _("Points are merged: 1–2, 3, 4–5.")
    if options["standardise"]:
        yield _(
            "Means of values standardised by judge, z = (x − mean) / standard deviation (not in Hamon et al. 2007)."
        )
        for criterion, of_criterion in result.criteria.items():
            if of_criterion.not_standardised:
                yield _(
                    "%(criterion)s: judges whose ratings are all equal are left out: %(names)s."
                ) % {
                    "criterion": result.names[criterion],
                    "names": comma_list(of_criterion.not_standardised),
                }
    if any(rating.scale.is_continuous for rating in result.ratings.values()):
        yield _("Agreement from 0 to 100 is measured in steps of ten.")
    if len(result.correlated) > 1:
        return
    for (later, one), correlated in result.correlated.items():
        if correlated.of_ratings.pearson is not None:
            yield _(
                "%(later)s and %(one)s: Pearson’s r is %(ratings)s for single ratings and %(systems)s for system means."
            ) % {
                "later": result.names[later],
                "one": result.names[one],
                "ratings": _with_interval(correlated.of_ratings),
                "systems": _with_interval(correlated.of_systems),
            }
            yield from interval_notes([correlated.of_systems], options["confidence"])


def _with_interval(correlation: SampledCorrelation) -> str:
    if correlation.pearson is None:
        return "–"
    return in_figures_with_interval(
        correlation.pearson, correlation.pearson_low, correlation.pearson_high, 2
    )


def _means(title: str, means: MeanRatings, *, name: str) -> Table:
    return Table.of(
        means.systems,
        name=name,
        title=title,
        columns=(
            system_column(),
            Column("mean", _("Mean")),
            *end_columns(),
            Column("rank", _("Rank")),
            *end_columns("rank_"),
            Column("cluster", _("Cluster")),
            Column("ratings", _("Ratings")),
            Column("deviation", "s"),
        ),
        notes=[*_ranges_in_words(means)],
        rules=rules_between([row.cluster for row in means.systems]),
        plot=interval_plot(
            "system",
            "mean",
            start=means.lowest,
            end=means.highest,
            is_whole=means.lowest is not None,
        ),
    )


def _weighted_means(weighted: Weighted, names: Mapping[str, str]) -> Table:
    """Return the systems in the order of their weighted means."""
    weights_in_words = []
    for key, weight in weighted.weights.items():
        weights_in_words.append(labelled(names[key], number_format(weight)))
    weights = comma_list(weights_in_words)
    table = _means(_("Ranking by weights"), weighted.means, name="weighted")
    return replace(
        table, notes=[_("Weights: %(weights)s.") % {"weights": weights}, *table.notes]
    )


def _all_means(result: RatingsResult) -> Table:
    """Return the mean of each system by each criterion; for two criteria, with Figure 1 of Hamon et al. (2007)."""
    means = {}
    for criterion, criterion_result in result.criteria.items():
        of_criterion = {}
        for row in criterion_result.means.systems:
            of_criterion[row.system] = row
        means[criterion] = of_criterion
    first, *others = means
    listed = []
    for name in means[first]:
        if all(name in means[other] for other in others):
            listed.append(name)
    columns = [_system_named()]
    for criterion, of_systems in means.items():
        columns += _mean_columns(criterion, result.names[criterion], of_systems)
    table = Table.of(
        listed, name="systems", title=_("Systems by criteria"), columns=columns
    )
    if len(means) > _TWO:
        return table
    [second] = others
    return replace(
        table,
        name="both",
        title=_("%(later)s against %(one)s")
        % {"later": result.names[second], "one": result.names[first]},
        plot=PointPlot(label="system", value=second, x=first),
    )


def _system_named() -> Column:
    """Return the column of rows that are names of systems."""
    return Column("system", _("System"), is_text=True, names="system", of=str)


def _mean_columns(
    criterion: str, heading: str, means: Mapping[str, MeanRating]
) -> tuple[Column, ...]:
    def mean(name: str) -> float:
        return means[name].mean

    return (
        Column(criterion, heading, of=mean),
        *end_columns(f"{criterion}_", of=means.__getitem__),
    )


class _CorrelationRow(NamedTuple):
    one: str
    other: str
    of_ratings: SampledCorrelation
    of_systems: SampledCorrelation


def _correlations(result: RatingsResult, confidence: float) -> Table:
    """Return the correlation of each two criteria, over ratings and over systems."""
    rows = []
    for (other, one), correlation in result.correlated.items():
        row = _CorrelationRow(
            one=result.names[one],
            other=result.names[other],
            of_ratings=correlation.of_ratings,
            of_systems=correlation.of_systems,
        )
        rows.append(row)
    return Table.of(
        rows,
        name="correlations",
        title=_("Correlation of criteria"),
        columns=(
            Column("one", _("Criterion"), is_text=True),
            Column("other", _("Other criterion"), is_text=True),
            *of_part(
                attrgetter("of_ratings"),
                correlation_columns(
                    confidence,
                    suffix="_ratings",
                    pearson=_("Pearson, ratings"),
                    spearman=_("Spearman, ratings"),
                ),
            ),
            *of_part(
                attrgetter("of_systems"),
                correlation_columns(
                    confidence,
                    suffix="_systems",
                    pearson=_("Pearson, system means"),
                    spearman=_("Spearman, system means"),
                ),
            ),
        ),
        keys=2,
        notes=interval_notes([row.of_systems for row in rows], confidence),
    )


def _part(names: Mapping[str, str]) -> tuple[Column, ...]:
    """Return columns that name the part of the ratings a row describes."""

    def criterion(row: AgreementOf) -> str:
        return names[row.criterion]

    def condition(row: AgreementOf) -> str:
        return row.condition or _("All")

    return (
        Column("criterion", _("Criterion"), is_text=True, of=criterion),
        Column("condition", _("Condition"), is_text=True, of=condition),
        Column("points", _("Points")),
    )


def _n_agreement(result: RatingsResult) -> Table:
    """Return Table 1 of Hamon et al. (2007) with intervals and the values expected by chance."""
    steps = []
    for part in result.agreement:
        for step in part.agreement.n_agreement:
            steps.append((part, step))
    return Table.of(
        steps,
        name="n_agreement",
        title=_("Ratings of the same text that differ by at most n points"),
        columns=(
            *of_part(itemgetter(0), _part(result.names)),
            *of_part(
                itemgetter(1),
                (
                    Column("n", _("n"), is_text=True, of=lambda step: str(step.n)),
                    *estimate_columns(
                        "share", _("Agreeing"), attrgetter("share"), decimals=2
                    ),
                    Column(
                        "chance", _("Chance"), decimals=2, of=attrgetter("expected")
                    ),
                    *estimate_columns(
                        "beyond",
                        _("Beyond chance"),
                        attrgetter("corrected"),
                        ends="beyond_",
                        decimals=2,
                    ),
                ),
            ),
        ),
        keys=4,
        notes=[
            _(
                "With five equally used points, chance gives %(equal)s, %(within_1)s, %(within_2)s, %(within_3)s and 1. Beyond chance: (agreeing − chance) / (1 − chance)."
            )
            % {
                "equal": decimals(0.2, 2),
                "within_1": decimals(0.52, 2),
                "within_2": decimals(0.76, 2),
                "within_3": decimals(0.92, 2),
            },
            *_few_judges(result),
        ],
    )


def _few_judges(result: RatingsResult) -> list[str]:
    if all(
        part.agreement.for_judges or not part.agreement.pairs
        for part in result.agreement
    ):
        return []
    return [_("No intervals for agreement yet: at least 3 judges must share texts.")]


def _kappas(result: RatingsResult) -> Table:
    return Table.of(
        result.agreement,
        name="kappa",
        title=_("Agreement between judges"),
        columns=(
            *_part(result.names),
            *of_part(
                attrgetter("agreement"),
                (
                    Column("kappa", _("κ"), of=_kappa_shown),
                    *end_columns(of=attrgetter("kappa")),
                    Column("strength", _("Strength"), is_text=True, of=_strength),
                    Column("p_observed", _("P(A)")),
                    Column("p_chance", _("P(E)")),
                    Column("alpha", _("ordinal α"), of=_alpha_shown),
                    *end_columns("alpha_", of=attrgetter("alpha")),
                    Column("items", _("Texts")),
                ),
            ),
        ),
        keys=3,
        notes=[strength_caution(), *_few_judges(result)],
    )


def _kappa_shown(agreement: RatingAgreement) -> Value:
    kappa = agreement.kappa
    return kappa_text(kappa.value, agreement.p_chance, reason=kappa.reason)


def _alpha_shown(agreement: RatingAgreement) -> Value:
    alpha = agreement.alpha
    return kappa_text(alpha.value, agreement.p_chance, reason=alpha.reason)


def _strength(agreement: RatingAgreement) -> str | None:
    kappa = agreement.kappa
    return strength_in_words(kappa.value, kappa.low, kappa.high)


def _judges(criterion: str, name: str, criterion_result: CriterionResult) -> Table:
    """Return Figures 2 to 5 of Hamon et al. (2007): judges from the lowest mean to the highest."""

    def rules(row: RatingJudge) -> str:
        rule_labels = []
        for outlier in criterion_result.outliers:
            if row.judge in outlier.outliers:
                rule_labels.append(_rule_in_words(outlier.rule))
        return comma_list(rule_labels)

    return Table.of(
        sorted(criterion_result.judges, key=attrgetter("mean", "judge")),
        name=f"judges_{criterion}",
        title=_("Judges: %(criterion)s") % {"criterion": name},
        columns=(
            judge_column(),
            Column("ratings", _("Ratings")),
            Column("mean", _("Mean"), decimals=2),
            Column("others", _("Others on the same texts"), decimals=2),
            Column("difference", _("Difference"), decimals=2),
            Column("distance", _("Distance"), decimals=2),
            Column("easy", _("Easy texts")),
            Column(
                "easy_missed",
                _("Easy texts missed"),
                decimals=2,
                of=attrgetter("easy_share"),
            ),
            Column("stands_out", _("Outlier by"), is_text=True, of=rules),
        ),
        notes=[_("An outlier is a reason to look closer, not proof of bad work.")],
        plot=LinePlot(label="judge", value="mean"),
    )


def _outliers(result: RatingsResult) -> Table:
    """Return Table 3 of Hamon et al. (2007)."""
    columns = [Column("rule", _("Rule"), is_text=True, of=_rule_in_words)]
    notes = []
    for criterion, of_criterion in result.criteria.items():
        counts = {}
        for outcome in of_criterion.outliers:
            counts[outcome.rule] = len(outcome.outliers)
        columns.append(
            Column(criterion, result.names[criterion], of=counts.__getitem__)
        )
        notes.append(
            _(
                "%(criterion)s: %(both)s outliers by both mean score and mean agreement (%(upper)s above, %(lower)s below)."
            )
            % {
                "criterion": result.names[criterion],
                "both": len(of_criterion.overlap.both),
                "upper": of_criterion.overlap.upper,
                "lower": of_criterion.overlap.lower,
            }
        )
    if result.in_all:
        if len(result.criteria) == _TWO:
            heading = _("Both")
        else:
            heading = _("All")
        counts_in_all = {}
        for rule, judges in result.in_all.items():
            counts_in_all[rule] = len(judges)
        columns.append(Column("both", heading, of=counts_in_all.__getitem__))
    return Table.of(
        Rule, name="outliers", title=_("Outliers by rule"), columns=columns, notes=notes
    )


def _rule_of(removal: Removal) -> str:
    return _rule_in_words(removal.rule)


def _number_of_judges(removal: Removal) -> int:
    return len(removal.judges)


def _removals(result: RatingsResult, confidence: float) -> Table:
    """Return Table 4 of Hamon et al. (2007), with the same for the removed judges alone."""
    removals = []
    for criterion, of_criterion in result.criteria.items():
        for row in of_criterion.removals:
            removals.append((result.names[criterion], row))
    correlations: list[SampledCorrelation] = []
    for _criterion, row in removals:
        correlations.extend((row.correlation, row.correlation_alone))
    return Table.of(
        removals,
        name="removals",
        title=_("System means without outliers"),
        columns=(
            Column("criterion", _("Criterion"), is_text=True, of=itemgetter(0)),
            *of_part(
                itemgetter(1),
                (
                    Column("rule", _("Rule"), is_text=True, of=_rule_of),
                    Column("judges", _("Judges"), of=_number_of_judges),
                    Column("share", _("Share of ratings"), decimals=2),
                    *of_part(
                        attrgetter("correlation"), correlation_columns(confidence)
                    ),
                    *of_part(
                        attrgetter("correlation_alone"),
                        correlation_columns(
                            confidence,
                            suffix="_alone",
                            pearson=_("Pearson, outliers only"),
                            spearman=_("Spearman, outliers only"),
                        ),
                    ),
                    Column("mean_kept", _("Mean without outliers"), decimals=2),
                    Column("mean_removed", _("Mean of outliers"), decimals=2),
                ),
            ),
        ),
        keys=2,
        notes=interval_notes(
            correlations,
            confidence,
        ),
    )


def _without(criterion: str, name: str, criterion_result: CriterionResult) -> Table:
    """Return Figure 7 of Hamon et al. (2007) as a table."""
    official = {}
    for system, mean in criterion_result.removals[0].official.items():
        if mean is not None:
            official[system] = mean
    columns = [
        _system_named(),
        Column("official", _("All judges"), decimals=2, of=official.get),
    ]
    for removal in criterion_result.removals:
        columns.append(
            Column(
                f"without_{removal.rule}",
                _rule_in_words(removal.rule),
                decimals=2,
                of=removal.without.get,
            )
        )
    return Table.of(
        sorted(official, key=lambda system: (-official[system], system)),
        name=f"without_{criterion}",
        title=_("%(criterion)s: system means with and without outliers")
        % {"criterion": name},
        columns=columns,
    )


def _proposed_items(result: RatingsResult) -> Iterator[tuple[int, list[str]]]:
    items = result.items
    for index in result.proposed_easy.tolist():
        wrote = []
        for name, own in zip(items.systems, items.wrote[index], strict=True):
            if own:
                wrote.append(name)
        yield int(items.segment[index]), wrote


def _proposed(result: RatingsResult) -> Table:
    ratings = next(iter(result.ratings.values())).counts().sum(axis=1)
    rows = []
    for (segment, systems), count in zip(
        _proposed_items(result),
        ratings[result.proposed_easy].tolist(),
        strict=True,
    ):
        rows.append((str(segment), comma_list(systems), count))
    return Table(
        name="proposed_easy",
        title=_("Candidates for easy texts: every judge gave the best rating"),
        columns=(
            Column("segment", _("Segment"), is_text=True, names="segment"),
            Column("systems", _("Systems"), is_text=True),
            Column("ratings", _("Ratings")),
        ),
        rows=rows[:20],
        keys=2,
    )


ANALYSIS: Final = analysis_of_lines(
    LINES,
    name=Protocol.RATING.value,
    title=gettext_lazy("Ratings"),
    question=gettext_lazy(
        "How good are the outputs by each criterion, and how reliable are the judges?"
    ),
    options=_OPTIONS,
    check=_checked,
    protocols=frozenset({Protocol.RATING}),
    stands_for_ranking=True,
    step=gettext_lazy("Measuring agreement"),
    find=_find,
    tell=_tell,
    file_options=(
        Option(name="condition", default=""),
        Option(name="source_text", default=""),
    ),
)
