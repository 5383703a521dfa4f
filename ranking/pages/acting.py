"""What a decision about judges would do now, and what it did, in words."""

from collections.abc import Sequence

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import QualityActionKind
from annotation.selectors.at_work import judges_share
from annotation.services import REINSTATE, Decided
from campaign.models import Judge, Task
from ranking.pages.formats import share
from ranking.pages.summary import names_in_a_row
from ranking.selectors.rule_effects import STANDS_ASIDE

#: More names than this are counted.
_MOST_NAMES = 20


def deciding_in_words(
    *, judges: Sequence[Judge], task: Task, action: str, text: str = ""
) -> list[str]:
    """Return sentences on what a decision would do to these judges, their work and the ranking."""
    work = judges_share(judges=judges, task=task)
    blocks = ngettext("%(count)s block", "%(count)s blocks", work.judged) % {
        "count": number_format(work.judged)
    }
    said = {
        "judge": judged_by(judges),
        "blocks": blocks,
        "share": share(work.judged / work.judged_by_all if work.judged_by_all else 0.0),
    }
    facts = [_("%(judge)s judged %(blocks)s of this test set, %(share)s of all.") % said]
    if action == QualityActionKind.EXCLUDE:
        facts.append(
            _("Every ranking of the campaign will be computed without them; nothing is deleted.")
        )
    facts.append(_what_follows(action) % said)
    if text:
        facts.append(f"“{text}”")
    if action in STANDS_ASIDE and work.at_work:
        facts.append(_("They are at work now: what they still send of the HIT in hand is kept."))
    return facts


def _what_follows(action: str) -> str:
    if action in STANDS_ASIDE:
        return _("%(judge)s gets no more sentences, in the whole campaign.")
    return {
        QualityActionKind.WARN.value: _(
            "%(judge)s goes on, and reads a friendly note on their page."
        ),
        QualityActionKind.AGAIN.value: _(
            "%(judge)s is asked to look at their latest rankings again. What they change counts in place of what "
            "it was; both are kept."
        ),
        QualityActionKind.MESSAGE.value: _(
            "%(judge)s reads this with their sentences for a week, and on “Your time” until you take it back:"
        ),
        REINSTATE: _(
            "What stands against %(judge)s is reverted: they get sentences, and their judgments count."
        ),
    }[str(action)]


def judged_by(judges: Sequence[Judge]) -> str:
    """Return the names of judges, or the number of many."""
    if len(judges) > _MOST_NAMES:
        return ngettext("%(count)s judge", "%(count)s judges", len(judges)) % {
            "count": number_format(len(judges))
        }
    return names_in_a_row([judge.pseudonym for judge in judges])


def title_of(action: str) -> str:
    """Return what a decision is called, with a place for the names of the judges."""
    return {
        QualityActionKind.WARN.value: _("Warn %(judge)s"),
        QualityActionKind.PAUSE.value: _("Pause %(judge)s"),
        QualityActionKind.EXCLUDE.value: _("Exclude %(judge)s"),
        QualityActionKind.AGAIN.value: _("Ask %(judge)s to judge again"),
        QualityActionKind.MESSAGE.value: _("Write to %(judge)s"),
        REINSTATE: _("Reinstate %(judge)s"),
    }[str(action)]


def button_of(action: str) -> str:
    """Return the words of the button that does it."""
    return {
        QualityActionKind.WARN.value: _("Warn"),
        QualityActionKind.PAUSE.value: _("Pause the judge"),
        QualityActionKind.EXCLUDE.value: _("Exclude the judge"),
        QualityActionKind.AGAIN.value: _("Ask to judge again"),
        QualityActionKind.MESSAGE.value: _("Send the message"),
        REINSTATE: _("Reinstate"),
    }[str(action)]


def done_in_words(action: str, judges: Sequence[Judge]) -> str:
    """Return a sentence on what a decision did."""
    return {
        QualityActionKind.WARN.value: _(
            "%(judge)s is warned: they see a friendly note on their page."
        ),
        QualityActionKind.PAUSE.value: _("%(judge)s is paused and gets no more sentences."),
        QualityActionKind.EXCLUDE.value: _(
            "%(judge)s is excluded. The ranking is being recomputed without them; nothing "
            "is deleted."
        ),
        QualityActionKind.AGAIN.value: _("%(judge)s is asked to judge again."),
        QualityActionKind.MESSAGE.value: _("%(judge)s can read your message."),
        REINSTATE: _("%(judge)s is reinstated."),
    }[str(action)] % {"judge": judged_by(judges)}


def refused_in_words(decided: Decided) -> list[str]:
    """Return a sentence for each reason why judges were left as they are."""
    reasons: dict[str, list[Judge]] = {}
    for judge, reason in decided.refused:
        reasons.setdefault(reason, []).append(judge)
    return [f"{judged_by(judges)}: {reason}" for reason, judges in reasons.items()]
