"""The invitations page: tables of shared links and judges, their filters, and forms of links and e-mails."""

from datetime import datetime
from typing import Any, Final

import django_filters
from django import forms
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from campaign.models import (
    Invitation,
    InvitationRole,
    MailState,
)
from campaign.pages.filters import DeskFilter, JudgesFilter
from campaign.pages.forms import (
    DayInput,
    MessageForm,
    WholeNumberField,
    languages_validate,
)
from campaign.pages.tables import PlainColumn, SortedColumn, TableWithActions
from campaign.selectors.credentials import StandingOfInvited, StandingOfLink
from campaign.services.invitation_mails import AddressesRefusedError, addresses_read
from campaign.services.invitations import (
    MOST_JUDGES_OF_A_LINK,
    last_moment,
    link_lifetime,
)
from campaign.texts.addresses import address_in_unicode
from campaign.texts.joining import comma_list
from campaign.texts.languages import language_name
from campaign.texts.lines import LinesTextarea

#: Prefix of the first table's parameters: the page has two tables.
LINKS: Final = "links"
#: Parameters that each table's filter keeps, including the filter and page of the other table.
KEPT_BY_LINKS: Final = (f"{LINKS}-sort", "name", "state", "sort", "page")
KEPT_BY_PEOPLE: Final = (
    "sort",
    *(f"{LINKS}-{name}" for name in ("note", "state", "sort", "page")),
)

_ANY: Final = gettext_lazy("All")


class LinkFilter(DeskFilter):
    """Filters of `links_for_anybody`."""

    note = django_filters.CharFilter(
        lookup_expr="icontains",
        label=gettext_lazy("Note contains"),
        max_length=200,
    )
    state = django_filters.ChoiceFilter(
        "standing",
        label=gettext_lazy("State"),
        choices=StandingOfLink.choices[::-1],
        empty_label=_ANY,
    )


class InvitedFilter(JudgesFilter):
    """Filters of `people_invited`."""

    state = django_filters.ChoiceFilter(
        "standing",
        label=gettext_lazy("State"),
        choices=StandingOfInvited.choices[::-1],
        empty_label=_ANY,
    )


def _moment(moment: datetime) -> dict[str, str]:
    return {"when": date_format(localtime(moment), "DATETIME_FORMAT")}


class LinkTable(TableWithActions):
    """Rows of `links_for_anybody`."""

    note = SortedColumn(gettext_lazy("Note"), by="note", then="-pk")
    joined = SortedColumn(
        gettext_lazy("Joined"),
        by="arrived",
        then="-pk",
        initial_sort_descending=True,
    )
    state = SortedColumn(gettext_lazy("State"), by="standing", then="-pk")
    ends = SortedColumn(
        gettext_lazy("Last day"),
        by="expires_at",
        then="-pk",
        kind="seen",
    )
    made_by = SortedColumn(
        gettext_lazy("Created by"),
        by="created_by",
        order="created_by__name",
        then="-pk",
    )

    caption = gettext_lazy("Shared links")
    actions_template = "organiser/_link_actions.html"

    def actions_context(self, row: Invitation) -> dict[str, object]:
        link = ""
        if row.shows_again and row.revoked_at is None:
            path = reverse("invitation", args=[row.shared_token])
            link = self._request.build_absolute_uri(path)
        return {"row": row, "link": link}

    def cell_note(self, row: Invitation) -> str:
        return row.note or _("Link from %(when)s") % _moment(row.created_at)

    def cell_joined(self, row: Invitation) -> str:
        joined = ngettext(
            "%(arrived)s of %(cap)s judge",
            "%(arrived)s of %(cap)s judges",
            row.cap or 0,
        )
        return joined % {
            "arrived": number_format(row.arrived),
            "cap": number_format(row.cap or 0),
        }

    def cell_state(self, row: Any) -> str:
        if row.revoked_at is not None:
            return _("Withdrawn: %(when)s") % _moment(row.revoked_at)
        return str(StandingOfLink(row.standing).label)

    def cell_ends(self, row: Invitation) -> SafeString:
        return format_html(
            '<time datetime="{}">{}</time>',
            row.expires_at.isoformat(),
            date_format(localtime(row.expires_at), "DATETIME_FORMAT"),
        )

    def cell_made_by(self, row: Invitation) -> str:
        if row.created_by is None:
            return ""
        return row.created_by.name


def _invitation_column(label: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(label, by=by, then="-pk", **options)


class InvitedTable(TableWithActions):
    """Rows of `people_invited`; those on the page also have the data of `invited_judges`."""

    name = _invitation_column(gettext_lazy("Judge"), "pseudonym", kind="judge")
    address = _invitation_column(
        gettext_lazy("Address or link"),
        "reached_at",
        kind="wide",
    )
    message = _invitation_column(
        gettext_lazy("Message"),
        "sent_at",
        kind="wide",
        initial_sort_descending=True,
    )
    opened = _invitation_column(
        gettext_lazy("Link opened"),
        "opened_at",
        kind="wide",
        initial_sort_descending=True,
    )
    link = _invitation_column(
        gettext_lazy("Link"),
        "link_ends",
        kind="wide",
        initial_sort_descending=True,
    )
    look = PlainColumn(gettext_lazy("Flags"), by="pk", kind="flags")

    caption = gettext_lazy("Judges")
    actions_template = "organiser/_invited_actions.html"

    def cell_name(self, row: Any) -> SafeString:
        return self.link_to("campaign-judge", row.pk, row.pseudonym)

    def cell_address(self, row: Any) -> str | SafeString:
        address = row.address
        if not address and row.mail is not None:
            address = row.mail.address
        if address:
            return format_html("<bdi>{}</bdi>", address_in_unicode(address))
        if row.joined_by is not None:
            return row.joined_by.note or _("Shared link")
        return ""

    def cell_message(self, row: Any) -> str | SafeString:
        mail = row.mail
        if mail is None:
            return ""
        state = str(mail.get_state_display())
        if mail.sent_at is not None:
            state = f"{state} {_moment(mail.sent_at)['when']}"
        if not mail.error:
            return state
        explanation = {
            MailState.UNCONFIRMED.value: _(
                "We do not know whether the message was sent.",
            ),
            MailState.QUEUED.value: _("It will be retried."),
        }.get(mail.state, "")
        return format_html(
            '{}<span class="field-error">{} <bdi lang="en">{}</bdi></span>',
            state,
            explanation,
            mail.error,
        )

    def cell_opened(self, row: Any) -> SafeString:
        if row.opened_at is None:
            lines = [_("Not opened yet")]
        else:
            lines = [_("opened %(when)s") % _moment(row.opened_at)]
        if row.browsers:
            in_browsers = ngettext(
                "in %(browsers)s browser",
                "in %(browsers)s browsers",
                row.browsers,
            ) % {"browsers": row.browsers}
            if row.kinds:
                kinds = f" ({comma_list(row.kinds)})"
            else:
                kinds = ""
            lines.append(f"{in_browsers}{kinds}")
        if row.accepted:
            accepted = _("accepted instructions version %(version)s")
            lines.append(accepted % {"version": row.accepted})
        return format_html_join(" · ", "{}", ((line,) for line in lines))

    def cell_link(self, row: Any) -> str:
        if row.withdrawn_at is not None:
            return pgettext("judge", "Withdrawn")
        if row.link_ends is None:
            return _("no valid link")
        return _("valid until %(when)s") % _moment(row.link_ends)

    def cell_look(self, row: Any) -> SafeString:
        lines = []
        if row.declined_at is not None:
            declined = _("declined %(when)s") % _moment(row.declined_at)
            lines.append(format_html("<strong>{}</strong>", declined))
        if row.concurrent_at is not None:
            concurrent = _(
                "Two browsers were active within the same ten minutes (%(when)s). The link may have been shared, or the judge may use two devices. Ask before you act.",
            )
            lines.append(
                format_html(
                    '<p class="notice error">{}</p>',
                    concurrent % _moment(row.concurrent_at),
                ),
            )
        return format_html_join("", "{}", ((line,) for line in lines))


class _LanguagesForm(forms.Form):
    """A form that asks which of the campaign's languages judges read."""

    languages = forms.MultipleChoiceField(
        label=gettext_lazy("Languages of the judges"),
        help_text=gettext_lazy(
            "Leave all unchecked for all languages of the campaign.",
        ),
        required=False,
        validators=[languages_validate],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, languages: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["languages"]
        field.choices = [(tag, language_name(tag)) for tag in languages]


class _SharedLinkForm(forms.Form):
    """Ask for the last day and the note of a shared link."""

    expires = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=DayInput(),
    )
    note = forms.CharField(
        label=gettext_lazy("Note"),
        help_text=gettext_lazy("Visible to organisers only."),
        max_length=200,
        required=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["expires"]
        field.initial = timezone.localdate() + link_lifetime(InvitationRole.JUDGE)
        field.help_text = gettext_lazy("Leave empty for %(day)s.") % {
            "day": date_format(field.initial),
        }

    def clean_expires(self) -> datetime | None:
        return last_moment(self.cleaned_data["expires"])


class ResultsLinkForm(_SharedLinkForm):
    """A link to the results of a campaign."""

    field_order = ("anonymous", "expires", "note")
    anonymous = forms.BooleanField(
        label=gettext_lazy("Anonymise systems"),
        required=False,
    )


class LinkForm(_SharedLinkForm, _LanguagesForm):
    """A shared link for new judges."""

    field_order = ("cap", "expires", "note", "languages", "asks_languages")
    cap = WholeNumberField(
        label=gettext_lazy("Maximum number of judges"),
        help_text=gettext_lazy("Enter 1 for a personal link."),
        min_value=1,
        max_value=MOST_JUDGES_OF_A_LINK,
        initial=20,
    )
    asks_languages = forms.BooleanField(
        label=gettext_lazy("Ask new judges which of these languages they read"),
        required=False,
    )


class MailForm(MessageForm, _LanguagesForm):
    """Invitations by e-mail."""

    field_order = ("addresses", "languages", "language", "note")
    addresses = forms.CharField(
        label=gettext_lazy("E-mail addresses"),
        help_text=gettext_lazy("One per line, or separated by commas."),
        max_length=100_000,
        strip=False,
        widget=LinesTextarea(attrs={"rows": 5, "spellcheck": "false", "dir": "ltr"}),
    )

    def clean_addresses(self) -> list[str]:
        try:
            return addresses_read(self.cleaned_data["addresses"])
        except AddressesRefusedError as error:
            raise forms.ValidationError(error.problems) from error
