"""Tables of a campaign's judges, their participations in panels and their time, with filters; and forms to add and change judges."""

from datetime import date
from functools import partial
from typing import Any, Final, TypedDict, cast

import django_filters
from django import forms
from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from annotation.export.work_time import clock_time
from annotation.selectors.judges import JudgeStatus, StandingOfJudge
from annotation.selectors.panels import participations_described
from annotation.selectors.work_time import TimeSums, Worked
from campaign.formats import FormatError
from campaign.formats.isolation import isolated
from campaign.formats.judge_lists import MAX_BYTES, JudgeList, judge_list_decode, judge_list_read
from campaign.models import (
    Campaign,
    Judge,
    JudgeGroup,
    Participation,
    ParticipationState,
    System,
    Task,
)
from campaign.models.system import system_label
from campaign.pages.desk import rights
from campaign.pages.filters import DayFilter, DaysForm, DeskFilter, JudgesFilter
from campaign.pages.forms import VersionedForm, languages_validate
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.selectors.credentials import campaign_languages
from campaign.texts.addresses import address_in_unicode
from campaign.texts.joining import comma_list
from campaign.texts.languages import language_name

STANDINGS: Final = {
    StandingOfJudge.PRESENT.value: pgettext_lazy("judge", "Active"),
    StandingOfJudge.EXPECTED.value: gettext_lazy("Not joined yet"),
    StandingOfJudge.PAUSED.value: pgettext_lazy("judge", "Paused"),
    StandingOfJudge.EXCLUDED.value: pgettext_lazy("judge", "Excluded"),
    StandingOfJudge.DECLINED.value: pgettext_lazy("judge", "Declined"),
    StandingOfJudge.WITHDRAWN.value: pgettext_lazy("judge", "Withdrawn"),
}


class CampaignJudgeFilter(JudgesFilter):
    """Filters for `campaign_judges`."""

    group = django_filters.CharFilter(
        "group_members__group__name", "iexact", label=gettext_lazy("Group"), max_length=60
    )
    language = django_filters.CharFilter(
        label=gettext_lazy("Language"),
        max_length=35,
        method=lambda rows, _name, value: rows.filter(
            Q(languages=[]) | Q(languages__contains=[value])
        ),
    )
    state = django_filters.ChoiceFilter(
        "standing",
        label=gettext_lazy("State"),
        choices=list(STANDINGS.items()),
        empty_label=gettext_lazy("All"),
    )


def _by_judge(words: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(words, by=by, then="pseudonym", **options)


class CampaignJudgeTable(DeskTable):
    """Rows of `campaign_judges`, each with a checkbox for bulk actions."""

    name = _by_judge(gettext_lazy("Judge"), "pseudonym", kind="judge")
    address = _by_judge(gettext_lazy("Address or origin"), "reached_at", kind="wide")
    languages = PlainColumn(gettext_lazy("Languages"), by="languages")
    expertise = PlainColumn(gettext_lazy("Expertise"), by="expertise")
    groups = PlainColumn(gettext_lazy("Groups"), by="group_names")
    conflicts = PlainColumn(gettext_lazy("Conflicts of interest"), by="conflict_names", kind="wide")
    state = _by_judge(gettext_lazy("State"), "standing")
    seen = _by_judge(
        gettext_lazy("Last seen"), "seen_at", kind="seen", initial_sort_descending=True
    )

    caption = gettext_lazy("Judges")

    def cell_name(self, row: Any) -> SafeString:
        name = "" if row.user is None or row.user.name == row.pseudonym else row.user.name
        return format_html(
            '<input class="pick" type="checkbox" name="judge" value="{}" form="assign" aria-label="{}">'
            ' {} <span class="quiet" dir="auto">{}</span>',
            row.pk,
            _("Select %(judge)s") % {"judge": row.pseudonym},
            self.link("campaign-judge", row.pk, row.pseudonym),
            name,
        )

    def cell_address(self, row: Any) -> str | SafeString:
        if row.reached_at:
            return format_html("<bdi>{}</bdi>", address_in_unicode(row.reached_at))
        return came_in_words(row)

    def cell_languages(self, row: Any) -> str:
        return comma_list(map(language_name, row.languages)) or _("All")

    def cell_state(self, row: Any) -> str:
        return str(STANDINGS[row.standing])


def came_in_words(row: Any) -> str:
    """Describe how a judge from `campaign_judges` joined without an address."""
    if row.origin != Judge.Origin.PERSON:
        return str(row.get_origin_display())
    if row.external_id:
        return _("Panel")
    return row.came_by or row.note or _("Link")


_NOTHING = "–"


class ParticipationFilter(DeskFilter):
    """Filter for the participations of a panel. Ids are searched only for organisers who may see them."""

    who = django_filters.CharFilter(
        label=gettext_lazy("Judge or participant contains"), max_length=100, method="of_who"
    )
    state = django_filters.ChoiceFilter(
        label=gettext_lazy("State"),
        choices=ParticipationState.choices,
        empty_label=gettext_lazy("All"),
    )

    def of_who(self, rows: QuerySet[Any, Any], name: str, value: str) -> QuerySet[Any, Any]:
        del name
        wanted = Q(judge__pseudonym__icontains=value)
        if rights(self.request)["may_change"]:
            wanted |= Q(judge__external_id__icontains=value) | Q(session_id__icontains=value)
        return rows.filter(wanted)


def _latest_first(words: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(words, by=by, then="-pk", **options)


class ParticipationTable(DeskTable):
    """Rows of `Participation`; ids and codes are personal data and shown only to members who may change the campaign."""

    judge = _latest_first(gettext_lazy("Judge"), "judge__pseudonym", kind="judge")
    participant = PlainColumn(gettext_lazy("Participant"), by="member", kind="wide")
    session = PlainColumn(gettext_lazy("Submission"), by="session_id", kind="wide")
    state = _latest_first(gettext_lazy("State"), "state")
    done = PlainColumn(gettext_lazy("Items"), by="pk", kind="number")
    code = PlainColumn(gettext_lazy("Code"), by="code")
    started = _latest_first(gettext_lazy("Started"), "started_at", kind="seen")
    service = _latest_first(gettext_lazy("Status at the service"), "service_status")

    caption = gettext_lazy("Participants")

    def of(self, request: HttpRequest, *, at: str = "") -> "ParticipationTable":
        super().of(request, at=at)
        self._shows_ids = rights(request)["may_change"]
        described = participations_described([row.record for row in self.page.object_list])
        self._described = {each.participation.pk: each for each in described}
        return self

    def cell_judge(self, row: Participation) -> SafeString:
        judge = row.judge
        link = self.link("campaign-judge", judge.pk, judge.pseudonym)
        status = self._described[row.pk].judge_status
        if status.may_judge:
            return link
        words = (
            pgettext("judge", "Paused")
            if status == JudgeStatus.PAUSED
            else pgettext("judge", "Excluded")
        )
        return format_html('{} <span class="badge badge-look">{}</span>', link, words)

    def cell_participant(self, row: Participation) -> str | SafeString:
        return self._personal(row.judge.external_id)

    def cell_session(self, row: Participation) -> str | SafeString:
        return self._personal(row.session_id)

    def cell_done(self, row: Participation) -> str:
        done = self._described[row.pk].done
        return _("%(done)s of %(asked)s") % {"done": done, "asked": row.blocks_asked}

    def cell_code(self, row: Participation) -> str | SafeString:
        return self._personal(row.code)

    def cell_service(self, row: Participation) -> SafeString:
        return format_html("<bdi>{}</bdi>", row.service_status or _NOTHING)

    def _personal(self, value: str) -> str | SafeString:
        if not self._shows_ids or not value:
            return _NOTHING
        return format_html('<span dir="ltr">{}</span>', value)


class Days(TypedDict):
    """First and last day of a time sheet, both included; None for no limit."""

    first: date | None
    last: date | None


class TimeSheetFilter(DeskFilter):
    """Judges and days listed in a time sheet."""

    first = DayFilter(label=gettext_lazy("From"), method="of_days")
    last = DayFilter(label=gettext_lazy("Until"), method="of_days")
    judge = django_filters.CharFilter(
        "pseudonym", lookup_expr="icontains", label=gettext_lazy("Name contains"), max_length=100
    )

    class Meta:
        form = DaysForm

    def of_days(self, rows: QuerySet[Any, Any], name: str, value: date) -> QuerySet[Any, Any]:
        """Return all judges; the days apply to the sums."""
        del name, value
        return rows

    @property
    def days(self) -> Days:
        """The selected days; no limits if the address is invalid."""
        asked = self.form.cleaned_data if self.form.is_valid() else {}
        return Days(first=asked.get("first"), last=asked.get("last"))


def _worked(words: Any, place: int, **options: Any) -> SortedColumn:
    # Index of the array `worked`.
    by = f"worked__{place}"
    return SortedColumn(
        words, by=by, then="pseudonym", kind="number", initial_sort_descending=True, **options
    )


class TimeSheetTable(DeskTable):
    """Rows of `time_sheet_sums`; the last line holds the totals."""

    judge = SortedColumn(gettext_lazy("Judge"), by="pseudonym", then="pk", kind="judge")
    sentences = _worked(gettext_lazy("Items"), 0)
    time = _worked(gettext_lazy("Active time"), 1)
    days = _worked(gettext_lazy("Days"), 3)

    caption = gettext_lazy("Time")

    def cell_judge(self, row: Any) -> str | SafeString:
        if isinstance(row, Worked):
            return _("All judges")
        return self.link("campaign-judge", row.pk, row.pseudonym)

    def cell_sentences(self, row: Any) -> str:
        return number_format(_sums(row).sentences)

    def cell_time(self, row: Any) -> str:
        return clock_time(_sums(row).active_seconds)

    def cell_days(self, row: Any) -> str:
        return "" if isinstance(row, Worked) else number_format(TimeSums(*row.worked).days)


def _sums(row: Any) -> Worked | TimeSums:
    return row if isinstance(row, Worked) else TimeSums(*row.worked)


_MAX_TAG: Final = 60


class JudgeListForm(forms.Form):
    """A list of judges, pasted or as a file, and how they receive their links."""

    text = forms.CharField(
        label=gettext_lazy("Addresses, names or CSV"),
        help_text=gettext_lazy(
            "One judge per line: an address, a name or both, or a table with any of these columns: email, name, languages, expertise, groups, conflicts."
        ),
        max_length=MAX_BYTES,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "dir": "ltr"}),
    )
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy("CSV or plain text, up to 2 MB. You can drop it here."),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv,text/plain"}),
    )
    how = forms.ChoiceField(
        label=gettext_lazy("Delivery of links"),
        choices=[
            ("links", gettext_lazy("Show me the links once")),
            ("mail", gettext_lazy("Send each judge an e-mail")),
        ],
        initial="links",
    )
    language = forms.ChoiceField(label=gettext_lazy("Message language"), choices=settings.LANGUAGES)
    note = forms.CharField(
        label=gettext_lazy("Personal note in the message"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )

    def clean(self) -> dict[str, Any]:
        """Read the list: `judges` are its rows, and `text` is its text, whether pasted or uploaded."""
        data = super().clean() or {}
        file = data.get("file")
        try:
            if file is not None:
                if file.size > MAX_BYTES:
                    raise forms.ValidationError({"file": _("The file is larger than 2 MB.")})
                data["text"] = judge_list_decode(file.read())
            text = data.get("text") or ""
            data["judges"] = isolated("list", len(text), partial(judge_list_read, text))
        except FormatError as error:
            self.add_error("text" if file is None else "file", str(error))
        return data

    @property
    def judges(self) -> JudgeList:
        """The rows of the list; requires a valid form."""
        found: JudgeList = self.cleaned_data["judges"]
        return found


class JudgeForm(VersionedForm):
    """Work a judge may receive (languages, expertise, groups, conflicts) and their contact address."""

    address = forms.EmailField(required=False, widget=forms.EmailInput(attrs={"dir": "ltr"}))
    expertise = forms.CharField(
        help_text=gettext_lazy("Separate fields by commas. Test sets can require some of them."),
        max_length=2000,
        required=False,
    )
    languages = forms.MultipleChoiceField(
        required=False, validators=[languages_validate], widget=forms.CheckboxSelectMultiple
    )
    groups = forms.ModelMultipleChoiceField(
        label=gettext_lazy("Groups"),
        queryset=JudgeGroup.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    conflicts = forms.ModelMultipleChoiceField(
        label=gettext_lazy("Conflicts of interest"),
        help_text=gettext_lazy("The judge never gets outputs of these systems."),
        queryset=System.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, data: Any = None, *, judge: Judge, campaign: Campaign) -> None:
        initial = {
            "address": judge.address,
            "expertise": ", ".join(judge.expertise),
            "languages": judge.languages,
            "groups": list(judge.group_members.values_list("group", flat=True)),
            "conflicts": list(judge.conflicts.values_list("system", flat=True)),
        }
        super().__init__(data, initial=initial)
        self.describe(Judge)
        tags = sorted({*campaign_languages(campaign), *judge.languages})
        languages, groups, systems = (
            self.fields[name] for name in ("languages", "groups", "conflicts")
        )
        languages.choices = [(tag, language_name(tag)) for tag in tags]  # type: ignore[attr-defined]
        present = JudgeGroup.objects.present().filter(campaign=campaign)
        groups.queryset = present.order_by("name")  # type: ignore[attr-defined]
        of_campaign = System.objects.filter(test_set__campaign=campaign)
        systems.queryset = of_campaign.select_related("test_set").order_by("test_set", "name")  # type: ignore[attr-defined]
        systems.label_from_instance = _system_in_words  # type: ignore[attr-defined]

    def clean_expertise(self) -> list[str]:
        tags = [" ".join(tag.split()).lower() for tag in self.cleaned_data["expertise"].split(",")]
        if any(len(tag) > _MAX_TAG for tag in tags):
            raise forms.ValidationError(
                _("A field of expertise may have at most %(most)d characters.") % {"most": _MAX_TAG}
            )
        return sorted({tag for tag in tags if tag})

    def changes(self, judge: Judge) -> dict[str, Any]:
        """Return the arguments of `judge_change`."""
        data = self.cleaned_data
        wanted = set(data["conflicts"])
        there = set(System.objects.filter(conflicts__judge=judge))
        return {
            "address": data["address"],
            "languages": data["languages"],
            "expertise": data["expertise"],
            "groups": list(data["groups"]),
            "conflicts": sorted(wanted - there, key=lambda system: system.pk),
            "no_conflicts": there - wanted,
        }


def _system_in_words(system: System) -> str:
    return f"{system_label(system.name)} · {system.test_set.name}"


class AssignForm(forms.Form):
    """A group, and the judges to add to it or remove from it."""

    group = forms.ModelChoiceField(
        label=gettext_lazy("Group"), queryset=JudgeGroup.objects.none(), empty_label=None
    )
    who = forms.ChoiceField(
        label=gettext_lazy("Judges"),
        choices=[
            ("ticked", gettext_lazy("selected judges")),
            ("found", gettext_lazy("all judges that match the filters")),
        ],
        initial="ticked",
    )

    def __init__(self, data: Any = None, *, campaign: Campaign) -> None:
        super().__init__(data)
        present = JudgeGroup.objects.present().filter(campaign=campaign)
        self.fields["group"].queryset = present.order_by("name")  # type: ignore[attr-defined]


def judge_details(judge: Judge, form: JudgeForm | None = None) -> dict[str, Any]:
    """Return the content of the card *Details* on a judge's page; `judge` is one of `campaign_judges`."""
    shown = cast("Any", judge)
    return {
        "judge": judge,
        "form": form or JudgeForm(judge=judge, campaign=judge.campaign),
        "standing": STANDINGS[shown.standing],
        "came": address_in_unicode(shown.reached_at) or came_in_words(shown),
        "name": "" if judge.user is None or judge.user.name == judge.pseudonym else judge.user.name,
        "may_have_link": judge.user is not None and judge.withdrawn_at is None,
        "judged_tasks": list(
            Task.objects.of(judge.campaign)
            .named()
            .filter(judge_tallies__judge=judge)
            .order_by("-judge_tallies__last_at", "id")
        ),
    }
