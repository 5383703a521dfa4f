"""What a change of design would do now to the HITs that are planned."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import HIT, Assignment, Design, HITSequence
from annotation.selectors.judge_changes import group_only_in_words
from annotation.selectors.judges_needed import judges_needed
from campaign.models import JudgeGroup, Task


@dataclass(frozen=True, slots=True)
class DesignEffects:
    """What becomes of the HITs of a test set if its design changes now.

    Attributes
    ----------
    first : int
        Number of the first HIT that the new design can draw.
    stay : int
        HITs planned and not yet lent that stay as they were drawn.
    go : int
        HITs on standby, which are drawn anew.
    lent : int
        HITs that judges have, or that are done: nothing becomes of them.
    task : Task
    """

    first: int
    stay: int
    go: int
    lent: int
    task: Task

    @property
    def is_any_planned(self) -> bool:
        """Whether there is any HIT that a change is later than."""
        return self.stay + self.go + self.lent > 0


def design_effects(*, task: Task) -> DesignEffects:
    """Return what a change of design would do now. Four queries."""
    hits = HIT.objects.filter(task=task)
    was_lent = Exists(Assignment.objects.filter(hit=OuterRef("pk")))
    numbers = HITSequence.objects.filter(task=task).values_list("last_number", flat=True)
    waiting = hits.incomplete().exclude(purpose="training").filter(~was_lent)
    return DesignEffects(
        first=(numbers.first() or 0) + 1,
        stay=waiting.filter(is_standby=False).count(),
        go=waiting.filter(is_standby=True).count(),
        lent=hits.exclude(purpose="training").filter(was_lent).count(),
        task=task,
    )


def design_effects_in_words(
    effects: DesignEffects, *, design: Design | None = None, group: JudgeGroup | None = None
) -> list[str]:
    """Return the same as sentences, and how many judges it takes.

    `design` is the new one, None where it is in force already; `group` the one that it begins to be for.
    """
    said = [
        _("From HIT %(number)d on, HITs are drawn by the new design.") % {"number": effects.first},
        ngettext(
            "%(count)d HIT is planned and waits for a judge: it stays as it was drawn.",
            "%(count)d HITs are planned and wait for judges: they stay as they were drawn.",
            effects.stay,
        )
        % {"count": effects.stay},
    ]
    if effects.go:
        said.append(
            ngettext(
                "%(count)d HIT on standby goes, and is drawn anew by the new design.",
                "%(count)d HITs on standby go, and are drawn anew by the new design.",
                effects.go,
            )
            % {"count": effects.go}
        )
    if effects.lent:
        said.append(
            ngettext(
                "%(count)d HIT is with a judge or done: nothing becomes of it.",
                "%(count)d HITs are with judges or done: nothing becomes of them.",
                effects.lent,
            )
            % {"count": effects.lent}
        )
    if group is not None:
        said += group_only_in_words(task=effects.task, group=group)
    return [*said, *design_needs_in_words(task=effects.task, design=design)]


def design_needs_in_words(*, task: Task, design: Design | None = None) -> list[str]:
    """Return how many judges a task takes by a design, or by that in force, as sentences; nothing where one will do."""
    designs = None if design is None else {task.pk: design}
    return [words for needed in judges_needed([task], designs=designs) for words in needed.words]
