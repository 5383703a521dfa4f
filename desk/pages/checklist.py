"""The checklist of a draft campaign."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import TextChoices
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.selectors.tasks import Preparation, design_in_words
from campaign.formats.recognising import FEWEST_SYSTEMS
from campaign.models import (
    Campaign,
    Protocol,
    Transition,
)
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, labelled

#: Pages on which an organiser says what judges of a protocol are asked.
_SCHEMES: Final = {
    Protocol.RATING: (gettext_lazy("Criteria"), "criteria"),
    Protocol.SPANS: (gettext_lazy("Error categories"), "error-scheme"),
}


class StepState(TextChoices):
    """State of a step of the checklist."""

    DONE = "done", pgettext_lazy("step", "done")
    MISSING = "missing", pgettext_lazy("step", "missing")
    WRONG = "wrong", gettext_lazy("needs fixing")
    OPTIONAL = "optional", gettext_lazy("optional")


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the checklist: its topic, state, link to continue, and link to view.

    With `begins`, the address is that of an action instead of a page. A step that is not possible yet has no `button`.
    """

    name: str
    state: StepState
    said: Sequence[str]
    button: str
    address: str
    see: str = ""
    see_address: str = ""
    begins: bool = False

    @property
    def is_needed(self) -> bool:
        """True if the campaign cannot open without this step."""
        return self.state in {StepState.MISSING, StepState.WRONG}


def steps_of(campaign: Campaign, preparation: Preparation) -> list[Step]:
    """Return the checklist of a draft, in working order."""
    steps = [
        _texts(campaign, preparation),
        _systems(campaign, preparation),
        _design(campaign, preparation),
        _people(campaign, preparation),
        _instructions(campaign, preparation),
    ]
    return [
        *steps,
        _as_judge(campaign, preparation),
        _rehearsal(campaign, preparation),
        _opening(campaign, preparation, steps),
    ]


def _texts(campaign: Campaign, preparation: Preparation) -> Step:
    lines = [
        _("%(name)s: %(segments)s segments")
        % {"name": row.test_set.name, "segments": number_format(row.segment_count)}
        for row in _test_sets(preparation)
    ]
    address = reverse("test-sets", args=[campaign.slug])
    # Once there is a test set, an abandoned upload is no longer a step; the page of test sets
    # lists it.
    if lines:
        return Step(_("Texts"), StepState.DONE, lines, _("Add texts"), address)
    if not preparation.uploads:
        return Step(
            _("Texts"),
            StepState.MISSING,
            [_("Source, reference and output files")],
            _("Add texts"),
            reverse("upload-new", args=[campaign.slug]),
            begins=True,
        )
    lines.append(
        _("An import failed. Open it to see the error.")
        if preparation.failed
        else counted(
            "%(count)d unfinished upload",
            "%(count)d unfinished uploads",
            len(preparation.uploads),
        )
    )
    return Step(
        _("Texts"),
        StepState.WRONG if preparation.failed else StepState.MISSING,
        lines,
        _("Continue upload"),
        reverse("upload", args=[campaign.slug, preparation.uploads[0].pk]),
    )


def _test_sets(preparation: Preparation) -> list[Any]:
    """Return one row per test set, regardless of its tasks."""
    rows: dict[int, Any] = {}
    for row in preparation.tasks:
        rows.setdefault(row.test_set_id, row)
    return list(rows.values())


def _systems(campaign: Campaign, preparation: Preparation) -> Step:
    counts = [(row.test_set.name, row.system_count) for row in _test_sets(preparation)]
    few = [name for name, count in counts if count < FEWEST_SYSTEMS]
    lines = [
        counted(
            "%(name)s: %(count)d system",
            "%(name)s: %(count)d systems",
            count,
            name=name,
        )
        for name, count in counts
    ]
    if few:
        lines.append(
            _("%(names)s: at least two systems are needed") % {"names": comma_list(few)}
        )
    state = StepState.WRONG if few else StepState.DONE
    return Step(
        _("Systems"),
        state if preparation.tasks else StepState.MISSING,
        lines or [_("Imported with the texts")],
        _("View test sets") if preparation.tasks else "",
        reverse("test-sets", args=[campaign.slug]),
    )


def _design(campaign: Campaign, preparation: Preparation) -> Step:
    lines = [
        _("%(name)s: %(design)s")
        % {
            "name": row.called,
            "design": design_in_words(row.drawn_by) or _("Default"),
        }
        for row in preparation.tasks
    ]
    only = None
    if len(preparation.tasks) == 1:
        only = preparation.tasks[0]
    see = ""
    see_address = ""
    if only and only.protocol in _SCHEMES:
        words, page = _SCHEMES[only.protocol]
        see = str(words)
        see_address = reverse(page, args=[campaign.slug, only.pk])
    if preparation.tasks:
        several = _("View test sets")
    else:
        several = ""
    return Step(
        _("Design"),
        StepState.DONE if preparation.tasks else StepState.OPTIONAL,
        lines or [_("How blocks are drawn (optional: there is a default)")],
        _("Choose design") if only else several,
        reverse("design", args=[campaign.slug, only.pk])
        if only
        else reverse("test-sets", args=[campaign.slug]),
        see=see,
        see_address=see_address,
    )


def _people(campaign: Campaign, preparation: Preparation) -> Step:
    lines = [
        counted("%(count)s judge", "%(count)s judges", preparation.judges),
        counted("%(count)d shared link", "%(count)d shared links", preparation.links),
    ]
    if preparation.unread:
        names = comma_list(
            dict.fromkeys(row.test_set.name for row in preparation.unread)
        )
        lines.append(
            _("No judge reads both languages of %(names)s.") % {"names": names}
        )
    for needed in preparation.needed:
        lines += [labelled(needed.task.called, words) for words in needed.words]
    has_people = preparation.judges or preparation.links
    if has_people:
        state = StepState.DONE
    else:
        state = StepState.MISSING
    is_short = bool(preparation.judges) and not all(
        needed.is_feasible for needed in preparation.needed
    )
    return Step(
        _("People"),
        StepState.WRONG
        if (preparation.unread or is_short) and not preparation.links
        else state,
        lines,
        _("Invite judges"),
        reverse("invitations", args=[campaign.slug]),
    )


def _instructions(campaign: Campaign, preparation: Preparation) -> Step:
    count = preparation.languages_of_instructions
    message = counted("In %(count)d language", "In %(count)d languages", count)
    return Step(
        _("Instructions"),
        StepState.DONE if count else StepState.OPTIONAL,
        [
            message
            if count
            else _("Without instructions, judges only see how the page works.")
        ],
        _("Write instructions"),
        reverse("instructions", args=[campaign.slug]),
    )


def _as_judge(campaign: Campaign, preparation: Preparation) -> Step:
    return Step(
        _("Preview as judge"),
        StepState.OPTIONAL,
        [_("The judging page with your texts; nothing is saved")],
        _("Preview as judge") if preparation.tasks else "",
        reverse("campaign-preview", args=[campaign.slug]),
    )


def _rehearsal(campaign: Campaign, preparation: Preparation) -> Step:
    if preparation.rehearsal.is_under_way:
        seen = None
    else:
        seen = preparation.rehearsal.campaign
    if not preparation.tasks:
        message = _(
            "Simulated judges do the work in about a minute. The rehearsal is deleted when the campaign opens."
        )
    elif preparation.rehearsal.is_under_way:
        message = _("Rehearsal in progress")
    elif preparation.rehearsal.rehearsal is None:
        message = _(
            "Simulated judges do the work in about a minute. The rehearsal is deleted when the campaign opens."
        )
    elif preparation.rehearsal.is_outdated:
        message = _(
            "Outdated: texts, design or settings have changed since the rehearsal."
        )
    else:
        message = _(
            "The rehearsal has finished. It is deleted when the campaign opens."
        )
    return Step(
        _("Rehearse"),
        StepState.DONE if preparation.rehearsal.rehearsal else StepState.OPTIONAL,
        [message],
        _("Rehearse") if preparation.tasks else "",
        reverse("rehearsal", args=[campaign.slug]),
        _("Open rehearsal") if seen else "",
        reverse("campaign-detail", args=[seen.slug]) if seen else "",
    )


def _opening(
    campaign: Campaign, preparation: Preparation, steps: Sequence[Step]
) -> Step:
    left = [step.name for step in steps if step.is_needed]
    if left:
        message = _("Complete first: %(steps)s.") % {"steps": comma_list(left)}
    else:
        message = _("Judging starts when you open the campaign.")
    if preparation.rehearsal.rehearsal is not None:
        message = f"{message} {_('The rehearsal is deleted.')}"
    return Step(
        _("Open"),
        StepState.MISSING,
        [message],
        "" if left else _("Open campaign"),
        reverse("campaign-transition", args=[campaign.slug, Transition.OPEN]),
    )
