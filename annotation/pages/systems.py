"""Table of a test set's systems, and forms to describe and add a system and to correct an output."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db.models import QuerySet
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from annotation.selectors.systems import conflicts_listed, name_settled_in_words
from annotation.services.systems import DESCRIBED
from campaign.models import System, SystemKind, Task
from campaign.models.system import system_label
from campaign.pages.forms import VersionedForm
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.texts.joining import comma_list
from campaign.texts.languages import text_direction
from campaign.texts.lines import LinesTextarea


class SystemTable(DeskTable):
    """Rows of `System`; `conflicts` are judges with conflicts of interest by system."""

    name = SortedColumn(gettext_lazy("System"), by="name", then="id")
    kind = SortedColumn(gettext_lazy("Kind"), by="kind", then="id")
    constrained = SortedColumn(gettext_lazy("Constrained"), by="constrained", then="id")
    approach = SortedColumn(gettext_lazy("Approach"), by="approach", then="id")
    condition = SortedColumn(gettext_lazy("Condition"), by="condition", then="id")
    team = SortedColumn(gettext_lazy("Team"), by="team", then="id")
    conflicts = PlainColumn(gettext_lazy("Conflicts of interest"), by="id", kind="wide")

    caption = gettext_lazy("Systems")

    def __init__(
        self,
        rows: QuerySet[System],
        *,
        of: Sequence[Any],
        conflicts: Mapping[int, Sequence[str]],
    ) -> None:
        super().__init__(rows, of=of)
        self._conflicts = conflicts

    def cell_name(self, row: System) -> SafeString:
        link = self.link_to("system-results", row.pk, system_label(row.name))
        if row.withdrawn_at is None:
            return link
        return format_html(
            '{} <span class="badge">{}</span>',
            link,
            pgettext("system", "Withdrawn"),
        )

    def cell_constrained(self, row: System) -> str:
        return {True: _("yes"), False: _("no"), None: ""}[row.constrained]

    def cell_conflicts(self, row: System) -> str:
        return comma_list(self._conflicts.get(row.pk, ()))


#: Maximum size of a file of outputs; larger ones must be imported with the command.
MAX_BYTES: Final = 20_000_000


class SystemForm(VersionedForm, forms.ModelForm):  # type: ignore[type-arg]
    """Description of a system, with its name while that may change."""

    class Meta:
        model = System
        fields = DESCRIBED

    def __init__(
        self,
        data: Any = None,
        *,
        system: System,
        is_name_settled: bool,
    ) -> None:
        super().__init__(data, instance=system)
        if is_name_settled:
            del self.fields["name"]
        self.fields["constrained"].widget.choices = [
            ("unknown", pgettext_lazy("data of a system", "unknown")),
            ("true", gettext_lazy("yes")),
            ("false", gettext_lazy("no")),
        ]


def system_details(
    task: Task,
    system: System,
    form: SystemForm | None = None,
) -> dict[str, object]:
    """Return the details of a system's page."""
    settled = name_settled_in_words(system=system)
    return {
        "system": system,
        "form": form or SystemForm(system=system, is_name_settled=bool(settled)),
        "settled": settled,
        "conflicts": conflicts_listed(task=task).get(system.pk, []),
        "may_withdraw": system.kind != SystemKind.BAD_REFERENCE
        and system.withdrawn_at is None,
    }


def file_size_validate(file: "File[Any]") -> None:
    """Refuse a file that is too large."""
    if file.size > MAX_BYTES:
        raise ValidationError(_("The file is larger than 20 MB. Compress it as .gz."))


class SystemAddForm(forms.Form):
    """A system to add: its name, and a file of its outputs."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=200)
    file = forms.FileField(
        label=gettext_lazy("Outputs"),
        help_text=gettext_lazy(
            "Plain text with one output per line, or WMT SGML; plain or .gz, up to 20 MB.",
        ),
        validators=[file_size_validate],
    )


class CorrectionForm(forms.Form):
    """The corrected text of an output, and whether judgments of the wrong text count."""

    text = forms.CharField(
        label=gettext_lazy("Corrected output"),
        widget=LinesTextarea(
            attrs={"rows": 4, "class": "notranslate", "translate": "no"},
        ),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("For the activity log."),
    )
    judged = forms.ChoiceField(
        label=gettext_lazy("Judgments of the wrong text"),
        choices=[
            (
                "leave_out",
                gettext_lazy("Exclude them and have these blocks judged again"),
            ),
            ("keep", gettext_lazy("Keep them: they still count for the system")),
        ],
        widget=forms.RadioSelect,
        initial="leave_out",
    )

    def __init__(self, *args: Any, language: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = self["text"].value() or ""
        self.fields["text"].widget.attrs["dir"] = text_direction(text, language)
