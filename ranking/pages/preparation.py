"""The checklist of a campaign that is being made, and the table of its test sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import django_filters
from django.db.models import Q, QuerySet, TextChoices
from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.formats.recognising import FEWEST_SYSTEMS
from campaign.models import Campaign, Task, Transition
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.selectors.invitations import campaign_languages
from campaign.texts.languages import language_name
from ranking.pages.formats import figure
from ranking.pages.formats import languages as languages_in_words
from ranking.selectors.tasks import Preparation, design_in_words


class StepState(TextChoices):
    """State of a step of the checklist."""

    DONE = "done", gettext_lazy("done")
    MISSING = "missing", gettext_lazy("missing")
    WRONG = "wrong", gettext_lazy("needs fixing")
    OPTIONAL = "optional", gettext_lazy("optional")


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the checklist: its topic, state, link to continue, and link to view."""

    name: str
    state: StepState
    said: Sequence[str]
    button: str
    address: str
    see: str = ""
    see_address: str = ""

    @property
    def is_needed(self) -> bool:
        """True if the campaign cannot open before this step is done."""
        return self.state in {StepState.MISSING, StepState.WRONG}


def steps_of(campaign: Campaign, found: Preparation) -> list[Step]:
    """Return the checklist of a draft, in the order in which one works through it."""
    steps = [
        _texts(campaign, found),
        _systems(campaign, found),
        _design(campaign, found),
        _people(campaign, found),
        _instructions(campaign, found),
    ]
    return [
        *steps,
        _as_judge(campaign, found),
        _rehearsal(campaign, found),
        _opening(campaign, found, steps),
    ]


def _texts(campaign: Campaign, found: Preparation) -> Step:
    said = [
        _("%(name)s: %(segments)s segments")
        % {"name": row.test_set.name, "segments": number_format(row.segment_count)}
        for row in _test_sets(found)
    ]
    address = reverse("test-sets", args=[campaign.slug])
    # An abandoned upload is on the page of test sets; once there is a test set, it is no longer a
    # step.
    if said or not found.uploads:
        return Step(
            _("Texts"),
            StepState.DONE if said else StepState.MISSING,
            said or [_("Source, reference and output files")],
            _("Add texts"),
            address,
        )
    said.append(
        _("An import failed. Open it to see the error.")
        if found.failed
        else ngettext(
            "%(count)d unfinished upload",
            "%(count)d unfinished uploads",
            len(found.uploads),
        )
        % {"count": len(found.uploads)}
    )
    return Step(
        _("Texts"),
        StepState.WRONG if found.failed else StepState.MISSING,
        said,
        _("Continue upload"),
        reverse("upload", args=[campaign.slug, found.uploads[0].pk]),
    )


def _test_sets(found: Preparation) -> list[Any]:
    """Return one row per test set, regardless of its tasks."""
    rows: dict[int, Any] = {}
    for row in found.tasks:
        rows.setdefault(row.test_set_id, row)
    return list(rows.values())


def _systems(campaign: Campaign, found: Preparation) -> Step:
    counts = [(row.test_set.name, row.system_count) for row in _test_sets(found)]
    few = [name for name, count in counts if count < FEWEST_SYSTEMS]
    said = [
        ngettext("%(name)s: %(count)d system", "%(name)s: %(count)d systems", count)
        % {"name": name, "count": count}
        for name, count in counts
    ]
    if few:
        said.append(_("%(names)s: at least two systems are needed") % {"names": ", ".join(few)})
    state = StepState.WRONG if few else StepState.DONE
    return Step(
        _("Systems"),
        state if found.tasks else StepState.MISSING,
        said or [_("Imported with the texts")],
        _("View test sets"),
        reverse("test-sets", args=[campaign.slug]),
    )


def _design(campaign: Campaign, found: Preparation) -> Step:
    said = [
        _("%(name)s: %(design)s")
        % {
            "name": row.called,
            "design": design_in_words(row.drawn_by) or _("Default"),
        }
        for row in found.tasks
    ]
    only = found.tasks[0] if len(found.tasks) == 1 else None
    return Step(
        _("Design"),
        StepState.DONE if found.tasks else StepState.OPTIONAL,
        said or [_("How blocks are drawn (optional: there is a default)")],
        _("Choose design") if only else _("View test sets"),
        reverse("design", args=[campaign.slug, only.pk])
        if only
        else reverse("test-sets", args=[campaign.slug]),
    )


def _people(campaign: Campaign, found: Preparation) -> Step:
    said = [
        ngettext("%(count)s judge", "%(count)s judges", found.judges) % {"count": found.judges},
        ngettext(
            "%(count)d invitation link",
            "%(count)d invitation links",
            found.links,
        )
        % {"count": found.links},
    ]
    if found.unread:
        names = ", ".join(dict.fromkeys(row.test_set.name for row in found.unread))
        said.append(_("No judge reads both languages of %(names)s.") % {"names": names})
    for needed in found.needed:
        said += [f"{needed.task.called}: {words}" for words in needed.words]
    has_people = found.judges or found.links
    state = StepState.DONE if has_people else StepState.MISSING
    is_short = bool(found.judges) and not all(needed.is_feasible for needed in found.needed)
    return Step(
        _("People"),
        StepState.WRONG if (found.unread or is_short) and not found.links else state,
        said,
        _("Invite judges"),
        reverse("invitations", args=[campaign.slug]),
    )


def _instructions(campaign: Campaign, found: Preparation) -> Step:
    count = found.languages_of_instructions
    said = ngettext("In %(count)d language", "In %(count)d languages", count) % {"count": count}
    return Step(
        _("Instructions"),
        StepState.DONE if count else StepState.OPTIONAL,
        [said if count else _("Without instructions, judges only see how the page works.")],
        _("Write instructions"),
        reverse("instructions", args=[campaign.slug]),
    )


def _as_judge(campaign: Campaign, found: Preparation) -> Step:
    texts = found.tasks
    return Step(
        _("Preview as judge"),
        StepState.OPTIONAL,
        [_("The judging page with your texts; nothing is saved")],
        _("Preview as judge") if texts else _("Add texts"),
        reverse("campaign-preview" if texts else "test-sets", args=[campaign.slug]),
    )


def _rehearsal(campaign: Campaign, found: Preparation) -> Step:
    seen = None if found.rehearsal.is_under_way else found.rehearsal.campaign
    if not found.tasks:
        said = _("Simulated judges do the work in about a minute. Deleted when the campaign opens.")
    elif found.rehearsal.is_under_way:
        said = _("Rehearsal in progress")
    elif found.rehearsal.rehearsal is None:
        said = _("Simulated judges do the work in about a minute. Deleted when the campaign opens.")
    elif found.rehearsal.is_outdated:
        said = _("Outdated: texts, design or settings have changed since the rehearsal.")
    else:
        said = _("The rehearsal has finished. It is deleted when the campaign opens.")
    return Step(
        _("Rehearse"),
        StepState.DONE if found.rehearsal.rehearsal else StepState.OPTIONAL,
        [said],
        _("Rehearse") if found.tasks else _("Add texts"),
        reverse("rehearsal" if found.tasks else "test-sets", args=[campaign.slug]),
        _("Open rehearsal") if seen else "",
        reverse("campaign-detail", args=[seen.slug]) if seen else "",
    )


def _opening(campaign: Campaign, found: Preparation, steps: Sequence[Step]) -> Step:
    left = [step.name for step in steps if step.is_needed]
    said = (
        _("Complete first: %(steps)s.") % {"steps": ", ".join(left)}
        if left
        else _("Judging starts when you open the campaign.")
    )
    if found.rehearsal.rehearsal is not None:
        said = f"{said} {_('The rehearsal is deleted.')}"
    return Step(
        _("Open"),
        StepState.MISSING,
        [said],
        _("Open campaign"),
        reverse("campaign-transition", args=[campaign.slug, Transition.OPEN]),
    )


class TaskFilter(DeskFilter):
    """Filters of `tasks_listed`; the languages are those of the campaign."""

    __test__ = False

    name = django_filters.CharFilter(
        field_name="test_set__name",
        lookup_expr="icontains",
        label=gettext_lazy("Name contains"),
        max_length=200,
    )
    language = django_filters.ChoiceFilter(
        label=gettext_lazy("Language"), empty_label=gettext_lazy("All"), method="of_language"
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        tags = campaign_languages(campaign)
        self.filters["language"].extra["choices"] = [(tag, language_name(tag)) for tag in tags]

    def of_language(
        self, queryset: QuerySet[Any, Any], name: str, value: str
    ) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(
            Q(test_set__source_language=value) | Q(test_set__target_language=value)
        )


def _sorted(words: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(words, by=by, then="pk", **options)


def _counted(words: Any, by: str) -> SortedColumn:
    return _sorted(words, by, kind="number", initial_sort_descending=True)


class TaskTable(DeskTable):
    """Rows of `tasks_listed`."""

    __test__ = False

    name = _sorted(gettext_lazy("Name"), "test_set__name")
    languages = PlainColumn(gettext_lazy("Languages"), by="test_set__source_language")
    segments = _counted(gettext_lazy("Segments"), "segment_count")
    documents = _counted(gettext_lazy("Documents"), "document_count")
    systems = _counted(gettext_lazy("Systems"), "system_count")
    design = _sorted(gettext_lazy("Design"), "drawn_by")
    judged = _counted(gettext_lazy("Blocks judged"), "judged")
    wanted = _counted(gettext_lazy("Blocks wanted"), "blocks_wanted")
    state = _sorted(gettext_lazy("State"), "closed_at")

    caption = gettext_lazy("Test sets")

    def __init__(self, rows: QuerySet[Task], *, campaign: Campaign) -> None:
        super().__init__(rows)
        # A reverse for each row would be a quarter of the page.
        self._task = reverse("test-set-dashboard", args=[campaign.slug, 0]).removesuffix("0/")

    def cell_name(self, row: Task) -> SafeString:
        return format_html('<a href="{}{}/">{}</a>', self._task, row.pk, row.called)

    def cell_languages(self, row: Task) -> str:
        return languages_in_words(row)

    def cell_segments(self, row: Any) -> str:
        return figure(row.segment_count)

    def cell_documents(self, row: Any) -> str:
        return figure(row.document_count)

    def cell_systems(self, row: Any) -> str:
        return figure(row.system_count)

    def cell_design(self, row: Any) -> str:
        return design_in_words(row.drawn_by) or "–"

    def cell_judged(self, row: Any) -> str:
        return figure(row.judged)

    def cell_wanted(self, row: Task) -> str:
        return figure(row.blocks_wanted)

    def cell_state(self, row: Task) -> str:
        if row.closed_at is None:
            return str(row.state.label)
        return _("closed on %(day)s") % {
            "day": date_format(localtime(row.closed_at), "DATE_FORMAT")
        }
