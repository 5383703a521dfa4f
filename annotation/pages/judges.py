"""Tables of a campaign's judges, their participations in panels and their time, with filters; and forms to add and change judges."""

from functools import partial
from operator import attrgetter
from typing import Any, Final, cast

import django_filters
from django import forms
from django.conf import settings
from django.db.models import Q
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.selectors.judges import StandingOfJudge
from campaign.formats import FormatError
from campaign.formats.isolation import isolated
from campaign.formats.judge_lists import (
    MAX_BYTES,
    JudgeList,
    judge_list_decode,
    judge_list_read,
)
from campaign.models import (
    Campaign,
    Judge,
    JudgeGroup,
    System,
    Task,
)
from campaign.models.system import system_label
from campaign.pages.filters import JudgesFilter
from campaign.pages.forms import VersionedForm, languages_validate
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.selectors.credentials import campaign_languages
from campaign.services.judges import JudgeChanges
from campaign.texts.addresses import address_in_unicode
from campaign.texts.joining import comma_list
from campaign.texts.languages import language_name
from campaign.texts.lines import LinesTextarea

STANDINGS: Final = {
    StandingOfJudge.PRESENT.value: pgettext_lazy("judge", "Active"),
    StandingOfJudge.EXPECTED.value: gettext_lazy("Not joined yet"),
    StandingOfJudge.PAUSED.value: pgettext_lazy("judge", "Paused"),
    StandingOfJudge.EXCLUDED.value: pgettext_lazy("judge", "Excluded"),
    StandingOfJudge.DECLINED.value: pgettext_lazy("judge", "Declined"),
    StandingOfJudge.WITHDRAWN.value: pgettext_lazy("judge", "Withdrawn"),
}


def _reading(rows: Any, _name: str, value: str) -> Any:
    return rows.filter(Q(languages=[]) | Q(languages__contains=[value]))


class CampaignJudgeFilter(JudgesFilter):
    """Filters for `campaign_judges`."""

    group = django_filters.CharFilter(
        "group_members__group__name",
        "iexact",
        label=gettext_lazy("Group"),
        max_length=60,
    )
    language = django_filters.CharFilter(
        label=gettext_lazy("Language"),
        max_length=35,
        method=_reading,
    )
    state = django_filters.ChoiceFilter(
        "standing",
        label=gettext_lazy("State"),
        choices=list(STANDINGS.items()),
        empty_label=gettext_lazy("All"),
    )


def _judge_column(label: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(label, by=by, then="pseudonym", **options)


class CampaignJudgeTable(DeskTable):
    """Rows of `campaign_judges`, each with a checkbox for bulk actions."""

    name = _judge_column(gettext_lazy("Judge"), "pseudonym", kind="judge")
    address = _judge_column(
        gettext_lazy("Address or origin"),
        "reached_at",
        kind="wide",
    )
    languages = PlainColumn(gettext_lazy("Languages"), by="languages")
    expertise = PlainColumn(gettext_lazy("Expertise"), by="expertise")
    groups = PlainColumn(gettext_lazy("Groups"), by="group_names")
    conflicts = PlainColumn(
        gettext_lazy("Conflicts of interest"),
        by="conflict_names",
        kind="wide",
    )
    state = _judge_column(gettext_lazy("State"), "standing")
    seen = _judge_column(
        gettext_lazy("Last seen"),
        "seen_at",
        kind="seen",
        initial_sort_descending=True,
    )

    caption = gettext_lazy("Judges")

    def cell_name(self, row: Any) -> SafeString:
        if row.user is None or row.user.name == row.pseudonym:
            name = ""
        else:
            name = row.user.name
        return format_html(
            '<input class="pick" type="checkbox" name="judge" value="{}" form="assign" aria-label="{}">'
            ' {} <span class="quiet" dir="auto">{}</span>',
            row.pk,
            _("Select %(judge)s") % {"judge": row.pseudonym},
            self.link_to("campaign-judge", row.pk, row.pseudonym),
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


_MAX_TAG: Final = 60


class JudgeListForm(forms.Form):
    """A list of judges, pasted or as a file, and how they receive their links."""

    text = forms.CharField(
        label=gettext_lazy("Addresses, names or CSV"),
        help_text=gettext_lazy(
            "One judge per line: an address, a name or both, or a table with any of these columns: email, name, languages, expertise, groups, conflicts. Machine judges: name, machine (true), version, prompt, settings, asked_twice.",
        ),
        max_length=MAX_BYTES,
        required=False,
        strip=False,
        widget=LinesTextarea(attrs={"rows": 8, "spellcheck": "false", "dir": "ltr"}),
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
    language = forms.ChoiceField(
        label=gettext_lazy("Message language"),
        choices=settings.LANGUAGES,
    )
    note = forms.CharField(
        label=gettext_lazy("Personal note in the message"),
        max_length=1000,
        required=False,
        widget=LinesTextarea(attrs={"rows": 2, "dir": "auto"}),
    )

    def clean(self) -> dict[str, Any]:
        """Read the list: `judges` are its rows, and `text` is its text, whether pasted or uploaded."""
        data = super().clean() or {}
        file = data.get("file")
        try:
            if file is not None:
                if file.size > MAX_BYTES:
                    raise forms.ValidationError(
                        {"file": _("The file is larger than 2 MB.")},
                    )
                data["text"] = judge_list_decode(file.read())
            text = data.get("text") or ""
            data["judges"] = isolated("list", len(text), partial(judge_list_read, text))
        except FormatError as error:
            self.add_error("text" if file is None else "file", str(error))
        return data

    @property
    def judges(self) -> JudgeList:
        """The rows of the list; requires a valid form."""
        judge_list: JudgeList = self.cleaned_data["judges"]
        return judge_list


class JudgeForm(VersionedForm):
    """Work a judge may receive (languages, expertise, groups, conflicts) and their contact address."""

    address = forms.EmailField(
        required=False,
        widget=forms.EmailInput(attrs={"dir": "ltr"}),
    )
    expertise = forms.CharField(
        help_text=gettext_lazy(
            "Separate fields by commas. Test sets can require some of them.",
        ),
        max_length=2000,
        required=False,
    )
    languages = forms.MultipleChoiceField(
        required=False,
        validators=[languages_validate],
        widget=forms.CheckboxSelectMultiple,
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
        languages = self.fields["languages"]
        groups = self.fields["groups"]
        systems = self.fields["conflicts"]
        languages.choices = [(tag, language_name(tag)) for tag in tags]  # type: ignore[attr-defined]
        present = JudgeGroup.objects.present().filter(campaign=campaign)
        groups.queryset = present.order_by("name")  # type: ignore[attr-defined]
        of_campaign = System.objects.filter(test_set__campaign=campaign)
        systems.queryset = of_campaign.select_related("test_set").order_by(  # type: ignore[attr-defined]
            "test_set",
            "name",
        )
        systems.label_from_instance = _system_in_words  # type: ignore[attr-defined]

    def clean_expertise(self) -> list[str]:
        tags = [
            " ".join(tag.split()).lower()
            for tag in self.cleaned_data["expertise"].split(",")
        ]
        if any(len(tag) > _MAX_TAG for tag in tags):
            raise forms.ValidationError(
                _("A field of expertise may have at most %(most)d characters.")
                % {"most": _MAX_TAG},
            )
        named_tags = set()
        for tag in tags:
            if tag:
                named_tags.add(tag)
        return sorted(named_tags)

    def changes(self, judge: Judge) -> JudgeChanges:
        """Return what the form changes."""
        data = self.cleaned_data
        conflicting = set(data["conflicts"])
        there = set(System.objects.filter(conflicts__judge=judge))
        return JudgeChanges(
            address=data["address"],
            languages=data["languages"],
            expertise=data["expertise"],
            groups=list(data["groups"]),
            conflicts=sorted(conflicting - there, key=attrgetter("pk")),
            no_conflicts=there - conflicting,
        )


def _system_in_words(system: System) -> str:
    return f"{system_label(system.name)} · {system.test_set.name}"


class AssignForm(forms.Form):
    """A group, and the judges to add to it or remove from it."""

    group = forms.ModelChoiceField(
        label=gettext_lazy("Group"),
        queryset=JudgeGroup.objects.none(),
        empty_label=None,
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


def judged_tasks(judge: Judge) -> list[Task]:
    """Return the tasks that a judge has judged, the latest first."""
    tasks = Task.objects.of(judge.campaign).named().filter(judge_tallies__judge=judge)
    return list(tasks.order_by("-judge_tallies__last_at", "id"))


def judge_details(judge: Judge, form: JudgeForm | None = None) -> dict[str, object]:
    """Return the content of the card *Details* on a judge's page; `judge` is one of `campaign_judges`."""
    annotated = cast("Any", judge)
    name = ""
    if judge.user is not None and judge.user.name != judge.pseudonym:
        name = judge.user.name
    return {
        "judge": judge,
        "form": form or JudgeForm(judge=judge, campaign=judge.campaign),
        "standing": STANDINGS[annotated.standing],
        "came": address_in_unicode(annotated.reached_at) or came_in_words(annotated),
        "name": name,
        "may_have_link": judge.user is not None and judge.withdrawn_at is None,
        "judged_tasks": judged_tasks(judge),
    }
