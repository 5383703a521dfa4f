"""What is in a static copy of a campaign, file by file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.pages.design_form import DesignForm
from annotation.selectors.designs import design_in_force
from annotation.selectors.first_design import design_unless_chosen
from annotation.selectors.hits import designs_of
from campaign.models import Campaign, Instructions, Segment, TestSet
from campaign.pages.desk import Tab
from campaign.selectors import (
    instructions_history,
    instructions_in_force,
    test_sets_in_order,
    texts_page,
)
from campaign.selectors.texts import SEGMENTS_ON_A_PAGE, SharedOutput, TextsOfSegment
from campaign.texts.languages import language_described, language_direction, language_name
from campaign.texts.markdown import markdown_render
from cells.campaign_copy.naming import CopiedNames, copied_names
from cells.campaign_copy.rankings import (
    KINDS,
    present_content,
    present_history,
    present_in_words,
    present_reports,
)
from cells.campaign_copy.site import CopiedSite
from ranking.analyses import ANALYSES
from ranking.models import PublishedResult, RankingRun
from ranking.pages.design_history import design_history
from ranking.pages.overview import small_plot
from ranking.pages.published.files import FILES_IN_WORDS
from ranking.pages.published.page import PublishedPage, published_page
from ranking.pages.published.result import result_shown
from ranking.pages.report_shown import shown_tables
from ranking.pages.summary import headline_without_ranking
from ranking.reports.published import FILES, PublishedFile
from ranking.selectors.dashboards import Standing
from ranking.selectors.runs import latest_run
from ranking.services.publishing.refusals import text_check

_INDEX: Final = "index.html"
_DESIGNS_SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class _CopiedTestSet:
    """A test set of a copy: its folder, the names in it, its ranking, and with which segment each page of texts begins."""

    test_set: TestSet
    folder: str
    names: CopiedNames
    run: RankingRun | None
    starts: Sequence[int]

    @property
    def kinds(self) -> Sequence[str]:
        return KINDS if self.run is not None else ()

    def address(self, name: str, *more: object) -> str:
        return reverse(name, args=[self.test_set.campaign.slug, self.test_set.pk, *more])

    def texts_address(self, start: int) -> str:
        return f"{self.address('test-set-texts')}?segment={start}"

    def files(self) -> dict[str, str]:
        """Return where its pages and files are, by their addresses."""
        found = {
            self.address("test-set-dashboard"): f"{self.folder}/{_INDEX}",
            self.address("design"): f"{self.folder}/design.html",
        }
        found |= {
            self.address("analysis", kind): f"{self.folder}/{kind}.html" for kind in self.kinds
        }
        found |= {
            self.texts_address(start): f"{self.folder}/texts/{number}.html"
            for number, start in enumerate(self.starts, 1)
        }
        for version in self.names.versions:
            folder = f"published/{version.address}"
            found[reverse("published-result", args=[version.address])] = f"{folder}/{_INDEX}"
            found |= {
                reverse("published-file", args=[version.address, name]): f"{folder}/{name}"
                for name in FILES
            }
        return found


class CampaignPages:
    """The files of a copy, made one after the other, so that no more than one is in memory.

    Parameters
    ----------
    address : str
        Where this Quintet is found: citations name it.
    """

    def __init__(self, campaign: Campaign, *, with_texts: bool, address: str) -> None:
        self._campaign, self._address = campaign, address
        self._test_sets = [
            _copied(test_set, f"test-set-{place}", with_texts=with_texts)
            for place, test_set in enumerate(test_sets_in_order(campaign), 1)
        ]
        self._instructions = list(instructions_history(campaign=campaign))
        files = {reverse("home"): _INDEX, reverse("campaign-detail", args=[campaign.slug]): _INDEX}
        for row in self._instructions:
            address_of_row = reverse("instructions-version", args=[campaign.slug, row.version])
            files[address_of_row] = f"instructions/{row.version}.html"
        for each in self._test_sets:
            files |= each.files()
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
            If a ranking has systems that were renamed since.
        """
        rows = []
        for each in self._test_sets:
            page = _present(each)
            rows.append(self._row(each, page))
            yield from self._of_test_set(each, page)
        yield from self._of_instructions()
        yield self._page(
            _INDEX,
            "copied/index.html",
            {"rows": rows, "instructions": self._in_force()},
        )
        yield from self._site.styles().items()

    def _page(self, path: str, template: str, context: dict[str, Any]) -> tuple[str, bytes]:
        return path, self._site.page(path, template, {"campaign": self._campaign, **context})

    def _row(self, each: _CopiedTestSet, page: PublishedPage | None) -> dict[str, Any]:
        plot = None
        if page is not None:
            ranking = page.content["ranking"]
            plot = small_plot(Standing(ranking["systems"], ranking["groups"]))
        return {
            "test_set": each.test_set,
            "headline": headline_without_ranking() if page is None else page.summary.headline,
            "details": () if page is None else (*page.summary.details, *page.firmness),
            "plot": plot,
            "names": each.names,
        }

    def _of_test_set(
        self, each: _CopiedTestSet, page: PublishedPage | None
    ) -> Iterator[tuple[str, bytes]]:
        yield self._in_test_set(
            each,
            each.address("test-set-dashboard"),
            "copied/test_set.html",
            {
                "page": page,
                "headline": headline_without_ranking(),
                "frozen_words": present_in_words(each.run) if each.run is not None else "",
                "history": None if each.run is None else present_history(each.run, each.names),
                "names": each.names,
            },
        )
        if each.run is not None:
            for kind, report in present_reports(each.test_set, each.run, each.names):
                yield self._in_test_set(
                    each,
                    each.address("analysis", kind.name),
                    "copied/report.html",
                    {
                        "kind": kind,
                        "watermark": each.run.watermark,
                        "notes": report.notes,
                        "tables": shown_tables(report),
                    },
                )
        yield self._in_test_set(
            each, each.address("design"), "copied/design.html", _design(each.test_set)
        )
        for version in each.names.versions:
            yield from self._of_version(version, each.names.versions)
        yield from self._of_texts(each)

    def _in_test_set(
        self, each: _CopiedTestSet, address: str, template: str, context: dict[str, Any]
    ) -> tuple[str, bytes]:
        tabs = _tabs(each, address)
        more = {"test_set": each.test_set, "tabs": tabs, **context}
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
        path = f"published/{version.address}/{_INDEX}"
        yield self._page(path, "published/result.html", context)
        written = PublishedFile(content=version.content, digest=version.digest, url=url)
        for name, kind in FILES.items():
            yield f"published/{version.address}/{name}", kind.write(written).encode()

    def _of_texts(self, each: _CopiedTestSet) -> Iterator[tuple[str, bytes]]:
        source, target = each.test_set.source_language, each.test_set.target_language
        for number, start in enumerate(each.starts):
            segments = texts_page(test_set=each.test_set, start=start).segments
            before = each.starts[number - 1] if number else None
            after = each.starts[number + 1] if number + 1 < len(each.starts) else None
            yield self._in_test_set(
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
        hidden = frozenset[str]().union(*(each.names.hidden for each in self._test_sets))
        for row in self._instructions:
            for line in row.text.splitlines():
                text_check(line, hidden, field="")
            yield self._page(
                f"instructions/{row.version}.html",
                "copied/instructions.html",
                {"row": row, "name": language_name(row.language), "shown": _text_of(row)},
            )

    def _in_force(self) -> list[tuple[Instructions, str]]:
        rows = instructions_in_force(campaign=self._campaign).values()
        return [(row, language_name(row.language)) for row in rows]


def _copied(test_set: TestSet, folder: str, *, with_texts: bool) -> _CopiedTestSet:
    run = latest_run(test_set_id=test_set.pk)
    numbers: Sequence[int] = []
    if with_texts:
        segments = Segment.objects.filter(test_set=test_set).order_by("number")
        numbers = list(segments.values_list("number", flat=True))
    return _CopiedTestSet(
        test_set=test_set,
        folder=folder,
        names=copied_names(test_set),
        run=run if run is not None and run.result["systems"] else None,
        starts=numbers[::SEGMENTS_ON_A_PAGE],
    )


def _present(each: _CopiedTestSet) -> PublishedPage | None:
    for text in (each.test_set.campaign.name, each.test_set.name):
        text_check(text, each.names.hidden, field="")
    if each.run is None:
        return None
    return published_page(present_content(each.test_set, each.run, each.names))


def _tabs(each: _CopiedTestSet, address: str) -> list[Tab]:
    """Return the way between the pages of a test set."""
    pages = [
        (_("Ranking"), each.address("test-set-dashboard")),
        *((str(ANALYSES[kind].title), each.address("analysis", kind)) for kind in each.kinds),
        (_("Design"), each.address("design")),
    ]
    if each.starts:
        pages.append((_("Texts"), each.texts_address(each.starts[0])))
    is_text = address.startswith(each.address("test-set-texts"))
    return [
        Tab(words, where, is_current=where == address or (is_text and "?segment=" in where))
        for words, where in pages
    ]


def _design(test_set: TestSet) -> dict[str, Any]:
    """Return the design in force and those before it; nothing of it says who chose it, or the seed.

    Groups of judges are not named: a group may be called after the team that it is of.
    """
    found = design_in_force(test_set_id=test_set.pk)
    design = found or design_unless_chosen(test_set=test_set, campaign=test_set.campaign, seed=0)
    form = DesignForm(None, test_set=test_set, design=design)
    for name in ("seed", "judge_group"):
        del form.fields[name]
    designs = designs_of(test_set_id=test_set.pk).order_by("-pk")[: _DESIGNS_SHOWN + 1]
    history = design_history(list(designs), names_groups=False)
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
