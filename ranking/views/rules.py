from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import QualityRule
from annotation.services import (
    QualityRefusedError,
    quality_rule_add,
    quality_rule_change,
    quality_rule_switch_off,
    quality_rules_suggest,
)
from campaign.models import Campaign, User
from campaign.views.access import organised_campaign
from ranking.pages.forms import RuleForm
from ranking.pages.judge_measures import rule_in_words
from ranking.selectors.quality import quality_rules


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def rules_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the rules of a campaign, those in force and those of before; POST adds one."""
    campaign = organised_campaign(request, slug)
    form = RuleForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        quality_rule_add(campaign=campaign, terms=form.terms, user=cast("User", request.user))
        messages.success(request, _("The rule is in force and applies to all judgments so far."))
        return redirect("quality-rules", slug)
    return _rules(request, campaign, form)


def _rules(request: HttpRequest, campaign: Campaign, form: RuleForm) -> HttpResponse:
    rules = [(rule, rule_in_words(rule)) for rule in quality_rules(campaign=campaign)]
    context = {
        "campaign": campaign,
        "section": "rules",
        "form": form,
        "in_force": [row for row in rules if row[0].switched_off_at is None],
        "before": [row for row in rules if row[0].switched_off_at is not None],
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/rules.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def rule_page(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Change the terms of a rule: another rule takes its place."""
    campaign = organised_campaign(request, slug)
    rule = get_object_or_404(
        QualityRule, pk=rule_id, campaign=campaign, switched_off_at__isnull=True
    )
    initial = {
        name: getattr(rule, name)
        for name in ("action", "measure", "direction", "threshold", "minimum", "test_set")
    }
    form = RuleForm(request.POST or None, campaign=campaign, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            quality_rule_change(rule=rule, terms=form.terms, user=cast("User", request.user))
        except QualityRefusedError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, _("The rule has been changed; its earlier actions stay."))
        return redirect("quality-rules", slug)
    context = {
        "campaign": campaign,
        "section": "rules",
        "form": form,
        "rule": rule,
        "words": rule_in_words(rule),
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/rule.html", context, status=status)


@require_POST
@login_required
def rule_switch_off(request: HttpRequest, slug: str, rule_id: int) -> HttpResponse:
    """Switch a rule off."""
    campaign = organised_campaign(request, slug)
    rule = get_object_or_404(QualityRule, pk=rule_id, campaign=campaign)
    try:
        quality_rule_switch_off(rule=rule, user=cast("User", request.user))
    except QualityRefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The rule has been switched off; its earlier actions stay."))
    return redirect("quality-rules", slug)


@require_POST
@login_required
def rules_suggest(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the suggested rules."""
    campaign = organised_campaign(request, slug)
    quality_rules_suggest(campaign=campaign, user=cast("User", request.user))
    messages.success(request, _("The suggested rules are in force. They only warn."))
    return redirect("quality-rules", slug)
