"""The checklist of a draft campaign."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import TextChoices
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.tasks import Preparation, design_in_words
from campaign.models import (
    Campaign,
    Protocol,
    Transition,
)
from campaign.models.campaign import Judged
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, labelled

#: Pages on which an organiser says what judges of a protocol are asked, besides the settings of the test set.
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
    lines: Sequence[str]
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
        *_questions(campaign, preparation),
        _people(campaign, preparation),
        _instructions(campaign, preparation),
    ]
    return [
        *steps,
        _preview_step(campaign, preparation),
        _rehearsal(campaign, preparation),
        _opening(campaign, preparation, steps),
    ]


def _texts(campaign: Campaign, preparation: Preparation) -> Step:
    address = reverse("test-sets", args=[campaign.slug])
    # Once there is a test set, an abandoned upload is no longer a step; the page of test sets
    # lists it.
    lines = []
    for row in _test_sets(preparation):
        segments = number_format(row.segment_count)
        line = _("%(name)s: %(segments)s segments") % {
            "name": row.test_set.name,
            "segments": segments,
        }
        lines.append(line)
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
    if preparation.failed:
        state = StepState.WRONG
        message = _("An import failed. Open it to see the error.")
    else:
        state = StepState.MISSING
        message = counted(
            "%(count)d unfinished upload",
            "%(count)d unfinished uploads",
            len(preparation.uploads),
        )
    return Step(
        _("Texts"),
        state,
        [message],
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
    lines = []
    few = []
    for row in _test_sets(preparation):
        name = row.test_set.name
        line = counted(
            "%(name)s: %(count)d system",
            "%(name)s: %(count)d systems",
            row.system_count,
            name=name,
        )
        lines.append(line)
    for task in preparation.tasks:
        name = task.test_set.name
        if task.system_count < answer_kind_of(task).fewest_systems and name not in few:
            few.append(name)
    address = reverse("test-sets", args=[campaign.slug])
    if not lines:
        lines = [_("Imported with the texts")]
        return Step(_("Systems"), StepState.MISSING, lines, "", address)
    state = StepState.DONE
    if few:
        state = StepState.WRONG
        lines.append(
            _("%(names)s: at least two systems are needed")
            % {"names": comma_list(few)},
        )
    return Step(_("Systems"), state, lines, _("View test sets"), address)


def _design(campaign: Campaign, preparation: Preparation) -> Step:
    lines = []
    for task in preparation.tasks:
        design = design_in_words(task.drawn_by) or _("Default")
        lines.append(
            _("%(name)s: %(design)s") % {"name": task.called, "design": design},
        )
    test_sets = reverse("test-sets", args=[campaign.slug])
    if not lines:
        lines = [_("How blocks are drawn (optional: there is a default)")]
        return Step(_("Design"), StepState.OPTIONAL, lines, "", test_sets)
    if len(lines) > 1:
        button = _("View test sets")
        return Step(_("Design"), StepState.DONE, lines, button, test_sets)
    task = preparation.tasks[0]
    see = ""
    see_address = ""
    if task.protocol in _SCHEMES:
        label, page = _SCHEMES[task.protocol]
        see = str(label)
        see_address = reverse(page, args=[campaign.slug, task.pk])
    return Step(
        _("Design"),
        StepState.DONE,
        lines,
        _("Choose design"),
        reverse("design", args=[campaign.slug, task.pk]),
        see=see,
        see_address=see_address,
    )


def _questions(campaign: Campaign, preparation: Preparation) -> list[Step]:
    """Return the step of the questions that judges are asked; none if translations are judged.

    The usual questions suit these.
    """
    if campaign.judged == Judged.TRANSLATIONS:
        return []
    lines = []
    unset = []
    for task in preparation.tasks:
        question = answer_kind_of(task).own_question
        if question is None:
            continue
        if not question:
            unset.append(task)
            question = _("not set, so judges read the usual question")
        lines.append(labelled(task.called, question))
    if not lines:
        return []
    state = StepState.DONE
    task = preparation.tasks[0]
    if unset:
        state = StepState.OPTIONAL
        task = unset[0]
    page = "test-set-settings"
    if task.protocol == Protocol.RATING:
        page = "criteria"
    address = reverse(page, args=[campaign.slug, task.pk])
    return [Step(_("Question"), state, lines, _("Set question"), address)]


def _people(campaign: Campaign, preparation: Preparation) -> Step:
    lines = [
        counted("%(count)s judge", "%(count)s judges", preparation.judges),
        counted("%(count)d shared link", "%(count)d shared links", preparation.links),
    ]
    if preparation.unread:
        unread = dict.fromkeys(row.test_set.name for row in preparation.unread)
        lines.append(
            _("No judge reads both languages of %(names)s.")
            % {"names": comma_list(unread)},
        )
    is_feasible = True
    for needed in preparation.needed:
        is_feasible = is_feasible and needed.is_feasible
        for shortage in needed.words:
            lines.append(labelled(needed.task.called, shortage))
    is_short = bool(preparation.judges) and not is_feasible
    if preparation.links:
        state = StepState.DONE
    elif preparation.unread or is_short:
        state = StepState.WRONG
    elif preparation.judges:
        state = StepState.DONE
    else:
        state = StepState.MISSING
    return Step(
        _("People"),
        state,
        lines,
        _("Invite judges"),
        reverse("invitations", args=[campaign.slug]),
    )


def _instructions(campaign: Campaign, preparation: Preparation) -> Step:
    count = preparation.languages_of_instructions
    if count:
        state = StepState.DONE
        message = counted("In %(count)d language", "In %(count)d languages", count)
    else:
        state = StepState.OPTIONAL
        message = _("Without instructions, judges only see how the page works.")
    return Step(
        _("Instructions"),
        state,
        [message],
        _("Write instructions"),
        reverse("instructions", args=[campaign.slug]),
    )


def _preview_step(campaign: Campaign, preparation: Preparation) -> Step:
    button = ""
    if preparation.tasks:
        button = _("Preview as judge")
    return Step(
        _("Preview as judge"),
        StepState.OPTIONAL,
        [_("The judging page with your texts; nothing is saved")],
        button,
        reverse("campaign-preview", args=[campaign.slug]),
    )


def _rehearsal(campaign: Campaign, preparation: Preparation) -> Step:
    rehearsal = preparation.rehearsal
    if not preparation.tasks:
        message = _(
            "Simulated judges do the work in about a minute. The rehearsal is deleted when the campaign opens.",
        )
    elif rehearsal.is_under_way:
        message = _("Rehearsal in progress")
    elif rehearsal.rehearsal is None:
        message = _(
            "Simulated judges do the work in about a minute. The rehearsal is deleted when the campaign opens.",
        )
    elif rehearsal.is_outdated:
        message = _(
            "Outdated: texts, design or settings have changed since the rehearsal.",
        )
    else:
        message = _(
            "The rehearsal has finished. It is deleted when the campaign opens.",
        )
    state = StepState.OPTIONAL
    if rehearsal.rehearsal:
        state = StepState.DONE
    button = ""
    if preparation.tasks:
        button = _("Rehearse")
    see = ""
    see_address = ""
    if rehearsal.campaign and not rehearsal.is_under_way:
        see = _("Open rehearsal")
        see_address = reverse("campaign-detail", args=[rehearsal.campaign.slug])
    return Step(
        _("Rehearse"),
        state,
        [message],
        button,
        reverse("rehearsal", args=[campaign.slug]),
        see=see,
        see_address=see_address,
    )


def _opening(
    campaign: Campaign,
    preparation: Preparation,
    steps: Sequence[Step],
) -> Step:
    missing_steps = [step.name for step in steps if step.is_needed]
    button = _("Open campaign")
    if missing_steps:
        button = ""
        message = _("Complete first: %(steps)s.") % {"steps": comma_list(missing_steps)}
    else:
        message = _("Judging starts when you open the campaign.")
    if preparation.rehearsal.rehearsal is not None:
        message = f"{message} {_('The rehearsal is deleted.')}"
    return Step(
        _("Open"),
        StepState.MISSING,
        [message],
        button,
        reverse("campaign-transition", args=[campaign.slug, Transition.OPEN]),
    )
