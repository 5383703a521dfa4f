"""What pausing or excluding a judge would do now, in words."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import QualityActionKind
from annotation.selectors.at_work import judge_share
from campaign.models import Judge, TestSet
from ranking.pages.formats import share


def stopping_in_words(*, judge: Judge, test_set: TestSet, action: str) -> list[str]:
    """Return sentences on what stopping a judge would do to their work and to the ranking."""
    work = judge_share(judge=judge, test_set=test_set)
    blocks = ngettext("%(count)s block", "%(count)s blocks", work.judged) % {
        "count": number_format(work.judged)
    }
    part = share(work.judged / work.judged_by_all) if work.judged_by_all else share(0.0)
    said = {"judge": judge.pseudonym, "blocks": blocks, "share": part}
    facts = [_("%(judge)s judged %(blocks)s of this test set, %(share)s of all.") % said]
    if action == QualityActionKind.EXCLUDE:
        facts.append(
            _("Every ranking of the campaign will be computed without them; nothing is deleted.")
        )
    facts.append(_("%(judge)s gets no more sentences, in the whole campaign.") % said)
    if work.held:
        facts.append(_("They are at work now: what they still send of the HIT in hand is kept."))
    return facts
