"""Forms for a campaign's judges: adding a list, changing a judge, and assigning groups."""

from typing import Any, Final, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.pages.judge_tables import STANDINGS, came_in_words
from campaign.formats import FormatError
from campaign.formats.judge_lists import MAX_BYTES, JudgeList, judge_list_decode, judge_list_read
from campaign.forms.languages import languages_validate
from campaign.forms.versions import VersionedForm
from campaign.models import Campaign, Judge, JudgeGroup, System, Task
from campaign.models.system import system_label
from campaign.selectors.invitations import campaign_languages
from campaign.texts.languages import language_name

_MAX_TAG: Final = 60


class JudgeListForm(forms.Form):
    """A list of judges, pasted or as a file, and how they receive their links."""

    text = forms.CharField(
        label=_("Addresses or CSV"),
        help_text=_(
            "One judge per line, with or without a name, or a table with any of these columns: email, name, languages, expertise, groups, conflicts."
        ),
        max_length=MAX_BYTES,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "dir": "ltr"}),
    )
    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV or plain text, up to 2 MB. You can drop it here."),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv,text/plain"}),
    )
    how = forms.ChoiceField(
        label=_("Delivery of links"),
        choices=[
            ("links", _("Show me the links once")),
            ("mail", _("Send each judge an e-mail")),
        ],
        initial="links",
    )
    language = forms.ChoiceField(label=_("Message language"), choices=settings.LANGUAGES)
    note = forms.CharField(
        label=_("Personal note in the message"),
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
            data["judges"] = judge_list_read(data.get("text") or "")
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
        help_text=_("Separate fields by commas. Test sets can require some of them."),
        max_length=2000,
        required=False,
    )
    languages = forms.MultipleChoiceField(
        required=False, validators=[languages_validate], widget=forms.CheckboxSelectMultiple
    )
    groups = forms.ModelMultipleChoiceField(
        label=_("Groups"),
        queryset=JudgeGroup.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    conflicts = forms.ModelMultipleChoiceField(
        label=_("Conflicts of interest"),
        help_text=_("The judge never gets outputs of these systems."),
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
        label=_("Group"), queryset=JudgeGroup.objects.none(), empty_label=None
    )
    who = forms.ChoiceField(
        label=_("Judges"),
        choices=[
            ("ticked", _("selected judges")),
            ("found", _("all judges that match the filters")),
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
        "came": shown.reached_at or came_in_words(shown),
        "name": "" if judge.user is None or judge.user.name == judge.pseudonym else judge.user.name,
        "may_have_link": judge.user is not None and judge.withdrawn_at is None,
        "judged_tasks": list(
            Task.objects.of(judge.campaign)
            .named()
            .filter(judge_tallies__judge=judge)
            .order_by("-judge_tallies__last_at", "id")
        ),
    }
