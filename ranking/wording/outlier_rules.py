"""What the rules are called by which judges stand out."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ranking.core.judges.outliers import Rule
from ranking.wording.by_language import by_language


@by_language
def outlier_rule_in_words(rule: str) -> str:
    """Return what a rule of `Rule` is called, or "any" of them; of others, the name itself."""
    return {
        Rule.AGREEMENT.value: pgettext("rule for judges", "agreement"),
        Rule.MEAN_LABEL.value: pgettext("rule for judges", "mean label"),
        Rule.DISTANCE.value: pgettext("rule for judges", "distance"),
        Rule.EASY_ITEMS.value: _("easy sentences"),
        Rule.REFERENCE.value: pgettext("rule for judges", "reference"),
        Rule.TIME.value: pgettext("rule for judges", "time"),
        Rule.SUSPECT.value: pgettext("rule for judges", "suspect"),
        "any": pgettext("rule for judges", "any of them"),
    }.get(rule, rule)
