"""Organisers' pages of instructions: writing, preview, versions and acceptances."""

from collections.abc import Mapping
from typing import Any, TypedDict

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from campaign.models import Acceptance, Campaign, Instructions
from campaign.pages.forms import VersionedForm, languages_validate
from campaign.selectors.credentials import campaign_languages
from campaign.selectors.instructions import (
    instructions_history,
    instructions_in_force,
    starter_instructions,
)
from campaign.services.instructions import MAX_CHARACTERS, instructions_write
from campaign.texts.languages import (
    language_direction,
    language_name,
    language_tag_checked,
)
from campaign.texts.lines import LinesTextarea
from campaign.texts.markdown import markdown_render
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import form_page, organised_campaign, user_of
from campaign.views.decorators import form_view, page_view


class InstructionsForm(VersionedForm):
    """A version of the instructions."""

    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        validators=[languages_validate],
    )
    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=MAX_CHARACTERS,
        widget=LinesTextarea(attrs={"rows": 16, "dir": "auto"}),
    )
    demands_acceptance = forms.BooleanField(
        label=gettext_lazy("Require all judges to accept this version"),
        required=False,
    )

    def __init__(
        self,
        *args: Any,
        written: list[str],
        read: list[str],
        **kwargs: Any,
    ) -> None:
        """Offer the languages written already, those of the interface and those of the texts."""
        super().__init__(*args, **kwargs)
        interface = [language_tag_checked(tag) for tag, _name in settings.LANGUAGES]
        tags = dict.fromkeys([*written, *interface, *read])
        field: Any = self.fields["language"]
        field.choices = [(tag, language_name(tag)) for tag in tags]
        if not written:
            # Judges always accept the first version.
            del self.fields["demands_acceptance"]

    @property
    def other_languages(self) -> list[tuple[str, str]]:
        """The languages besides the one that the form shows, as tags and names."""
        field: Any = self.fields["language"]
        current = self["language"].value()
        return [(tag, name) for tag, name in field.choices if tag != current]


@form_view
def organiser_instructions(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the versions; POST previews a new one, or publishes it."""
    campaign = organised_campaign(request, slug)
    in_force = instructions_in_force(campaign=campaign)
    form = InstructionsForm(
        request.POST or None,
        initial=_start(campaign, in_force, request.GET.get("language", "")),
        written=list(in_force),
        read=campaign_languages(campaign),
    )
    preview = None
    if form.is_valid() and "preview" in request.POST:
        preview = _render_instructions(**form.cleaned_data)
    elif form.is_valid():
        with RefusalsAt(form, "text"):
            instructions = instructions_write(
                campaign=campaign,
                user=user_of(request),
                language=form.cleaned_data["language"],
                text=form.cleaned_data["text"],
                demands_acceptance=form.cleaned_data.get("demands_acceptance", True),
            )
            if instructions.demands_acceptance:
                message = _(
                    "Version %(version)d published. Judges must accept it before they continue.",
                )
            else:
                message = _("Version %(version)s published.")
            messages.success(request, message % {"version": instructions.version})
            return redirect("instructions", slug)
    current = {row.pk for row in in_force.values()}
    context = {
        "campaign": campaign,
        "section": "instructions",
        "form": form,
        "preview": preview,
        "others": form.other_languages,
        "versions": [
            (row, language_name(row.language), row.pk in current)
            for row in instructions_history(campaign=campaign)
        ],
    }
    return form_page(request, "organiser/instructions.html", context)


def _start(
    campaign: Campaign,
    in_force: Mapping[str, Instructions],
    language: str,
) -> dict[str, str]:
    """Return the language and text to begin with: the current version, or a starter text."""
    interface = language_tag_checked(get_language() or "en")
    language = language or next(iter(in_force), interface)
    if language in in_force:
        return {"language": language, "text": in_force[language].text}
    return {
        "language": language,
        "text": starter_instructions(campaign=campaign, language=language),
    }


class _RenderedText(TypedDict):
    """Instructions as judges read them."""

    text: SafeString
    language: str
    direction: str


def _render_instructions(*, language: str, text: str, **_more: object) -> _RenderedText:
    return {
        "text": markdown_render(text),
        "language": language,
        "direction": language_direction(language),
    }


@page_view
def organiser_instructions_version(
    request: HttpRequest,
    slug: str,
    version: int,
) -> HttpResponse:
    """Show a version of the instructions as judges read it, and its acceptances."""
    campaign = organised_campaign(request, slug)
    row = get_object_or_404(Instructions, campaign=campaign, version=version)
    accepted = Acceptance.objects.filter(instructions=row).select_related("judge")
    context = {
        "campaign": campaign,
        "section": "instructions",
        "row": row,
        "name": language_name(row.language),
        "instructions": _render_instructions(language=row.language, text=row.text),
        "acceptances": accepted.order_by("-accepted_at"),
    }
    return render(request, "organiser/instructions_version.html", context)
