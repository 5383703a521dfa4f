"""A judge's pages other than the judging page: instructions, test sets, own link, time worked, own data, declining."""

from collections import Counter
from collections.abc import Mapping

import segno
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.export.own_data import own_data_zip
from annotation.export.work_time import clock_time, work_time_csv
from annotation.pages.questions import AnswersForm
from annotation.selectors.judges import messages_to
from annotation.selectors.judgment_list import OWN_REPORTS_SHOWN, own_problem_reports
from annotation.selectors.onboarding import JudgeOnboarding, TaskOnOffer, tasks_on_offer
from annotation.selectors.panels import participation_of
from annotation.selectors.work_time import work_time
from annotation.services.judges import judge_decline, judge_take_part
from annotation.services.numbers import waiting_judgments_number
from annotation.views.judging import (
    instructions_context,
    onboarding_or_404,
    opaque,
    sending_setup,
)
from campaign.export.downloads import download, for_spreadsheets
from campaign.models import Judge
from campaign.models.questions import QuestionStage
from campaign.selectors.credentials import own_link_of
from campaign.selectors.instructions import instructions_in_force, instructions_to_read
from campaign.selectors.media import media_of_test_sets
from campaign.selectors.questions import questions_to_judge
from campaign.selectors.tasks import work_on
from campaign.services.erasures import erasure_ask, erasure_withdraw
from campaign.services.instructions import instructions_accept
from campaign.services.invitation_mails import OwnLinkRefusedError, own_link_send
from campaign.services.invitations import own_link_create, own_link_revoke
from campaign.services.judges import task_choose
from campaign.services.notification import mail_is_printed
from campaign.services.questions import judge_answers_delete, judge_answers_write
from campaign.texts.joining import sentence_list
from campaign.texts.languages import language_pair_name
from campaign.views.decorators import form_view, page_view


def _page(
    request: HttpRequest,
    name: str,
    onboarding: JudgeOnboarding,
    context: Mapping[str, object],
    status: int = 200,
) -> HttpResponse:
    judge = onboarding.judge
    shared = {
        "campaign": judge.campaign,
        "judge": judge,
        "onboarding": onboarding,
        # Identifies a judge who signs in again from the judging page and lands here.
        "setup": sending_setup(judge),
    }
    return render(request, f"judge/{name}.html", {**shared, **context}, status=status)


@form_view
def instructions_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the instructions in the reader's language; POST accepts the version that was read."""
    onboarding = onboarding_or_404(request, slug)
    in_force = instructions_in_force(campaign=onboarding.judge.campaign)
    language = request.GET.get("language") or get_language() or ""
    instructions = instructions_to_read(in_force=in_force, language=language)
    if instructions is None:
        return redirect("judge", slug)
    if request.method == "POST":
        version = request.POST.get("version", "")
        read = next(
            (row for row in in_force.values() if str(row.version) == version),
            None,
        )
        if read is not None:
            instructions_accept(judge=onboarding.judge, instructions=read)
            return redirect("judge", slug)
    context = {
        **instructions_context(instructions, in_force),
        # A newer version was saved while this one was being read.
        "outdated": request.method == "POST",
    }
    status = 409 if request.method == "POST" else 200
    return _page(request, "instructions", onboarding, context, status)


@form_view
def questions_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask the questions of a stage, or show the judge's answers; POST stores or deletes them."""
    onboarding = onboarding_or_404(request, slug)
    judge = onboarding.judge
    is_end = request.GET.get("stage") == QuestionStage.END
    questions = questions_to_judge(judge=judge, is_end=is_end)
    if not questions:
        return redirect("judge", slug)
    action = request.POST.get("action")
    if action == "delete":
        judge_answers_delete(judge=judge)
        messages.success(request, _("Your answers were deleted."))
        return redirect(request.get_full_path())
    entries = None
    if action == "save":
        entries = request.POST
    form = AnswersForm(entries, judge=judge, questions=questions)
    if form.is_valid():
        judge_answers_write(
            judge=judge,
            questions=questions,
            values=form.values(),
            language=get_language() or "",
        )
        return redirect(_page_after_questions(judge) if is_end else "judge", slug)
    context = {
        "answers_form": form,
        "has_refused": any(name in form.errors for name in form.fields),
        "is_end": is_end,
        "is_first_time": any(
            question.name not in judge.answers for question in questions
        ),
        "onward": reverse(_page_after_questions(judge), args=[slug]) if is_end else "",
    }
    return _page(request, "questions", onboarding, context, 400 if form.errors else 200)


def _page_after_questions(judge: Judge) -> str:
    """Return the name of the page after the last questions: participants of a panel need their code."""
    if participation_of(judge=judge) is None:
        return "judge"
    return "completion"


@form_view
def tasks_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the tasks that a judge's languages allow, with their questions; POST chooses one."""
    onboarding = onboarding_or_404(request, slug)
    if not onboarding.has_choice:
        return redirect("judge", slug)
    offers = tasks_on_offer(judge=onboarding.judge)
    if request.method == "POST":
        offer_key = request.POST.get("task", "")
        chosen = next(
            (
                row.task
                for row in offers
                if opaque("test-set", row.task.pk) == offer_key
            ),
            None,
        )
        if chosen is None:
            return HttpResponseBadRequest(_("Invalid choice."))
        task_choose(judge=onboarding.judge, task=chosen)
        return redirect("judge", slug)
    media = media_of_test_sets(onboarding.judge.campaign)
    words_by_task = {}
    for offer in offers:
        work = work_on(offer.task, media.of(offer.task.test_set_id))
        words_by_task[offer.task.pk] = (_pair(offer), tuple(work))
    tasks_by_words = Counter(words_by_task.values())
    described = []
    for offer in offers:
        task = offer.task
        words = words_by_task[task.pk]
        pair, work_lines = words
        # Names are meant for organisers, so judges see them only to tell tasks apart.
        name = ""
        if tasks_by_words[words] > 1:
            name = task.test_set.name
        described.append(
            {
                "value": opaque("test-set", task.pk),
                "languages": language_pair_name(*pair),
                "name": name,
                "work": sentence_list(work_lines),
                "is_chosen": task.pk == onboarding.judge.chosen_task_id,
                "done": offer.sentences_done,
                "left": offer.sentences_left,
            },
        )
    return _page(request, "test_sets", onboarding, {"offers": described})


def _pair(offer: TaskOnOffer) -> tuple[str, str]:
    return offer.task.test_set.source_language, offer.task.test_set.target_language


@form_view
def own_link_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Create, show once, send and withdraw a link for continuing on another device."""
    onboarding = onboarding_or_404(request, slug)
    judge = onboarding.judge
    action = None
    if request.method == "POST":
        action = request.POST.get("action")
    context: dict[str, object] = {"can_mail": not mail_is_printed(), "address": ""}
    status = 200
    if action == "withdraw":
        own_link_revoke(judge=judge)
    elif action == "send":
        status = _own_link_send(request, judge, context)
    elif request.method == "POST":
        link = request.build_absolute_uri(
            reverse("invitation", args=[own_link_create(judge=judge)]),
        )
        context |= {"link": link, "code": _qr_code(link)}
        status = 201
    context["made"] = own_link_of(judge=judge)
    return _page(request, "own_link", onboarding, context, status)


def _own_link_send(
    request: HttpRequest,
    judge: Judge,
    context: dict[str, object],
) -> int:
    """Send the link to the address in the form, add the result to the context, and return the status code."""
    address = request.POST.get("address", "")
    try:
        mail = own_link_send(
            judge=judge,
            address=address,
            base_url=request.build_absolute_uri("/"),
            language=get_language() or "en",
        )
    except OwnLinkRefusedError as error:
        context |= {"problem": str(error), "address": address}
        return 400
    context["sent_to"] = mail.address
    return 200


def _qr_code(link: str) -> SafeString:
    """Return the link as a QR code, always dark on light."""
    code = segno.make(link, micro=False, error="m")
    # Safe: the SVG consists only of numbers and contains no text of the link.
    return SafeString(
        code.svg_inline(
            scale=5,
            dark="#000",
            light="#fff",
            svgclass="qr",
            lineclass=None,
        ),
    )


@form_view
def declining_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the effects of declining; POST declines, or takes part again."""
    onboarding = onboarding_or_404(request, slug)
    judge = onboarding.judge
    action = request.POST.get("action")
    if action == "decline":
        judge_decline(judge=judge)
        return redirect("judge-decline", slug)
    if action == "return":
        judge_take_part(judge=judge)
        return redirect("judge", slug)
    context = {"participation": participation_of(judge=judge)}
    return _page(
        request,
        "declining",
        onboarding,
        context,
        400 if request.method == "POST" else 200,
    )


@form_view
def own_data_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the data download and the effects of erasure; POST requests erasure, or withdraws the request."""
    onboarding = onboarding_or_404(request, slug)
    judge = onboarding.judge
    action = request.POST.get("action")
    if action == "ask":
        erasure_ask(judge=judge, language=get_language() or "")
        return redirect("judge-data", slug)
    if action == "withdraw":
        erasure_withdraw(judge=judge)
        return redirect("judge-data", slug)
    context = {"erasure": judge.erasure_requests.order_by("-pk").first()}
    return _page(
        request,
        "own_data",
        onboarding,
        context,
        400 if request.method == "POST" else 200,
    )


@page_view
def own_data_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the data kept about a judge as a zip."""
    judge = onboarding_or_404(request, slug).judge
    return download(f"{slug}-my-data.zip", own_data_zip(judge))


@page_view
def work_time_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show sentences and active time by day and in total, the definition of the counts, and the outcome of problem
    reports.
    """
    onboarding = onboarding_or_404(request, slug)
    judge = onboarding.judge
    waiting_judgments_number(campaign=judge.campaign)
    worked = work_time(judge)
    context = {
        "worked": worked,
        "total": worked.total,
        "total_time": clock_time(worked.total.active_seconds),
        "days": [
            (day, worked_on_day, clock_time(worked_on_day.active_seconds))
            for day, worked_on_day in worked.days.items()
        ],
        "reports": own_problem_reports(judge)[:OWN_REPORTS_SHOWN],
        "messages_to_judge": messages_to(judge),
    }
    return _page(request, "work_time", onboarding, context)


@page_view
def work_time_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the judge's work time as a CSV file."""
    judge = onboarding_or_404(request, slug).judge
    waiting_judgments_number(campaign=judge.campaign)
    content = work_time_csv(judge=judge, worked=work_time(judge))
    return for_spreadsheets(download(f"{slug}-my-time.csv", content))
