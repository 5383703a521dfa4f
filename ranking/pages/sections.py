"""Sections of a page, each with the newest answer of an analysis and its options."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, cast

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.judges import excluded_judges
from campaign.models import Campaign, CampaignState, Task
from campaign.pages.desk import rights
from ranking.models import Analysis
from ranking.pages.acting import judges_to_act
from ranking.pages.analysis_form import AnalysisForm, pair_links
from ranking.pages.formats import Addresses, TableAddresses
from ranking.pages.report_shown import (
    rankings_beside,
    shown_tables,
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
from ranking.reports.analyses.options import OptionError
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
    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> dict[str, Any]:
        """Return the template context of the newest answer to a request."""

    @property
    def may_ask(self) -> bool:
        """True if analyses can be computed: not in archived campaigns and rehearsals."""
        campaign = self._campaign
        return campaign.state != CampaignState.ARCHIVED and not campaign.rehearsal_of_id

    def listed(self, kinds: Iterable[AnalysisKind]) -> list[dict[str, Any]]:
        """Return a section of each kind; the one named in the address uses the options in the address."""
        asked = self._request.GET
        found = []
        said: set[str] = set()
        for kind in kinds:
            data = None
            if asked.get(OF) == kind.name:
                data = given_options(asked)
            context = self.context(self.form(kind, data))
            # Show notes shared by several answers once.
            for name in ("about", "notes"):
                notes = context.get(name, ())
                context[name] = [note for note in notes if note not in said]
                said.update(notes)
            for table in context.get("tables", ()):
                table["notes"] = [note for note in table["notes"] if note not in said]
                said.update(
                    caution
                    for caution in table["notes"]
                    if caution == strength_caution()
                )
            body = render_to_string("analyses/_section.html", context, self._request)
            found.append({"name": kind.name, "title": kind.title, "body": body})
        return found

    def form(self, kind: AnalysisKind, data: QueryDict | None) -> AnalysisForm:
        """Return the options of a kind as a form."""
        return AnalysisForm(data or None, kind=kind, judgments=self.judgments)

    def context(
        self, form: AnalysisForm, error: OptionError | None = None
    ) -> dict[str, Any]:
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
        is_part = bool(request.headers.get("HX-Request"))
        is_asked = request.method == "POST"
        # Pages that request an answer automatically send the options in the query, as when polling for progress.
        if is_asked and not is_part:
            asked = request.POST
        else:
            asked = request.GET
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
            return redirect(
                f"{page}{'?' if query else ''}{query.urlencode()}#{kind.name}"
            )
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
        self,
        kind: AnalysisKind,
        report: Report,
        of: str | int,
        query: str = "",
        **links: Any,
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
                (
                    ending.upper(),
                    reverse(f"{self.address}-file", args=[*place, ending]) + query,
                )
                for ending in FILES
            ],
            "tables": shown_tables(
                replace(report, tables=tables), file_address=file, **links
            ),
        }

    def is_due(self, answer: Answered) -> bool:
        """Return whether the page should request an answer: there is none, or many judgments were added since."""
        if not self.may_ask or not answer.last or answer.is_awaited:
            return False
        newest = answer.pending or answer.shown
        return (
            newest is None or answer.last - newest.watermark > GROWTH * newest.watermark
        )


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
        return self.listed(
            kind for kind in kinds if kind.page == page and self._has_all(kind)
        )

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

    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> dict[str, Any]:
        """Return the newest answer to a request."""
        found = answered(
            task=self._task,
            choice_digest=choice.digest,
            watermark=form.watermark,
            metrics=self._metrics if Need.METRICS in form.kind.needs else None,
            machines=machine_digests(task_id=self._task.pk)
            if Need.MACHINES in form.kind.needs
            else None,
        )
        if form.watermark is not None:
            watermark_check(form.watermark, found.last)
        context = {
            "task": self._task,
            "asks": self._asks(form, found),
            **self.asked(found),
        }
        if found.shown is None:
            return context
        return context | self._shown(form, found.shown)

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
        usual = not {EXCLUDED.name, WITHOUT.name, GROUP.name, "leave_out"}.intersection(
            given
        )
        is_same = not usual or self._excluded <= judges
        if usual and "leave_out" not in counted:
            is_same = judges == self._excluded
        return not is_same or set(counted["systems"]) != self._systems

    def _shown(self, form: AnalysisForm, shown: Analysis) -> dict[str, Any]:
        report = answer_for_people(shown)
        # Pages show the current progress; the answer has the progress at the time it was computed.
        if self._rule is None:
            rule = []
        else:
            rule = rule_notes(self._rule)
        context: dict[str, Any] = {
            **self.shown(form.kind, report, shown.pk, addresses=self._addresses),
            "notes": [note for note in report.notes if note not in rule],
            "judges_to_act": judges_to_act(shown, self._task)
            if rights(self._request)["may_change"]
            else [],
            "pair_links": pair_links(shown, self._task, watermark=form.watermark),
        }
        if form.kind is RANKING:
            return context | self._ranked(shown)
        return context

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
        return context | self.shown(
            form.kind, report, form.kind.name, query, addresses=places
        )

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
