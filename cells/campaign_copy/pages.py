"""What is in a static copy of a campaign, file by file."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.pages.design_form import DesignForm
from annotation.selectors.designs import design_in_force
from annotation.selectors.first_design import design_unless_chosen
from annotation.selectors.hits import designs_of
from campaign.models import Campaign, Instructions, Task
from campaign.selectors import (
    instructions_history,
    instructions_in_force,
    tasks_in_order,
    texts_page,
)
from campaign.selectors.texts import SharedOutput, TextsOfSegment
from campaign.texts.languages import language_described, language_direction, language_name
from campaign.texts.markdown import markdown_render
from cells.campaign_copy.answers import MOST_ANSWERS, answer_report
from cells.campaign_copy.counted import counted_judges
from cells.campaign_copy.naming import CopiedNames, copied_names, hidden_anywhere
from cells.campaign_copy.rankings import (
    CopyRefusedError,
    present_content,
    present_history,
    present_in_words,
    present_reports,
)
from cells.campaign_copy.site import CopiedSite
from cells.campaign_copy.table_rows import CopiedTaskNames
from cells.campaign_copy.tables import copied_tables, table_report
from cells.campaign_copy.tasks import INDEX, CopiedTask, copied_task, tabs_of
from ranking.models import PublishedResult
from ranking.pages.design_history import design_history
from ranking.pages.overview import small_plot
from ranking.pages.published.files import FILES_IN_WORDS
from ranking.pages.published.page import PublishedPage, published_page
from ranking.pages.published.result import result_shown
from ranking.pages.report_shown import shown_tables
from ranking.pages.summary import headline_without_ranking
from ranking.reports import Report
from ranking.reports.published import FILES, PublishedFile
from ranking.selectors.dashboards import Standing
from ranking.services.publishing.refusals import text_check

_DESIGNS_SHOWN: Final = 50


class CampaignPages:
    """The files of a copy, made one after the other, so that no more than one is in memory.

    Parameters
    ----------
    address : str
        Where this Quintet is found: citations name it.
    """

    def __init__(self, campaign: Campaign, *, with_texts: bool, address: str) -> None:
        self._campaign, self._address = campaign, address
        self._tasks = [
            copied_task(task, f"test-set-{place}", with_texts=with_texts)
            for place, task in enumerate(tasks_in_order(campaign), 1)
        ]
        self._hidden = hidden_anywhere(each.names for each in self._tasks)
        self._instructions = list(instructions_history(campaign=campaign))
        files = {reverse("home"): INDEX, reverse("campaign-detail", args=[campaign.slug]): INDEX}
        for row in self._instructions:
            address_of_row = reverse("instructions-version", args=[campaign.slug, row.version])
            files[address_of_row] = f"instructions/{row.version}.html"
        for each in self._tasks:
            files |= each.files()
        self._names = {
            each.task.pk: CopiedTaskNames(
                each.task, each.names, counted_judges(each.task, each.run)
            )
            for each in self._tasks
        }
        is_ranked = any(each.run is not None for each in self._tasks)
        self._tables = copied_tables(campaign, self._names) if is_ranked else []
        files |= {
            table.address: f"tables/{number}-{table.kind.name}.html"
            for number, table in enumerate(self._tables, 1)
        }
        self._files = files
        self._site = CopiedSite(files)

    @property
    def expected(self) -> int:
        """How many files it has, but for style sheets."""
        # Two addresses lead to the first page.
        return len(self._files) - 1

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        """Yield path and content of each file.

        Raises
        ------
        PublishingRefusedError
            If a text names a system or a team that is not to be named.
        CopyRefusedError
            If a ranking has systems that were renamed since, or names were decided about while pages were written.
        """
        rows = []
        for each in self._tasks:
            page = _present(each, self._hidden)
            rows.append(self._row(each, page))
            yield from self._of_task(each, page)
            if page is not None:
                named = self._names[each.task.pk]
                self._names[each.task.pk] = replace(named, present=page.content)
        yield from self._of_tables()
        yield from self._of_instructions()
        yield self._page(
            INDEX,
            "copied/index.html",
            {"rows": rows, "tables": self._tables, "instructions": self._in_force()},
        )
        yield from self._site.styles().items()
        self._refuse_other_names()

    def _refuse_other_names(self) -> None:
        """Raise `CopyRefusedError` if a version that does not name somebody was published after names were read."""
        if not all(each.names.tell_as(copied_names(each.task)) for each in self._tasks):
            raise CopyRefusedError(
                _("While the copy was made, names or words to publish changed. Make it again.")
            )

    def _page(self, path: str, template: str, context: dict[str, Any]) -> tuple[str, bytes]:
        return path, self._site.page(path, template, {"campaign": self._campaign, **context})

    def _row(self, each: CopiedTask, page: PublishedPage | None) -> dict[str, Any]:
        plot = None
        if page is not None:
            ranking = page.content["ranking"]
            plot = small_plot(Standing(ranking["systems"], ranking["groups"]))
        return {
            "task": each.task,
            "headline": headline_without_ranking(each.task)
            if page is None
            else page.summary.headline,
            "details": () if page is None else (*page.summary.details, *page.firmness),
            "plot": plot,
            "names": each.names,
        }

    def _of_task(self, each: CopiedTask, page: PublishedPage | None) -> Iterator[tuple[str, bytes]]:
        yield self._in_task(
            each,
            each.address("test-set-dashboard"),
            "copied/test_set.html",
            {
                "page": page,
                "headline": headline_without_ranking(each.task),
                "frozen_words": present_in_words(each.run) if each.run is not None else "",
                "history": None if each.run is None else present_history(each.run, each.names),
                "names": each.names,
            },
        )
        if each.run is not None:
            for kind, report in present_reports(each.task, each.run, each.names):
                yield self._in_task(
                    each,
                    each.address("analysis", kind.name),
                    "copied/report.html",
                    {"kind": kind, "watermark": each.run.watermark, **_told(report)},
                )
        yield from self._of_answers(each)
        yield self._in_task(each, each.address("design"), "copied/design.html", _design(each.task))
        for version in each.names.versions:
            yield from self._of_version(version, each.names.versions)
        yield from self._of_texts(each)

    def _of_answers(self, each: CopiedTask) -> Iterator[tuple[str, bytes]]:
        if each.answers:
            yield self._in_task(
                each,
                each.address("analyses"),
                "copied/analyses.html",
                {"answers": each.answers, "most": MOST_ANSWERS},
            )
        for answer in each.answers:
            report = answer_report(answer, each.task, each.names)
            yield self._in_task(
                each,
                answer.address,
                "copied/report.html",
                {
                    "kind": answer.kind,
                    "words": answer.words,
                    "watermark": answer.analysis.watermark,
                    **_told(report),
                },
            )

    def _of_tables(self) -> Iterator[tuple[str, bytes]]:
        for table in self._tables:
            report = table_report(table, self._campaign, self._names)
            context = {
                "table_shown": table,
                "all_tables": self._tables,
                "tasks": [each.task for each in self._tasks],
                **_told(report),
            }
            yield self._page(self._files[table.address], "copied/table.html", context)

    def _in_task(
        self, each: CopiedTask, address: str, template: str, context: dict[str, Any]
    ) -> tuple[str, bytes]:
        tabs = tabs_of(each, address)
        more = {"task": each.task, "tabs": tabs, **context}
        return self._page(self._files[address], template, more)

    def _of_version(
        self, version: PublishedResult, versions: Sequence[PublishedResult]
    ) -> Iterator[tuple[str, bytes]]:
        url = self._address + reverse("published-result", args=[version.address])
        files = [
            {
                "name": name,
                "words": words,
                "address": reverse("published-file", args=[version.address, name]),
                "url": "",
            }
            for name, words in FILES_IN_WORDS.items()
        ]
        context = {**result_shown(version, versions, page_url=url), "files": files}
        path = f"published/{version.address}/{INDEX}"
        yield self._page(path, "published/result.html", context)
        written = PublishedFile(content=version.content, digest=version.digest, url=url)
        for name, kind in FILES.items():
            yield f"published/{version.address}/{name}", kind.write(written)

    def _of_texts(self, each: CopiedTask) -> Iterator[tuple[str, bytes]]:
        source, target = each.task.test_set.source_language, each.task.test_set.target_language
        for number, start in enumerate(each.starts):
            segments = texts_page(task=each.task, start=start).segments
            for name in sorted({segment.segment.document.name for segment in segments}):
                text_check(name, each.names.hidden, field="")
            before = each.starts[number - 1] if number else None
            after = each.starts[number + 1] if number + 1 < len(each.starts) else None
            yield self._in_task(
                each,
                each.texts_address(start),
                "copied/texts.html",
                {
                    "segments": [_called(segment, each.names) for segment in segments],
                    "source": language_described(source),
                    "target": language_described(target),
                    "before": before and each.texts_address(before),
                    "after": after and each.texts_address(after),
                },
            )

    def _of_instructions(self) -> Iterator[tuple[str, bytes]]:
        for row in self._instructions:
            for line in row.text.splitlines():
                text_check(line, self._hidden, field="")
            yield self._page(
                f"instructions/{row.version}.html",
                "copied/instructions.html",
                {"row": row, "name": language_name(row.language), "shown": _text_of(row)},
            )

    def _in_force(self) -> list[tuple[Instructions, str]]:
        rows = instructions_in_force(campaign=self._campaign).values()
        return [(row, language_name(row.language)) for row in rows]


def _present(each: CopiedTask, hidden: Collection[str]) -> PublishedPage | None:
    # These names stand on the pages of other test sets, too.
    for text in (each.task.test_set.campaign.name, each.task.test_set.name):
        text_check(text, hidden, field="")
    if each.run is None:
        return None
    return published_page(present_content(each.task, each.run, each.names))


def _told(report: Report | None) -> dict[str, Any]:
    """Return a report for a page; None of one that may not leave the house."""
    if report is None:
        return {"is_left_out": True}
    return {"notes": report.notes, "tables": shown_tables(report)}


def _design(task: Task) -> dict[str, Any]:
    """Return the design in force and those before it; nothing of it says who chose it, or the seed.

    Groups of judges are not named: a group may be called after the team that it is of. Nor are chosen systems, of
    which some may be called otherwise in the copy.
    """
    found = design_in_force(task_id=task.pk)
    design = found or design_unless_chosen(task=task, campaign=task.test_set.campaign, seed=0)
    form = DesignForm(None, task=task, design=design)
    for name in ("seed", "judge_group", "systems"):
        del form.fields[name]
    designs = designs_of(task_id=task.pk).order_by("-pk")[: _DESIGNS_SHOWN + 1]
    history = design_history(list(designs), is_copy=True)
    return {"form": form, "history": history[:_DESIGNS_SHOWN]}


def _text_of(row: Instructions) -> dict[str, Any]:
    return {
        "text": markdown_render(row.text),
        "language": row.language,
        "direction": language_direction(row.language),
    }


def _called(segment: TextsOfSegment, names: CopiedNames) -> TextsOfSegment:
    """Return a segment whose outputs are those of the systems as they are called here, in the order of that."""
    outputs = [
        SharedOutput(output.text, tuple(sorted(names.labels[name] for name in output.systems)))
        for output in segment.outputs
    ]
    return TextsOfSegment(
        segment=segment.segment,
        references=segment.references,
        outputs=tuple(sorted(outputs, key=lambda output: output.systems)),
    )


def copy_language() -> str:
    """Return the language that pages are in here and now."""
    return get_language() or "en"
