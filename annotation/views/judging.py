"""Serve the judging page with its screens and service worker, the steps before it, and organisers' preview of them."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from secrets import token_hex
from typing import TypedDict

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.templatetags.static import static
from django.urls import get_script_prefix, reverse
from django.utils.crypto import salted_hmac
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import conditional_page, require_safe

from annotation.models import ProblemReportKind, SkipReason
from annotation.protocols.answer_kinds import answer_kinds
from annotation.selectors.onboarding import JudgeOnboarding, judge_onboarding
from annotation.selectors.panels import seconds_left
from annotation.views.words import judging_words
from campaign.database.logged import judge_logged
from campaign.models import Campaign, CampaignState, Instructions, Judge, Protocol, Task
from campaign.models.questions import QuestionStage
from campaign.selectors.instructions import instructions_in_force, instructions_to_read
from campaign.selectors.questions import answers_owed
from campaign.texts.languages import language_direction, language_own_name
from campaign.texts.markdown import markdown_render
from campaign.views.access import organised_campaign, user_of
from campaign.views.decorators import page_view


def opaque(kind: str, key: int | None) -> str:
    """Return a keyed hash that distinguishes judges in the same browser without identifying them."""
    return salted_hmac(f"annotation.judge_page.{kind}", str(key)).hexdigest()[:16]


# The scripts of this screen come with the page; others are loaded before their first block is shown.
_PRELOADED = Protocol.RANKING.value


@cache
def _files(pattern: str) -> list[str]:
    """Return the names of the static files that match a pattern."""
    root = settings.BASE_DIR / "static"
    return sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))


def _screens_needed(protocols: Iterable[str]) -> list[str]:
    """Return the protocols whose screens this page needs, sorted.

    `static/judge/screens.js` also defines which protocols use another's screen. Without any
    protocol, returns ranking, so that a page opened before the first task exists is ready for it.
    """
    of_others = {
        str(kind.protocol): kind.screen for kind in answer_kinds() if kind.screen
    }
    screens = {of_others.get(protocol, protocol) for protocol in protocols}
    screens_with_files = sorted(
        screen for screen in screens if _files(f"judge/{screen}/screen.js")
    )
    return screens_with_files or [_PRELOADED]


class ScreensContext(TypedDict):
    """The protocols with screens, and the static files and templates of their screens."""

    protocols: list[str]
    styles: list[str]
    preloaded: list[str]
    loaded_later: list[str]
    screen_templates: list[str]


class InstructionsContext(TypedDict):
    """Instructions in one language; the others by tag, own name and direction."""

    instructions: Instructions
    text: str
    direction: str
    others: list[tuple[str, str, str]]


class ScreenSetup(TypedDict):
    """Data for the scripts of a judging page about the signed-in user."""

    user: str
    name: str
    sign_in: str
    screens: dict[str, str]


def screens_context(protocols: Iterable[str]) -> ScreensContext:
    """Return the template context for these protocols: style sheets, scripts, templates and keys."""
    styles: list[str] = []
    preloaded = [name for name in _files("judge/*.js") if name != "judge/main.js"]
    later = [*_files("judge/later/*.js")]
    with_screen = _screens_needed(protocols)
    for screen in with_screen:
        styles += _files(f"css/judge-{screen.replace('_', '-')}.css")
        if screen == _PRELOADED:
            scripts = preloaded
        else:
            scripts = later
        scripts += _files(f"judge/{screen}/*.js")
        later += _files(f"judge/{screen}/later/*.js")
    return {
        "protocols": with_screen,
        "styles": styles,
        "preloaded": preloaded,
        "loaded_later": later,
        "screen_templates": [f"judge/screens/{screen}.html" for screen in with_screen],
    }


def screen_addresses(protocols: Iterable[str]) -> dict[str, str]:
    """Return the address from which the page imports each protocol's screen."""
    return {
        screen: static(f"judge/{screen}/screen.js")
        for screen in _screens_needed(protocols)
    }


def onboarding_or_404(request: HttpRequest, slug: str) -> JudgeOnboarding:
    """Return the signed-in judge and their open steps; 404 for all other users."""
    onboarding = judge_onboarding(user=user_of(request), campaign_slug=slug)
    if onboarding is None:
        raise Http404
    judge_logged(onboarding.judge.pk)
    return onboarding


def next_step(onboarding: JudgeOnboarding) -> str | None:
    """Return the address of the next page before judging, or None if there is none."""
    judge = onboarding.judge
    slug = judge.campaign.slug
    if judge.declined_at is not None:
        return reverse("judge-decline", args=[slug])
    if judge.campaign.state != CampaignState.OPEN:
        # The judging page shows the campaign's state, and sends answers still on the device.
        return None
    if onboarding.owes_acceptance:
        return reverse("judge-instructions", args=[slug])
    if answers_owed(judge=judge, stage=QuestionStage.START):
        return reverse("judge-questions", args=[slug])
    if judge.chosen_task_id is None and onboarding.has_choice:
        return reverse("judge-test-sets", args=[slug])
    return None


_NAME = "offline/worker.js"


@cache
def _script() -> bytes:
    return (settings.BASE_DIR / "static" / _NAME).read_bytes()


# Not served as a static file: a service worker only controls pages below its own folder.
@require_safe
@conditional_page
def judge_worker(_request: HttpRequest) -> HttpResponse:
    """Return the service worker's script. Browsers request it on each visit, and get 304 while it is unchanged."""
    return HttpResponse(
        _script(),
        content_type="text/javascript; charset=utf-8",
        headers={"Cache-Control": "no-cache"},
    )


def _skip_reasons(campaign: Campaign) -> list[tuple[str, str]]:
    """Return the reasons that a judge may give for a skip, except those about texts that the campaign hides."""
    left_out = {SkipReason.NOT_STATED}
    if not campaign.show_source:
        left_out.add(SkipReason.BAD_SOURCE)
    if not campaign.show_reference:
        left_out.add(SkipReason.BAD_REFERENCE)
    return [
        (reason.value, str(reason.label))
        for reason in SkipReason
        if reason not in left_out
    ]


def _problem_kinds(campaign: Campaign) -> list[tuple[str, str]]:
    left_out = set()
    if not campaign.show_source:
        left_out.add(ProblemReportKind.SOURCE)
    if not campaign.show_reference:
        left_out.add(ProblemReportKind.REFERENCE)
    return [
        (kind.value, str(kind.label))
        for kind in ProblemReportKind
        if kind not in left_out
    ]


def instructions_context(
    instructions: Instructions,
    in_force: Mapping[str, Instructions],
) -> InstructionsContext:
    """Return the context of a page with instructions in one language, and links to the other languages."""
    return {
        "instructions": instructions,
        "text": markdown_render(instructions.text),
        "direction": language_direction(instructions.language),
        "others": [
            (tag, language_own_name(tag), language_direction(tag))
            for tag in in_force
            if tag != instructions.language
        ],
    }


def pages_of_judge(slug: str) -> dict[str, str]:
    """Return the addresses of the judge's pages that the screen links to."""
    return {
        "instructions": reverse("judge-instructions", args=[slug]),
        "questions": reverse("judge-questions", args=[slug]),
        "tasks": reverse("judge-test-sets", args=[slug]),
        "own_link": reverse("judge-own-link", args=[slug]),
        "time": reverse("judge-work-time", args=[slug]),
        "data": reverse("judge-data", args=[slug]),
        "decline": reverse("judge-decline", args=[slug]),
    }


def screen_context(judge: Judge, protocols: Collection[str]) -> dict[str, object]:
    """Return the context of the judging page's template for these protocols."""
    skip_reasons = _skip_reasons(judge.campaign)
    of_screens = screens_context(protocols)
    return {
        "campaign": judge.campaign,
        "skip_reasons": skip_reasons,
        "problem_kinds": _problem_kinds(judge.campaign),
        "words": judging_words(skip_reasons, of_screens["protocols"]),
        **of_screens,
        "pages": pages_of_judge(judge.campaign.slug),
        "invitation_prefix": reverse("invitation", args=["x"]).removesuffix("x/"),
    }


def screen_setup(judge: Judge, address: str, protocols: Collection[str]) -> ScreenSetup:
    """Return the data that the scripts of the page at this address need about the signed-in user."""
    return {
        "user": opaque("user", judge.user_id),
        # Organisers find a judge who asks for a new link by this name.
        "name": judge.pseudonym,
        "sign_in": f"{reverse('sign-in')}?{urlencode({'next': address})}",
        "screens": screen_addresses(protocols),
    }


def sending_setup(judge: Judge) -> dict[str, object]:
    """Return the data that the scripts of a judge's page need to send answers."""
    return {
        "user": opaque("user", judge.user_id),
        "api": f"{get_script_prefix()}api/v1/judging/",
        "campaign": judge.campaign.slug,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
        # Separates the data of two judges in one browser, without revealing who they are.
        "owner": opaque("judge", judge.pk),
    }


# Compressed, because this frame is most of a first visit. Django pads it against attacks on compression.
@require_safe
@gzip_page
@login_required
@never_cache
@ensure_csrf_cookie
def judge_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the frame of the judging page; the browser fetches the work from the judging API.

    Redirects judges who have to take another step first.

    One query in addition to session and user. Returns 404 to users who are not judges of the
    campaign, as if it did not exist.
    """
    onboarding = onboarding_or_404(request, slug)
    step = next_step(onboarding)
    if step is not None:
        return redirect(step)
    judge = onboarding.judge
    protocols = onboarding.protocols
    setup = screen_setup(judge, request.path, protocols) | sending_setup(judge)
    # A preview has only the neighbours of a sentence.
    setup["has_documents"] = True
    has_last_questions = bool(answers_owed(judge=judge, stage=QuestionStage.END))
    setup |= {
        "worker": reverse("judge-worker"),
        # Page shown when there is no more work, if any.
        "completion": ""
        if judge.blocks_asked is None
        else reverse("completion", args=[slug]),
        "seconds_left": seconds_left(judge=judge),
    }
    context = screen_context(judge, protocols) | {
        "onboarding": onboarding,
        "setup": setup,
        "has_last_questions": has_last_questions,
    }
    return render(request, "judge/judge.html", context)


@page_view
def preview_of_campaign(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the preview of the campaign's first test set."""
    campaign = organised_campaign(request, slug)
    first = Task.objects.of(campaign).order_by("pk").first()
    if first is None:
        messages.error(request, _("Add texts first: there is nothing to preview yet."))
        return redirect("test-sets", slug)
    return redirect("judge-preview", slug, first.pk)


@page_view
def preview(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Redirect to the first page that a new judge of the test set sees."""
    pages = _pages(_task(request, slug, task_id))
    return redirect(pages["instructions"] or pages["sentences"])


@page_view
def preview_instructions(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the instructions as judges read them, with a link to the sentences."""
    task = _task(request, slug, task_id)
    in_force = instructions_in_force(campaign=task.test_set.campaign)
    language = request.GET.get("language") or get_language() or ""
    instructions = instructions_to_read(in_force=in_force, language=language)
    pages = _pages(task)
    if instructions is None:
        return redirect(pages["sentences"])
    context = {
        **_shared_preview_context(task, pages, "instructions"),
        **instructions_context(instructions, in_force),
        "onward": pages["sentences"],
    }
    return render(request, "judge/instructions_preview.html", context)


@require_safe
@gzip_page
@login_required
@never_cache
@ensure_csrf_cookie
def preview_sentences(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the judging page; its requests go to addresses that store nothing."""
    task = _task(request, slug, task_id)
    judge = _judge(request, task)
    protocols = [task.protocol]
    context = screen_context(judge, protocols) | _shared_preview_context(
        task,
        _pages(task),
        "sentences",
    )
    context["setup"] = screen_setup(judge, request.path, protocols) | {
        "preview": reverse("preview-assignments", args=[task.pk]).removesuffix(
            "assignments/",
        ),
        "campaign": slug,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
        "owner": _owner(),
    }
    return render(request, "judge/judge.html", context)


def _task(request: HttpRequest, slug: str, task_id: int) -> Task:
    """Return the task if the user organises its campaign, without remembering it in the session."""
    campaign = organised_campaign(request, slug)
    return get_object_or_404(
        Task.objects.select_related("test_set__campaign"),
        pk=task_id,
        test_set__campaign=campaign,
    )


def _owner() -> str:
    """Return a random owner, so that the page does not read data that other pages stored on the device."""
    return f"preview/{token_hex(8)}"


def _judge(request: HttpRequest, task: Task) -> Judge:
    """Return an unsaved judge."""
    user = user_of(request)
    return Judge(campaign=task.test_set.campaign, user=user, pseudonym=user.name)


def _pages(task: Task) -> dict[str, str]:
    """Return the addresses of the pages in order; empty for pages that judges would not see."""
    campaign = task.test_set.campaign
    arguments = [campaign.slug, task.pk]
    has_instructions = bool(instructions_in_force(campaign=campaign))
    return {
        "instructions": reverse("judge-preview-instructions", args=arguments)
        if has_instructions
        else "",
        "sentences": reverse("judge-preview-sentences", args=arguments),
        "questions": "",
    }


def _shared_preview_context(
    task: Task,
    pages: dict[str, str],
    here: str,
) -> dict[str, object]:
    return {
        "campaign": task.test_set.campaign,
        "task": task,
        "pages": pages,
        "has_last_questions": False,
        "here": here,
        "onboarding": JudgeOnboarding(
            judge=Judge(campaign=task.test_set.campaign),
            owes_acceptance=True,
            has_instructions=bool(pages["instructions"]),
            has_several_tasks=False,
            protocols=[task.protocol],
        ),
    }
