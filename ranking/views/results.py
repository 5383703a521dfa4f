"""Results of a test set and tables of a campaign: the dashboard, and pages of sections with answers and options."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.export.work_time import clock_time
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.judges import excluded_judges
from campaign.export.downloads import for_spreadsheets
from campaign.models import Campaign, CampaignState, Judge, Task
from campaign.pages.desk import TEST_SET, rights, role_remember
from campaign.views.access import (
    joined_campaign,
    joined_task,
    organised_campaign,
    organised_task,
    user_of,
)
from campaign.views.decorators import action_view, form_view, page_view
from ranking.models import Analysis, RankingRun
from ranking.pages.acting import judges_to_act
from ranking.pages.analysis_form import AnalysisForm, asked_in_words, pair_links
from ranking.pages.formats import Addresses, TableAddresses, bar_plot, percent, rank_plots
from ranking.pages.forms import anytime_ranges_of, shown_rule_of
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.overview import overview_rows
from ranking.pages.page_plots import PLOTS, history_shown, plot_links
from ranking.pages.report_shown import (
    PLOT_FILES,
    answer_file,
    rankings_beside,
    report_file,
    shown_tables,
)
from ranking.pages.summary import effects_in_words, headline, summarise_run, summary_without_order
from ranking.reports import Report
from ranking.reports.analyses.kind import EXCLUDED, GROUP, WITHOUT, AnalysisChoice, AnalysisKind
from ranking.reports.analyses.options import OptionError
from ranking.reports.analyses.ranking import RANKING
from ranking.reports.analyses.registry import TABLES
from ranking.reports.wording.agreement import kappa_in_words, strength_caution
from ranking.reports.wording.methods import unranked_in_words
from ranking.reports.wording.stopping_rules import RuleState, rule_notes, shown_rule
from ranking.reports.writing import FILES
from ranking.selectors.analyses import (
    Answered,
    JudgmentsToChoose,
    analyses_asked,
    analyses_of,
    answer_for_people,
    answered,
    groups_to_choose,
    judgments_to_choose,
    kind_in_place_of_ranking,
    linked_tasks,
    table_answer,
)
from ranking.selectors.dashboards import (
    DashboardState,
    JudgingProgress,
    dashboard_state,
    judging_progress,
    latest_feedback,
    task_overview,
    time_worked,
)
from ranking.selectors.judges import effects_held
from ranking.selectors.machines import machine_digests
from ranking.selectors.metrics import metric_digests
from ranking.selectors.one_system import systems_by_name
from ranking.selectors.runs import (
    judges_left_out,
    latest_run,
    ranking_history,
    stopping_rule_state,
    system_kinds,
)
from ranking.selectors.tasks_beside import other_tasks
from ranking.services.analyses import (
    GROWTH,
    analysis_ask,
    analysis_choice,
    table_ask,
    watermark_check,
)
from ranking.services.runs import latest_ranking_keep

#: Query parameters: the section whose options are in the query, and the ranking shown for
#: comparison.
OF, BESIDE = "analysis", "beside"
#: Pages of results, by their names in the navigation.
_PAGES: Final = {room.name: room.page for tab in TEST_SET for room in (tab, *tab.rooms)}


class SectionsOf(ABC):
    """Base class for the sections of a page, of a task or of a campaign."""

    #: URL name of a section, and prefix of the URL names of its files.
    address: str

    def __init__(self, request: HttpRequest, campaign: Campaign) -> None:
        self._request, self._campaign = request, campaign
        self._of: list[Any] = [campaign.slug]
        self.status = 200

    @property
    @abstractmethod
    def judgments(self) -> JudgmentsToChoose:
        """The available choices among the judgments."""

    @abstractmethod
    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> dict[str, Any]:
        """Return the template context of the newest answer to a request."""

    @property
    def may_ask(self) -> bool:
        """True if analyses can be computed: not in archived campaigns and rehearsals."""
        campaign = self._campaign
        return campaign.state != CampaignState.ARCHIVED and not campaign.rehearsal_of_id

    def listed(self, kinds: Iterable[AnalysisKind]) -> list[dict[str, Any]]:
        """Return a section of each kind; the one named in the address uses the options in the address."""
        asked, found = self._request.GET, []
        said: set[str] = set()
        for kind in kinds:
            data = given_options(asked) if asked.get(OF) == kind.name else None
            context = self.context(self.form(kind, data))
            # Show notes shared by several answers once.
            for name in ("about", "notes"):
                notes = context.get(name, ())
                context[name] = [note for note in notes if note not in said]
                said.update(notes)
            for table in context.get("tables", ()):
                table["notes"] = [note for note in table["notes"] if note not in said]
                said.update(caution for caution in table["notes"] if caution == strength_caution())
            body = render_to_string("analyses/_section.html", context, self._request)
            found.append({"name": kind.name, "title": kind.title, "body": body})
        return found

    def form(self, kind: AnalysisKind, data: QueryDict | None) -> AnalysisForm:
        """Return the options of a kind as a form."""
        return AnalysisForm(data or None, kind=kind, judgments=self.judgments)

    def context(self, form: AnalysisForm, error: OptionError | None = None) -> dict[str, Any]:
        """Return the content of a section: the newest answer to its form, or the error."""
        found: dict[str, Any] = {}
        try:
            if error is not None:
                raise error
            found = self.answer(form, form_choice(form))
        except OptionError as refused:
            form.refuse(refused)
            self.status = 400
        return {
            "campaign": self._campaign,
            "kind": form.kind,
            "form": form,
            "action": reverse(self.address, args=[*self._of, form.kind.name]),
            "query": form.query if form.is_bound and not form.errors else "",
            "may_ask": self.may_ask,
            **found,
        }

    def requested(
        self, kind: AnalysisKind, page: str, ask: Callable[[AnalysisForm], object]
    ) -> HttpResponse:
        """Request an analysis on POST; redirect to its section of the page, or return the section to scripts."""
        request = self._request
        error: OptionError | None = None
        is_part, is_asked = bool(request.headers.get("HX-Request")), request.method == "POST"
        # Pages that request an answer automatically send the options in the query, as when polling for progress.
        asked = request.POST if is_asked and not is_part else request.GET
        if is_asked or is_part:
            form = self.form(kind, given_options(asked))
        if is_asked:
            try:
                ask(form)
            except OptionError as refused:
                error = refused
        if not is_part:
            query = asked.copy()
            query.pop("csrfmiddlewaretoken", None)
            if query:
                query[OF] = kind.name
            return redirect(f"{page}{'?' if query else ''}{query.urlencode()}#{kind.name}")
        context = self.context(form, error)
        if not is_asked and context.get("is_awaited"):
            return render(request, "analyses/_job.html", context)
        if is_asked:
            # Do not repeat a request just made, whatever its outcome.
            context["asks"] = False
        answer = render(request, "analyses/_section.html", context)
        answer["HX-Retarget"], answer["HX-Reswap"] = f"#{kind.name}", "outerHTML"
        return answer

    def asked(self, answer: Answered) -> dict[str, Any]:
        """Return the template context for the state of an answer."""
        pending = answer.pending
        return {
            "answer": answer,
            "shown": answer.shown,
            "job": pending.job if pending is not None else None,
            "is_awaited": answer.is_awaited,
        }

    def shown(
        self, kind: AnalysisKind, report: Report, of: str | int, query: str = "", **links: Any
    ) -> dict[str, Any]:
        """Return a report as shown, with addresses of files below `of`; `links` are arguments of `shown_tables`."""
        place = [*self._of, of]
        # Tables of different kinds may have the same name.
        prefix = f"{kind.name}-"
        tables = [replace(each, name=f"{prefix}{each.name}") for each in report.tables]

        def file(name: str, ending: str) -> str:
            args = [*place, name.removeprefix(prefix), ending]
            return reverse(f"{self.address}-plot", args=args) + query

        return {
            "about": report.about,
            "notes": report.notes,
            "files": [
                (ending.upper(), reverse(f"{self.address}-file", args=[*place, ending]) + query)
                for ending in FILES
            ],
            "tables": shown_tables(replace(report, tables=tables), file_address=file, **links),
        }

    def is_due(self, answer: Answered) -> bool:
        """Return whether the page should request an answer: there is none, or many judgments were added since."""
        if not self.may_ask or not answer.last or answer.is_awaited:
            return False
        newest = answer.pending or answer.shown
        return newest is None or answer.last - newest.watermark > GROWTH * newest.watermark


class Sections(SectionsOf):
    """Sections of a page of results of a task. Shared data is read once."""

    address = "analysis"

    def __init__(self, request: HttpRequest, task: Task) -> None:
        super().__init__(request, task.test_set.campaign)
        self._task = task
        self._of.append(task.pk)

    def of(self, page: str) -> list[dict[str, Any]]:
        """Return the sections of a page, without kinds that have no data."""
        kinds = analyses_of(task=self._task).values()
        return self.listed(kind for kind in kinds if kind.page == page and self._has_all(kind))

    def _has_all(self, kind: AnalysisKind) -> bool:
        """Return whether the test set has the other tasks or metrics, or its campaign the machine judges, that a kind needs."""
        if kind.needs_metrics or kind.needs_machines:
            has_metrics = kind.needs_metrics and bool(self._metrics)
            return has_metrics or (kind.needs_machines and self._campaign.machines.exists())
        return self._has_other_tasks or not (kind.reads_other_tasks or kind.beside)

    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> dict[str, Any]:
        """Return the newest answer to a request."""
        found = answered(
            task=self._task,
            choice_digest=choice.digest,
            watermark=form.watermark,
            metrics=self._metrics if form.kind.needs_metrics else None,
            machines=machine_digests(task_id=self._task.pk) if form.kind.needs_machines else None,
        )
        if form.watermark is not None:
            watermark_check(form.watermark, found.last)
        context = {"task": self._task, "asks": self._asks(form, found), **self.asked(found)}
        return context if found.shown is None else context | self._shown(form, found.shown)

    def _asks(self, form: AnalysisForm, answer: Answered) -> bool:
        if form.kind is RANKING and not form.is_bound:
            # The page begins with the ranking by the current settings.
            return False
        if form.watermark is not None and answer.shown is not None:
            return False
        if self.is_due(answer):
            return True
        is_newest = self.may_ask and answer.pending is None and answer.shown is not None
        return is_newest and self._is_outdated(form, cast("Analysis", answer.shown))

    def _is_outdated(self, form: AnalysisForm, shown: Analysis) -> bool:
        """Return whether judges have been excluded or reinstated since, or systems added or deleted."""
        counted = shown.judgments
        given = form.given if form.is_bound else {}
        judges = {*counted["without"], *counted.get("leave_out", ())}
        usual = not {EXCLUDED.name, WITHOUT.name, GROUP.name, "leave_out"}.intersection(given)
        is_same = not usual or self._excluded <= judges
        if usual and "leave_out" not in counted:
            is_same = judges == self._excluded
        return not is_same or set(counted["systems"]) != self._systems

    def _shown(self, form: AnalysisForm, shown: Analysis) -> dict[str, Any]:
        report = answer_for_people(shown)
        # Pages show the current progress; the answer has the progress at the time it was computed.
        rule = [] if self._rule is None else rule_notes(self._rule)
        context: dict[str, Any] = {
            **self.shown(form.kind, report, shown.pk, addresses=self._addresses),
            "notes": [note for note in report.notes if note not in rule],
            "judges_to_act": judges_to_act(shown, self._task)
            if rights(self._request)["may_change"]
            else [],
            "pair_links": pair_links(shown, self._task, watermark=form.watermark),
        }
        return context | self._ranked(shown) if form.kind is RANKING else context

    def _ranked(self, shown: Analysis) -> dict[str, Any]:
        assert shown.data is not None  # noqa: S101  it is finished
        ranking = shown.data["rankings"][0]
        asked = self._request.GET
        return {
            "headline": headline(ranking),
            "beside": rankings_beside(
                task=self._task,
                this=shown,
                systems=ranking["systems"],
                chosen=asked.get(BESIDE, ""),
            ),
            "kept": [
                (name, value)
                for name, values in asked.lists()
                if name != BESIDE
                for value in values
            ],
        }

    @cached_property
    def judgments(self) -> JudgmentsToChoose:
        """The available choices among the judgments."""
        return judgments_to_choose(task=self._task)

    @cached_property
    def _rule(self) -> RuleState | None:
        return stopping_rule_state(task_id=self._task.pk)

    @cached_property
    def _excluded(self) -> set[str]:
        return set(excluded_judges(campaign_id=self._campaign.pk))

    @cached_property
    def _systems(self) -> set[str]:
        kinds = system_kinds(task_id=self._task.pk)
        return {name for name, kind in kinds.items() if kind == "system"}

    @cached_property
    def _has_other_tasks(self) -> bool:
        return bool(other_tasks(task=self._task))

    @cached_property
    def _metrics(self) -> list[str]:
        return list(metric_digests(test_set_id=self._task.test_set_id))

    @cached_property
    def _addresses(self) -> Addresses:
        compares = answer_kind_of(self._task).compares_outputs
        return Addresses(
            self._task,
            systems=systems_by_name(task_id=self._task.pk),
            compares_outputs=compares,
        )


class TableSections(SectionsOf):
    """The tables of a campaign."""

    address = "campaign-table"

    @cached_property
    def judgments(self) -> JudgmentsToChoose:
        """The available choices among the judgments."""
        return JudgmentsToChoose(groups=groups_to_choose(campaign_id=self._campaign.pk))

    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> dict[str, Any]:
        """Return the newest table of a choice."""
        report, asked = table_answer(campaign=self._campaign, choice=choice)
        asks = not choice.is_live and self.is_due(asked)
        context = {**self.asked(asked), "asks": asks}
        if report is None:
            return context
        query = f"?{form.query}" if form.query else ""
        places = TableAddresses(self._campaign, report, there=self._tasks)
        return context | self.shown(form.kind, report, form.kind.name, query, addresses=places)

    @cached_property
    def _tasks(self) -> list[tuple[int, str]]:
        return linked_tasks(campaign=self._campaign)


def given_options(asked: QueryDict) -> QueryDict:
    """Return the options in an address or a form."""
    data = asked.copy()
    for name in (OF, BESIDE, "csrfmiddlewaretoken"):
        data.pop(name, None)
    return data


def form_choice(form: AnalysisForm) -> AnalysisChoice:
    """Return the options of the form; raise OptionError for invalid combinations."""
    if form.is_bound and not form.is_valid():
        raise OptionError("", field="")
    given = form.given if form.is_bound else {}
    return analysis_choice(form.kind.name, given, of_campaign=form.kind.of_campaign)


def known_kind(known: Mapping[str, AnalysisKind], name: str) -> AnalysisKind:
    """Return the kind with this name; raise a 404 if there is none."""
    if name not in known:
        raise Http404
    return known[name]


@form_view
def analysis_page(request: HttpRequest, slug: str, task_id: int, kind: str) -> HttpResponse:
    """Have a worker compute an answer on POST; GET redirects to its section, which polls here meanwhile."""
    task = joined_task(request, slug, task_id)
    found = known_kind(analyses_of(task=task), kind)

    def ask(form: AnalysisForm) -> None:
        user = user_of(request)
        analysis_ask(task=task, choice=form_choice(form), user=user, watermark=form.watermark)

    page = reverse(_PAGES[found.page], args=[slug, task_id])
    return Sections(request, task).requested(found, page, ask)


@page_view
def analysis_file(
    request: HttpRequest,
    slug: str,
    task_id: int,
    analysis_id: int,
    ending: str,
    table: str | None = None,
) -> HttpResponse:
    """Return the report of an analysis as a file, or one of its tables: its plot as SVG or PNG, or its rows as CSV."""
    task = organised_task(request, slug, task_id)
    found = get_object_or_404(Analysis.objects.of(task.pk).finished(), pk=analysis_id)
    return for_spreadsheets(answer_file(found, ending, table))


@page_view
def tables_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all tables of a campaign."""
    campaign = organised_campaign(request, slug)
    sections = TableSections(request, campaign)
    context = {
        "campaign": campaign,
        "section": "tables",
        "sections": sections.listed(TABLES.values()),
    }
    return render(request, "results/tables.html", context, status=sections.status)


@form_view
def table_page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Have a worker compute a table on POST; GET redirects to its section, which polls here meanwhile.

    Read-only members may request tables, too.
    """
    campaign = joined_campaign(request, slug)

    def ask(form: AnalysisForm) -> None:
        choice = form_choice(form)
        if not choice.is_live:
            table_ask(campaign=campaign, choice=choice, user=user_of(request))

    page = reverse("campaign-tables", args=[slug])
    return TableSections(request, campaign).requested(known_kind(TABLES, name), page, ask)


@page_view
def table_file(
    request: HttpRequest, slug: str, name: str, ending: str, table: str | None = None
) -> HttpResponse:
    """Return the report for the options in the address as a file, or one of its tables; 404 if there is none yet."""
    campaign = organised_campaign(request, slug)
    form = TableSections(request, campaign).form(known_kind(TABLES, name), request.GET)
    try:
        report, _asked = table_answer(campaign=campaign, choice=form_choice(form))
    except OptionError as error:
        raise Http404 from error
    if report is None:
        raise Http404
    return for_spreadsheets(report_file(report, ending, named=f"{slug}-{name}", table=table))


@page_view
def page_plot(
    request: HttpRequest,
    slug: str,
    table: str,
    ending: str,
    task_id: int | None = None,
    judge_id: int | None = None,
) -> HttpResponse:
    """Return a plot of a campaign, of a test set or of a judge in it as SVG or PNG, or its data as CSV."""
    of: list[Any]
    if task_id is None:
        place, named, of = "campaign-plot", slug, [organised_campaign(request, slug)]
    else:
        place, named, of = (
            "test-set-plot",
            f"{slug}-{task_id}",
            [organised_task(request, slug, task_id)],
        )
    if judge_id is not None:
        place, named = "judge-plot", f"{slug}-judge-{judge_id}"
        of.append(get_object_or_404(Judge, pk=judge_id, campaign__slug=slug))
    known = PLOTS[place]
    # Raise a 404 before computing anything.
    if table not in known or ending not in PLOT_FILES:
        raise Http404
    found = known[table](request, *of)
    report = Report(tables=[found] if found else [], data={})
    return for_spreadsheets(report_file(report, ending, named=named, table=table))


_ANALYSES_LISTED: Final = 25


@page_view
def dashboard_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the ranking of a test set, its progress and its judges."""
    state = _state(request, slug, task_id)
    sections = Sections(request, state.task)
    shown = _context(state)
    listed = sections.of("ranking")
    contents = []
    if shown["in_place"] is None:
        contents.append(("headline", _("Ranking")))
    if shown["history"]:
        contents.append(("history", _("Ranking over time")))
    context = shown | {
        "section": "ranking",
        "answers": [each for each in listed if each["name"] == shown["in_place"]],
        "sections": listed,
        "contents": contents,
    }
    return render(request, "dashboard/test_set.html", context, status=sections.status)


@page_view
def dashboard_live(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Return the current ranking and progress for polling; 304 while nothing has changed."""
    state = _state(request, slug, task_id)
    etag = quote_etag(_version(state))
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = render(request, "dashboard/_live.html", _context(state))
    response["ETag"] = etag
    return response


def _version(state: DashboardState) -> str:
    return f"{state.version}-{get_language()}"


def _state(request: HttpRequest, slug: str, task_id: int) -> DashboardState:
    user = user_of(request)
    state = dashboard_state(user=user, slug=slug, task_id=task_id)
    if state is None:
        raise Http404
    role_remember(request, state.task.role)
    return state


def _context(state: DashboardState) -> dict[str, Any]:
    task = state.task
    run = latest_run(task_id=task.pk) if task.ranked_at else None
    progress = judging_progress(task=task, now=state.at)
    systems = systems_by_name(task_id=task.pk)
    addresses = Addresses(task, systems=systems)
    counted = addresses.judgments()
    in_place = kind_in_place_of_ranking(task=task)
    is_without = run is not None and not run.result["input"]["comparisons"]
    is_replaced = in_place is not None and is_without
    compares = answer_kind_of(task).compares_outputs and not is_replaced
    unranked = unranked_in_words(run.result) if run and compares else []
    leads = {"comparisons": counted, "blocks": counted, "judges": addresses.judges}
    return {
        "campaign": task.test_set.campaign,
        "task": task,
        "version": _version(state),
        "age": _age(run),
        "summary": summarise_run(run, leads=leads)
        if compares
        else summary_without_order(in_place if progress.judged else None),
        "implies_no_order": not compares,
        "in_place": None if compares or in_place is None else in_place.name,
        "left_out": len(judges_left_out(run)[task.pk]) if run else 0,
        "waiting": _waiting(task),
        "rule": shown_rule_of(run),
        "anytime": anytime_ranges_of(run),
        "plots": rank_plots(run.result["systems"], has_unranked=bool(unranked))
        if run and compares
        else (),
        "addresses": addresses,
        "withdrawn": {name for name, system in systems.items() if system.withdrawn_at},
        "not_estimable": unranked,
        "history": history_shown(ranking_history(task_id=task.pk, latest=run)),
        "plot_links": plot_links("test-set-plot", task.test_set.campaign.slug, task.pk),
        **progress_shown(progress),
        **agreement_shown(run),
    }


def progress_shown(progress: JudgingProgress) -> dict[str, Any]:
    """Return the content of the progress card."""
    return {
        "progress": progress,
        "progress_bar": None if progress.share is None else percent(progress.share),
        "bars": bar_plot([(each.start, each.judged) for each in progress.periods]),
    }


def agreement_shown(run: RankingRun | None) -> dict[str, Any]:
    """Return the content of the agreement card."""
    agreement = run.result["agreement"] if run else None
    return {
        "run": run,
        "agreement": agreement,
        **kappa_in_words(agreement),
        "strength_caution": strength_caution(),
    }


def _waiting(task: Task) -> list[tuple[str, list[str]]]:
    """Return the rules that wait for an organiser, in words, with their effects in this task."""
    held = effects_held(campaign=task.test_set.campaign, task_id=task.pk)
    return [(rule_in_words(effects.acts[0].rule), effects_in_words(effects)) for effects in held]


def _age(run: RankingRun | None) -> int | None:
    """Return the age of the ranking in whole seconds, by the server's clock."""
    if run is None:
        return None
    return max(0, int((timezone.now() - run.finished_at).total_seconds()))


def _results(
    request: HttpRequest, task: Task, page: str, context: Mapping[str, Any]
) -> HttpResponse:
    """Show a results page: its main answer, updated while the page is open, then its sections."""
    sections = Sections(request, task)
    shown = {
        "campaign": task.test_set.campaign,
        "task": task,
        "heading": next(tab.words for tab in TEST_SET if tab.name == page),
        "section": page,
        "sections": sections.of(page),
        "refreshes": True,
        "addresses": Addresses(task),
        **context,
    }
    return render(request, f"results/{page}.html", shown, status=sections.status)


@page_view
def progress_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the progress of a test set: judged blocks, pace, time, and forecast end."""
    task = organised_task(request, slug, task_id)
    now = timezone.localtime()
    progress = judging_progress(task=task, now=now)
    worked = time_worked(task=task)
    overview = task_overview(task=task, now=now)
    (row,) = overview_rows([overview], today=now.date())
    state = stopping_rule_state(task_id=task.pk)
    context = {
        **progress_shown(progress),
        "row": row,
        "worked": clock_time(worked) if worked else "",
        "seconds_per_block": worked / progress.by_people if worked and progress.by_people else None,
        "rule": None if state is None else shown_rule(state),
        "plot_links": plot_links("test-set-plot", task.test_set.campaign.slug, task.pk),
        "contents": [("progress", _("Progress")), ("pace", _("Pace, cost and forecast"))],
    }
    return _results(request, task, "progress", context)


@page_view
def agreement_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the agreement of the judges of a test set."""
    task = organised_task(request, slug, task_id)
    return _results(request, task, "agreement", agreement_shown(latest_run(task_id=task.pk)))


@page_view
def data_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the data of a task, judges' remarks, and the computed analyses."""
    task = organised_task(request, slug, task_id)
    asked = Paginator(analyses_asked(task=task), _ANALYSES_LISTED)
    page = asked.get_page(request.GET.get("page"))
    run = latest_run(task_id=task.pk)
    context = {
        "progress": judging_progress(task=task),
        "left_out": len(judges_left_out(run)[task.pk]) if run else 0,
        "feedback": latest_feedback(task),
        "page": page,
        "rows": [asked_in_words(analysis, task) for analysis in page],
        "contents": [("collected", _("Collected data"))],
    }
    return _results(request, task, "data", context)


@action_view
def ranking_keep(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Save the current ranking of a test set permanently, and show its number."""
    task = organised_task(request, slug, task_id)
    run = latest_ranking_keep(task_id=task.pk)
    if run is None:
        messages.info(request, _("This test set has no ranking yet."))
    else:
        messages.success(
            request,
            _("Saved as ranking %(id)s (judgments up to %(watermark)s).")
            % {"id": run.pk, "watermark": run.watermark},
        )
    return redirect("test-set-dashboard", slug, task_id)
