"""What rules would do, or did, in words: for pages, commands and REST alike."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.judge_measures import JudgeMeasure
from annotation.models import QualityActionKind
from ranking.pages.summary import names_in_a_row
from ranking.selectors.rule_effects import RuleEffects

_OF_THE_REFERENCE = {
    JudgeMeasure.REFERENCE,
    JudgeMeasure.REFERENCE_RANDOM,
    JudgeMeasure.REFERENCE_IGNORED,
}


def effects_in_words(effects: RuleEffects) -> list[str]:
    """Return sentences on what rules would do now, each with all the judges it is about."""
    if not effects.measured:
        return [
            _(
                "No judge is measured yet. The rule acts after a later ranking; where rules would "
                "pause or exclude more than one in five judges, they wait and ask you first."
            )
        ]
    said = [_sentence(action, effects) for action in QualityActionKind if effects.names(action)]
    missing = _without_reference(effects)
    if said:
        return said + missing
    nobody = ngettext(
        "Nobody: the %(count)s judge measured does not break it.",
        "Nobody: none of the %(count)s judges measured breaks it.",
        effects.measured,
    )
    return [nobody % {"count": number_format(effects.measured)}, *missing]


def _without_reference(effects: RuleEffects) -> list[str]:
    return [
        _("“%(measure)s” has no data: the reference was not among the outputs.")
        % {"measure": JudgeMeasure(measure).label}
        for measure in effects.without_data
        if measure in _OF_THE_REFERENCE
    ]


def confirmation_in_words(effects: RuleEffects) -> str:
    """Return what an organiser ticks before more than one in five judges are met."""
    met = len({act.judge.pk for act in effects.acts})
    words = ngettext(
        "Yes, act on this %(count)s of %(measured)s judges.",
        "Yes, act on these %(count)s of %(measured)s judges.",
        met,
    )
    return words % {"count": number_format(met), "measured": number_format(effects.measured)}


def _sentence(action: str, effects: RuleEffects) -> str:
    names = effects.names(action)
    sentence = {
        QualityActionKind.WARN: _("It would warn %(count)s of %(judges)s: %(names)s."),
        QualityActionKind.PAUSE: _("It would pause %(count)s of %(judges)s: %(names)s."),
        QualityActionKind.EXCLUDE: _("It would exclude %(count)s of %(judges)s: %(names)s."),
    }[QualityActionKind(action)]
    judges = ngettext("%(count)s judge", "%(count)s judges", effects.measured)
    return sentence % {
        "count": number_format(len(names)),
        "judges": judges % {"count": number_format(effects.measured)},
        "names": names_in_a_row(names),
    }
