"""The page of a campaign's machine judges."""

from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.selectors.machines import machines_of, tasks_of_machines
from campaign.models import Campaign, MachineJudge
from campaign.services.machines import (
    MachineTerms,
    machine_add,
    machine_token_replace,
    machine_withdraw,
)
from campaign.texts.joining import labelled
from campaign.texts.lines import LinesTextarea
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import form_page, organised_campaign, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import form_view

_TEMPLATE: Final = "people/machines.html"


class MachineForm(forms.ModelForm):  # type: ignore[type-arg]  # not at run time
    """The terms of a machine judge."""

    class Meta:
        model = MachineJudge
        fields = ("name", "version", "prompt", "settings", "asked_twice")
        widgets = dict.fromkeys(["prompt", "settings"], LinesTextarea({"rows": 4}))


@form_view
def machines_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the machine judges; POST adds one, replaces its token, or withdraws it."""
    campaign = organised_campaign(request, slug)
    action = request.POST.get("action", "")
    if action in ("token", "withdraw"):
        return _change(request, campaign, action)
    form = MachineForm(request.POST or None)
    if form.is_valid():
        with RefusalsAt(form):
            machine, token = machine_add(
                campaign=campaign,
                by=user_of(request),
                terms=MachineTerms(**form.cleaned_data),
            )
            context = _context(campaign, MachineForm(), machine, token)
            return render(request, _TEMPLATE, context, status=201)
    return form_page(request, _TEMPLATE, _context(campaign, form))


def _change(request: HttpRequest, campaign: Campaign, action: str) -> HttpResponse:
    key = request.POST.get("machine", "")
    machines = MachineJudge.objects.filter(campaign=campaign)
    machine = get_object_or_404(
        machines,
        pk=key if key.isascii() and key.isdecimal() else None,
    )
    if _ends_token(machine, action) and not is_answered(request):
        question = _question(machine, action)
        return ask(request, question, campaign=campaign, section="campaign-judges")
    if action == "token":
        token = machine_token_replace(machine=machine, by=user_of(request))
        context = _context(campaign, MachineForm(), machine, token)
        return render(request, _TEMPLATE, context)
    machine_withdraw(machine=machine)
    messages.success(request, _("Machine judge withdrawn. Its judgments are kept."))
    return redirect("machines", campaign.slug)


def _ends_token(machine: MachineJudge, action: str) -> bool:
    """Return whether an action stops the program that judges now; a machine judge without token has none."""
    return action == "withdraw" or bool(machine.token_digest)


def _question(machine: MachineJudge, action: str) -> Question:
    """Return the confirmation asked before a token ends."""
    if action == "token":
        label = _("Create new token")
    else:
        label = _("Withdraw machine judge")
    return Question(
        title=labelled(label, machine),
        facts=[
            _("The program that uses the present token can no longer judge."),
            _("Existing judgments are kept."),
        ],
        answers=[Answer(label)],
        fields={"machine": str(machine.pk), "action": action},
        cancel=reverse("machines", args=[machine.campaign.slug]),
    )


def _context(
    campaign: Campaign,
    form: MachineForm,
    token_machine: MachineJudge | None = None,
    token: str = "",
) -> dict[str, object]:
    """Return the content of the page, with the new token of a machine judge."""
    return {
        "campaign": campaign,
        "section": "campaign-judges",
        "machines": machines_of(campaign_id=campaign.pk),
        "tasks": tasks_of_machines(campaign=campaign),
        "form": form,
        # Without a redirect, for which it would have to be stored.
        "token": token,
        "token_machine": token_machine,
    }
