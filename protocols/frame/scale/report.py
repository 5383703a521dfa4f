"""The analysis of ratings, for page, REST and command: its options, and its report of means, agreement and judges."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from campaign.texts.joining import comma_list, labelled
from protocols.frame.lines import AnswersRead
from protocols.frame.scale.agreement_tables import kappas_table, n_agreement_table
from protocols.frame.scale.computed import (
    RatingOptions,
    RatingsResult,
    ratings_result,
    weight_read,
)
from protocols.frame.scale.files import LINES, Rating, easy_items, ratings_arranged
from protocols.frame.scale.judge_tables import (
    judges_table,
    means_without_outliers_table,
    outliers_table,
    removals_table,
)
from protocols.frame.scale.mean_tables import (
    TWO_CRITERIA,
    all_means_table,
    correlations_table,
    means_table,
    weighted_means_table,
)
from protocols.frame.scale.presets import criteria_of
from protocols.frame.scale.statistics.ratings import POINTS, Items
from protocols.frame.tables import analysis_of_lines, report_of_answers
from ranking.core.diagnosis.correlation import SampledCorrelation
from ranking.core.ranges import Correction
from ranking.files.records import refuse_unknown
from ranking.reports.analyses.options import CONFIDENCE, SEED, Option, OptionError
from ranking.reports.correlations import in_figures_with_interval, interval_notes
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.tables import Column, Report, Table
from ranking.reports.wording.numbers import all_in_figures
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
        "Enter a segment number, optionally with a system: “12” or “12 online-a”. If empty, candidates are proposed.",
    ),
)
EASY_BELOW = Option(
    name="easy_below",
    label=gettext_lazy("Minimum rating of easy texts"),
    default=POINTS,
    low=2,
    high=POINTS,
    help=gettext_lazy(
        "On five points; as far below the best rating on other scales. Lower ratings count as missed.",
    ),
)
DEVIATIONS = Option(
    name="deviations",
    label=gettext_lazy("Outlier threshold (standard deviations from the mean)"),
    default=0.0,
    low=0,
    high=100,
    help=gettext_lazy(
        "0 shows figures only. 1 is the rule of Hamon et al. (2007), which also flags about one in six careful judges.",
    ),
)
BY_DIFFERENCE = Option(
    name="by_difference",
    label=gettext_lazy("Compare with other judges"),
    default=False,
    help=gettext_lazy(
        "Uses the mean difference from other judges on the same texts as a judge’s mean score.",
    ),
)
CORRECTION = Option(
    name="correction",
    label=gettext_lazy("Correction for multiple testing"),
    default=Correction.NONE.value,
    choices={
        correction.value: CORRECTION_WORDS[correction]
        for correction in (Correction.NONE, Correction.HOLM)
    },
)
WEIGHTS = Option(
    name="weights",
    label=gettext_lazy("Weights of criteria"),
    default=(),
    help=gettext_lazy(
        "Ranks systems by one criterion, “fluency:1”, or by a weighted mean of several, “fluency:1” and “adequacy:2”. Leave empty for the weights of the task.",
    ),
)
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


def _check_options(options: RatingOptions) -> RatingOptions:
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
                    "“%(given)s” is not a segment number, or a segment number and a system.",
                )
                % {"given": name},
                field=EASY.name,
            )
        easy.append((int(segment), system.strip() or None))
    return easy


def _find(
    analysis_input: Input | AnswersOfFiles,
    options: RatingOptions,
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
        items,
        options["easy"],
        are_all=not (read.excluded_judges or condition),
    )
    return ratings_result(
        ratings,
        options,
        criteria=criteria,
        easy=easy,
        word_counts=_words(analysis_input, items),
    )


def _easy(
    items: Items,
    names: Sequence[str],
    *,
    are_all: bool,
) -> npt.NDArray[np.bool_] | None:
    if not names:
        return None
    named = _easy_named(names)
    for name, system in zip(names, named, strict=True):
        if are_all and not easy_items(items, [system]).any():
            raise ValueError(
                _("No ratings for “%(given)s” match these options.") % {"given": name},
            )
    return easy_items(items, named)


def _words(
    analysis_input: Input | AnswersOfFiles,
    items: Items,
) -> npt.NDArray[np.int64] | None:
    """Return the word count of each text's source; short texts are proposed as easy first."""
    if analysis_input.texts is None:
        return None
    word_counts = analysis_input.texts.words()
    last = int(items.segment.max())
    if last >= len(word_counts):
        raise ValueError(
            _(
                "Segment %(last)d was rated, but the source has only %(segments)d segments.",
            )
            % {"segments": len(word_counts) - 1, "last": last},
        )
    return word_counts[items.segment]


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
    # A screen shows several texts of a segment.
    is_at_once = bool(analysis_input.answers.rules.get("all_at_once"))
    names = result.names
    numbers = []
    for criterion, own in ratings.items():
        numbers.append(labelled(names[criterion], number_format(len(own))))
    notes = [
        _(
            "Texts: %(items)s; segments: %(segments)s; systems: %(systems)s; judges: %(judges)s. Ratings: %(numbers)s.",
        )
        % {"numbers": comma_list(numbers), **all_in_figures(**counted)},
        *(
            _(
                "Warning: %(criterion)s: ratings by judges who rated another text of the same segment: %(count)s.",
            )
            % {"criterion": names[criterion], "count": number_format(number)}
            for criterion, number in met_again.items()
            if number and not is_at_once
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
            result,
            options["confidence"],
            are_outliers_named=options["deviations"] > 0,
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
    reported = {}
    for option in _OPTIONS:
        if option not in (EASY, WEIGHTS):
            reported[option.name] = values[option.name]
    return reported


def _tables(
    result: RatingsResult,
    confidence: float,
    *,
    are_outliers_named: bool,
) -> Iterator[Table]:
    if result.weighted is not None:
        yield weighted_means_table(result.weighted, result.names)
    if len(result.criteria) > 1:
        yield all_means_table(result)
    for criterion, criterion_result in result.criteria.items():
        yield means_table(
            result.names[criterion],
            criterion_result.means,
            name=f"means_{criterion}",
        )
    if len(result.criteria) > TWO_CRITERIA:
        yield correlations_table(result, confidence)
    yield n_agreement_table(result)
    yield kappas_table(result)
    for criterion, criterion_result in result.criteria.items():
        yield judges_table(criterion, result.names[criterion], criterion_result)
    if are_outliers_named:
        yield outliers_table(result)
        yield removals_table(result, confidence)
        for criterion, criterion_result in result.criteria.items():
            yield means_without_outliers_table(
                criterion,
                result.names[criterion],
                criterion_result,
            )
    if len(result.proposed_easy):
        yield _proposed_easy_table(result)


def _notes(result: RatingsResult, options: RatingOptions) -> Iterator[str]:
    if options["merge"]:
        yield _("Points are merged: 1–2, 3, 4–5.")
    if options["standardise"]:
        yield _(
            "Means of values standardised by judge, z = (x − mean) / standard deviation (not in Hamon et al. 2007).",
        )
        for criterion, of_criterion in result.criteria.items():
            if of_criterion.not_standardised:
                yield _(
                    "%(criterion)s: judges whose ratings are all equal are left out: %(names)s.",
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
                "%(later)s and %(one)s: Pearson’s r is %(ratings)s for single ratings and %(systems)s for system means.",
            ) % {
                "later": result.names[later],
                "one": result.names[one],
                "ratings": _correlation_with_interval(correlated.of_ratings),
                "systems": _correlation_with_interval(correlated.of_systems),
            }
            yield from interval_notes([correlated.of_systems], options["confidence"])


def _correlation_with_interval(correlation: SampledCorrelation) -> str:
    if correlation.pearson is None:
        return "–"
    return in_figures_with_interval(
        correlation.pearson,
        correlation.pearson_low,
        correlation.pearson_high,
        2,
    )


def _proposed_items(result: RatingsResult) -> Iterator[tuple[int, list[str]]]:
    items = result.items
    for index in result.proposed_easy.tolist():
        wrote = []
        for name, own in zip(items.systems, items.wrote[index], strict=True):
            if own:
                wrote.append(name)
        yield int(items.segment[index]), wrote


def _proposed_easy_table(result: RatingsResult) -> Table:
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
        "How good are the outputs by each criterion, and how reliable are the judges?",
    ),
    options=_OPTIONS,
    check=_check_options,
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
