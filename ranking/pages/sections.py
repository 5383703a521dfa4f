"""Sections of a page, each with the newest answer of an analysis and its options."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypedDict

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.judges import excluded_judges
from campaign.models import Campaign, CampaignState, Job, Task
from campaign.pages.desk import rights
from ranking.models import Analysis
from ranking.pages.acting import JudgeToAct, judges_to_act
from ranking.pages.analysis_form import AnalysisForm, Options, pair_links
from ranking.pages.formats import Addresses, TableAddresses
from ranking.pages.report_shown import (
    Links,
    RankingsBeside,
    RenderedTable,
    rankings_beside,
    rendered_tables,
)
from ranking.pages.summary import headline
from ranking.reports import Report
from ranking.reports.analyses.kind import (
    EXCLUDED,
    GROUP,
    WITHOUT,
    AnalysisChoice,
    AnalysisKind,
    Need,
    ProtocolAnalysis,
)
from ranking.reports.analyses.options import OptionError, Words
from ranking.reports.analyses.ranking import RANKING
from ranking.reports.wording.agreement import strength_caution
from ranking.reports.wording.stopping_rules import RuleState, rule_notes
from ranking.reports.writing import FILES
from ranking.selectors.analyses import (
    Answered,
    JudgmentsToChoose,
    analyses_of,
    answer_for_people,
    answered,
    groups_to_choose,
    judgments_to_choose,
    linked_tasks,
    table_answer,
)
from ranking.selectors.machines import machine_digests
from ranking.selectors.metrics import metric_digests
from ranking.selectors.one_system import systems_by_name
from ranking.selectors.runs import (
    stopping_rule_state,
    system_kinds,
)
from ranking.selectors.tasks_beside import other_tasks
from ranking.services.analyses import (
    GROWTH,
    analysis_choice,
    watermark_check,
)

#: Query parameter: the section whose options are in the query.
OF: Final = "analysis"
#: Query parameter: the ranking shown for comparison.
BESIDE: Final = "beside"


#: Options that choose judges.
_JUDGE_OPTIONS: Final = frozenset(
    {EXCLUDED.name, WITHOUT.name, GROUP.name, "leave_out"},
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page, rendered."""

    name: str
    title: Words
    body: SafeString


class SectionContext(TypedDict, total=False):
    """The template context of a section."""

    campaign: Campaign
    task: Task
    kind: AnalysisKind
    form: AnalysisForm
    action: str
    query: str
    may_ask: bool
    asks: bool
    answer: Answered
    analysis: Analysis | None
    job: Job | None
    is_awaited: bool
    about: Sequence[str]
    notes: Sequence[str]
    files: list[tuple[str, str]]
    tables: list[RenderedTable]
    judges_to_act: list[JudgeToAct]
    pair_links: list[tuple[str, str]]
    headline: str
    beside: RankingsBeside | None
    query_fields: list[tuple[str, str]]


class SectionsOf(ABC):
    """Base class for the sections of a page, of a task or of a campaign."""

    #: URL name of a section, and prefix of the URL names of its files.
    address: str

    def __init__(self, request: HttpRequest, campaign: Campaign) -> None:
        self._request = request
        self._campaign = campaign
        self._of: list[Any] = [campaign.slug]
        self.status = 200

    @property
    @abstractmethod
    def judgments(self) -> JudgmentsToChoose:
        """The available choices among the judgments."""

    @abstractmethod
    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> SectionContext:
        """Return the template context of the newest answer to a request."""

    @property
    def may_ask(self) -> bool:
        """True if analyses can be computed: not in archived campaigns and rehearsals."""
        campaign = self._campaign
        return campaign.state != CampaignState.ARCHIVED and not campaign.rehearsal_of_id

    def listed(self, kinds: Iterable[AnalysisKind]) -> list[Section]:
        """Return a section of each kind; the one named in the address uses the options in the address."""
        query = self._request.GET
        sections = []
        earlier_notes: set[str] = set()
        for kind in kinds:
            data = None
            if query.get(OF) == kind.name:
                data = options_in_query(query)
            context = self.context(self.form(kind, data))
            _remove_repeated_notes(context, earlier_notes)
            body = render_to_string("analyses/_section.html", context, self._request)
            sections.append(Section(kind.name, kind.title, body))
        return sections

    def form(self, kind: AnalysisKind, data: QueryDict | None) -> AnalysisForm:
        """Return the options of a kind as a form."""
        return AnalysisForm(data or None, kind=kind, judgments=self.judgments)

    def context(
        self,
        form: AnalysisForm,
        error: OptionError | None = None,
    ) -> SectionContext:
        """Return the content of a section: the newest answer to its form, or the error."""
        answer: SectionContext = {}
        try:
            if error is not None:
                raise error
            answer = self.answer(form, form_choice(form))
        except OptionError as refusal:
            form.refuse(refusal)
            self.status = 400
        query = ""
        if form.is_bound and not form.errors:
            query = form.query
        return {
            "campaign": self._campaign,
            "kind": form.kind,
            "form": form,
            "action": reverse(self.address, args=[*self._of, form.kind.name]),
            "query": query,
            "may_ask": self.may_ask,
            **answer,
        }

    def requested(
        self,
        kind: AnalysisKind,
        page: str,
        ask: Callable[[AnalysisForm], object],
    ) -> HttpResponse:
        """Request an analysis on POST; redirect to its section of the page, or return the section to scripts."""
        request = self._request
        error: OptionError | None = None
        is_part = bool(request.headers.get("HX-Request"))
        is_asked = request.method == "POST"
        # Pages that request an answer automatically send the options in the query, as when polling for progress.
        if is_asked and not is_part:
            parameters = request.POST
        else:
            parameters = request.GET
        if is_asked or is_part:
            form = self.form(kind, options_in_query(parameters))
        if is_asked:
            try:
                ask(form)
            except OptionError as refused:
                error = refused
        if not is_part:
            query = parameters.copy()
            query.pop("csrfmiddlewaretoken", None)
            if query:
                query[OF] = kind.name
                page = f"{page}?{query.urlencode()}"
            return redirect(f"{page}#{kind.name}")
        context = self.context(form, error)
        if not is_asked and context.get("is_awaited"):
            return render(request, "analyses/_job.html", context)
        if is_asked:
            # Do not repeat a request just made, whatever its outcome.
            context["asks"] = False
        answer = render(request, "analyses/_section.html", context)
        answer["HX-Retarget"] = f"#{kind.name}"
        answer["HX-Reswap"] = "outerHTML"
        return answer

    def answer_state(self, answer: Answered) -> SectionContext:
        """Return the template context for the state of an answer."""
        job = None
        if answer.pending is not None:
            job = answer.pending.job
        return {
            "answer": answer,
            "analysis": answer.finished,
            "job": job,
            "is_awaited": answer.is_awaited,
        }

    def report_context(
        self,
        kind: AnalysisKind,
        report: Report,
        of: str | int,
        *,
        query: str = "",
        addresses: Links = None,
    ) -> SectionContext:
        """Return the template context of a report, with addresses of files below `of`."""
        args = [*self._of, of]
        # Tables of different kinds may have the same name.
        prefix = f"{kind.name}-"
        tables = []
        for table in report.tables:
            tables.append(replace(table, name=f"{prefix}{table.name}"))

        def file_address(name: str, ending: str) -> str:
            plot = [*args, name.removeprefix(prefix), ending]
            return reverse(f"{self.address}-plot", args=plot) + query

        files = []
        for ending in FILES:
            address = reverse(f"{self.address}-file", args=[*args, ending])
            files.append((ending.upper(), address + query))
        return {
            "about": report.about,
            "notes": report.notes,
            "files": files,
            "tables": rendered_tables(
                replace(report, tables=tables),
                file_address=file_address,
                addresses=addresses,
            ),
        }

    def is_due(self, answer: Answered) -> bool:
        """Return whether the page should request an answer: there is none, or many judgments were added since."""
        if not self.may_ask or not answer.last or answer.is_awaited:
            return False
        newest = answer.pending or answer.finished
        if newest is None:
            return True
        return answer.last - newest.watermark > GROWTH * newest.watermark


def _remove_repeated_notes(context: SectionContext, earlier_notes: set[str]) -> None:
    """Remove the notes that several answers share from all but the first one, and remember those of this answer."""

    def new_notes(notes: Sequence[str]) -> list[str]:
        return [note for note in notes if note not in earlier_notes]

    context["about"] = new_notes(context.get("about", ()))
    earlier_notes.update(context["about"])
    context["notes"] = new_notes(context.get("notes", ()))
    earlier_notes.update(context["notes"])
    for table in context.get("tables", ()):
        table.notes = new_notes(table.notes)
        if strength_caution() in table.notes:
            earlier_notes.add(strength_caution())


class Sections(SectionsOf):
    """Sections of a page of results of a task. Shared data is read once."""

    address = "analysis"

    def __init__(self, request: HttpRequest, task: Task) -> None:
        super().__init__(request, task.test_set.campaign)
        self._task = task
        self._of.append(task.pk)

    def of(self, page: str) -> list[Section]:
        """Return the sections of a page, without kinds that have no data."""
        kinds = []
        for kind in analyses_of(task=self._task).values():
            if kind.page == page and self._has_all(kind):
                kinds.append(kind)
        return self.listed(kinds)

    def _has_all(self, kind: AnalysisKind) -> bool:
        """Return whether the test set has the other tasks or metrics, or its campaign the machine judges, that a kind needs."""
        if kind.needs & {Need.METRICS, Need.MACHINES}:
            if Need.METRICS in kind.needs and self._metrics:
                return True
            return Need.MACHINES in kind.needs and self._campaign.machines.exists()
        needs_tasks = kind.reads_other_tasks
        if isinstance(kind, ProtocolAnalysis) and kind.beside:
            needs_tasks = True
        return self._has_other_tasks or not needs_tasks

    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> SectionContext:
        """Return the newest answer to a request."""
        needs = form.kind.needs
        metrics = None
        if Need.METRICS in needs:
            metrics = self._metrics
        machines = None
        if Need.MACHINES in needs:
            machines = machine_digests(task_id=self._task.pk)
        answer = answered(
            task=self._task,
            choice_digest=choice.digest,
            watermark=form.watermark,
            metrics=metrics,
            machines=machines,
        )
        if form.watermark is not None:
            watermark_check(form.watermark, answer.last)
        context: SectionContext = {
            "task": self._task,
            "asks": self._asks(form, answer),
            **self.answer_state(answer),
        }
        if answer.finished is not None:
            context.update(self._answer_context(form, answer.finished))
        return context

    def _asks(self, form: AnalysisForm, answer: Answered) -> bool:
        if form.kind is RANKING and not form.is_bound:
            # The page begins with the ranking by the current settings.
            return False
        if form.watermark is not None and answer.finished is not None:
            return False
        if self.is_due(answer):
            return True
        if not self.may_ask or answer.pending is not None or answer.finished is None:
            return False
        return self._is_outdated(form, answer.finished)

    def _is_outdated(self, form: AnalysisForm, analysis: Analysis) -> bool:
        """Return whether judges have been excluded or reinstated since, or systems added or deleted."""
        counted = analysis.judgments
        if set(counted["systems"]) != self._systems:
            return True
        if form.is_bound and not _JUDGE_OPTIONS.isdisjoint(form.changed_options):
            return False
        if "leave_out" not in counted:
            return set(counted["without"]) != self._excluded_judges
        return not self._excluded_judges <= {*counted["without"], *counted["leave_out"]}

    def _answer_context(self, form: AnalysisForm, analysis: Analysis) -> SectionContext:
        report = answer_for_people(analysis)
        # Pages show the current progress; the answer has the progress at the time it was computed.
        progress = []
        if self._rule is not None:
            progress = rule_notes(self._rule)
        context = self.report_context(
            form.kind,
            report,
            analysis.pk,
            addresses=self._addresses,
        )
        context["notes"] = [note for note in report.notes if note not in progress]
        context["judges_to_act"] = []
        if rights(self._request)["may_change"]:
            context["judges_to_act"] = judges_to_act(analysis, self._task)
        context["pair_links"] = pair_links(
            analysis,
            self._task,
            watermark=form.watermark,
        )
        if form.kind is RANKING:
            self._ranking_add(context, analysis)
        return context

    def _ranking_add(self, context: SectionContext, analysis: Analysis) -> None:
        """Add a ranking's headline, and another ranking beside it."""
        assert analysis.data is not None  # noqa: S101  it is finished
        ranking = analysis.data["rankings"][0]
        query = self._request.GET
        query_fields = []
        for name, values in query.lists():
            if name != BESIDE:
                query_fields += [(name, value) for value in values]
        context["headline"] = headline(ranking)
        context["beside"] = rankings_beside(
            task=self._task,
            this=analysis,
            systems=ranking["systems"],
            chosen=query.get(BESIDE, ""),
        )
        context["query_fields"] = query_fields

    @cached_property
    def judgments(self) -> JudgmentsToChoose:
        """The available choices among the judgments."""
        return judgments_to_choose(task=self._task)

    @cached_property
    def _rule(self) -> RuleState | None:
        return stopping_rule_state(task_id=self._task.pk)

    @cached_property
    def _excluded_judges(self) -> set[str]:
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

    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> SectionContext:
        """Return the newest table of a choice."""
        report, answer = table_answer(campaign=self._campaign, choice=choice)
        context = self.answer_state(answer)
        context["asks"] = not choice.is_live and self.is_due(answer)
        if report is None:
            return context
        query = ""
        if form.query:
            query = f"?{form.query}"
        addresses = TableAddresses(self._campaign, report, there=self._tasks)
        tables = self.report_context(
            form.kind,
            report,
            form.kind.name,
            query=query,
            addresses=addresses,
        )
        context.update(tables)
        return context

    @cached_property
    def _tasks(self) -> list[tuple[int, str]]:
        return linked_tasks(campaign=self._campaign)


def options_in_query(query: QueryDict) -> QueryDict:
    """Return the options in an address or a form."""
    data = query.copy()
    for name in (OF, BESIDE, "csrfmiddlewaretoken"):
        data.pop(name, None)
    return data


def form_choice(form: AnalysisForm) -> AnalysisChoice:
    """Return the options of the form; raise OptionError for invalid combinations."""
    if form.is_bound and not form.is_valid():
        raise OptionError("", field="")
    options: Options = {}
    if form.is_bound:
        options = form.changed_options
    return analysis_choice(form.kind.name, options, of_campaign=form.kind.of_campaign)


def kind_or_404(kinds: Mapping[str, AnalysisKind], name: str) -> AnalysisKind:
    """Return the kind with this name; raise a 404 if there is none."""
    if name not in kinds:
        raise Http404
    return kinds[name]
