"""Tables of the agreement of judges on ratings."""

from collections.abc import Mapping
from operator import attrgetter, itemgetter

from django.utils.translation import gettext as _

from protocols.frame.scale.computed import AgreementOf, RatingsResult
from protocols.frame.scale.statistics.agreement import RatingAgreement
from ranking.reports.tables import (
    Column,
    Table,
    Value,
    end_columns,
    estimate_columns,
    of_part,
)
from ranking.reports.wording.agreement import (
    kappa_text,
    strength_caution,
    strength_in_words,
)
from ranking.reports.wording.numbers import decimals


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


def n_agreement_table(result: RatingsResult) -> Table:
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
                        "share",
                        _("Agreeing"),
                        attrgetter("share"),
                        decimals=2,
                    ),
                    Column(
                        "chance",
                        _("Chance"),
                        decimals=2,
                        of=attrgetter("expected"),
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
                "With five equally used points, chance gives %(equal)s, %(within_1)s, %(within_2)s, %(within_3)s and 1. Beyond chance: (agreeing − chance) / (1 − chance).",
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


def kappas_table(result: RatingsResult) -> Table:
    """Return κ and α of each criterion and condition."""
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
