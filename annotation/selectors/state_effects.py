"""What a change of a campaign's state would do now, in numbers and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import JudgmentSequence
from annotation.selectors.at_work import campaign_at_work
from annotation.selectors.judges_needed import JudgesNeeded, judges_needed
from campaign.models import Campaign, CampaignState, Judge, Task, Transition
from campaign.models.state import TRANSITIONS
from campaign.selectors.deletion import goes_with
from campaign.selectors.judged import is_judged

_OPENING: Final = frozenset({Transition.OPEN, Transition.RESUME, Transition.REOPEN})


@dataclass(frozen=True, slots=True)
class StateEffects:
    """What a transition would do now; nothing is changed by asking.

    Attributes
    ----------
    transition : Transition
    is_possible : bool
        From the state the campaign is in.
    judges : int
        Who hold sentences now.
    sentences : int
        That they hold.
    judged : int
        Blocks that were judged, in all.
    judges_needed : sequence of JudgesNeeded
        Of an opening: by those open tasks that take more than one judge.
    facts : sequence of str
    """

    transition: Transition
    is_possible: bool
    judges: int
    sentences: int
    judged: int
    judges_needed: Sequence[JudgesNeeded]
    facts: Sequence[str]


def state_effects(*, campaign: Campaign, transition: Transition) -> StateEffects:
    """Return what a transition of this campaign would do now."""
    now = campaign_at_work(campaign=campaign)
    counted = JudgmentSequence.objects.filter(task__test_set__campaign=campaign)
    judged = counted.aggregate(judged=Sum("judged"))["judged"] or 0
    held = (
        ngettext("%(count)d judge holds", "%(count)d judges hold", now.judges)
        + " "
        + ngettext("%(sentences)d sentence now.", "%(sentences)d sentences now.", now.blocks)
    ) % {"count": now.judges, "sentences": now.blocks}
    needed: list[JudgesNeeded] = []
    if transition in _OPENING:
        open_tasks = list(Task.objects.of(campaign).named().filter(closed_at=None))
        needed = judges_needed(open_tasks)
        facts = _opening(campaign, open_tasks, needed)
    else:
        facts = _facts(campaign, transition, held, judged)
    return StateEffects(
        transition=transition,
        is_possible=CampaignState(campaign.state) in TRANSITIONS[transition][0],
        judges=now.judges,
        sentences=now.blocks,
        judged=judged,
        judges_needed=needed,
        facts=[*_rehearsal(campaign, transition), *facts],
    )


def transitions_possible(campaign: Campaign) -> list[Transition]:
    """Return what can be done to the state of a campaign now; nothing to that of a rehearsal."""
    if campaign.rehearsal_of_id is not None:
        return []
    return [each for each, (sources, _after) in TRANSITIONS.items() if campaign.state in sources]


def _rehearsal(campaign: Campaign, transition: Transition) -> list[str]:
    if transition not in {Transition.OPEN, Transition.DELETE}:
        return []
    if not Campaign.objects.filter(rehearsal_of=campaign).exists():
        return []
    return [_("The rehearsal is deleted for good, with its simulated judges and what they judged.")]


def _facts(campaign: Campaign, transition: Transition, held: str, judged: int) -> list[str]:
    match transition:
        case Transition.PAUSE:
            return [
                held + " " + _("What they submit is kept."),
                _("Nobody gets new sentences; judges read that the campaign is paused."),
            ]
        case Transition.CLOSE:
            return [
                held + " " + _("What they submit is kept."),
                _("Nobody gets new sentences; judges read that the campaign is closed."),
            ]
        case Transition.ARCHIVE:
            return [
                held + " " + _("What they submit is kept, but they get these sentences no more."),
                _("Nobody can change the campaign any more, and it leaves the list of campaigns."),
            ]
        case Transition.UNARCHIVE:
            return [_("It is in the list again and can be changed. It stays closed to judges.")]
        case Transition.DELETE:
            return _deleting(campaign, held, judged)
        case _:
            raise ValueError(transition)


def _opening(
    campaign: Campaign, open_tasks: Sequence[Task], needed: Sequence[JudgesNeeded]
) -> list[str]:
    judges = Judge.objects.filter(
        campaign=campaign, origin=Judge.Origin.PERSON, withdrawn_at=None, declined_at=None
    ).count()
    tasks = len(open_tasks)
    facts = [
        ngettext(
            "%(count)d judge can get sentences at once.",
            "%(count)d judges can get sentences at once.",
            judges,
        )
        % {"count": judges},
        ngettext("%(count)d test set is open.", "%(count)d test sets are open.", tasks)
        % {"count": tasks},
    ]
    if not tasks:
        facts.append(_("Without one, judges find nothing to judge."))
    for each in needed:
        facts += [f"{each.task.called}: {words}" for words in each.words]
    return facts


def _deleting(campaign: Campaign, held: str, judged: int) -> list[str]:
    if not is_judged(campaign=campaign):
        return [
            _("Nobody has judged in it: it is deleted at once, and nothing brings it back."),
            held,
        ]
    return [
        ngettext(
            "%(count)d judged sentence goes to the bin with it.",
            "%(count)d judged sentences go to the bin with it.",
            judged,
        )
        % {"count": judged},
        held + " " + _("What they submit is kept."),
        _("Judges read that it is closed. After 30 days it is deleted for good."),
        *goes_with(campaign),
    ]
