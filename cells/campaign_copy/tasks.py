"""The test sets of a static copy: where their pages are, and the way between these."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _

from campaign.models import Segment, Task
from campaign.pages.desk import Tab
from campaign.selectors.texts import SEGMENTS_ON_A_PAGE
from cells.campaign_copy.answers import CopiedAnswer, copied_answers
from cells.campaign_copy.naming import CopiedNames, copied_names
from cells.campaign_copy.rankings import KINDS
from ranking.analyses import ANALYSES
from ranking.models import RankingRun
from ranking.reports.published import FILES
from ranking.selectors.runs import latest_run

#: The first page of a folder.
INDEX: Final = "index.html"


@dataclass(frozen=True, slots=True)
class CopiedTask:
    """A test set of a copy: its folder, the names in it, its ranking, what was asked of it, and with which segment each
    page of texts begins.
    """

    task: Task
    folder: str
    names: CopiedNames
    run: RankingRun | None
    answers: Sequence[CopiedAnswer]
    starts: Sequence[int]

    @property
    def kinds(self) -> Sequence[str]:
        return KINDS if self.run is not None else ()

    def address(self, name: str, *more: object) -> str:
        return reverse(name, args=[self.task.test_set.campaign.slug, self.task.pk, *more])

    def texts_address(self, start: int) -> str:
        return f"{self.address('test-set-texts')}?segment={start}"

    def files(self) -> dict[str, str]:
        """Return where its pages and files are, by their addresses."""
        found = {
            self.address("test-set-dashboard"): f"{self.folder}/{INDEX}",
            self.address("design"): f"{self.folder}/design.html",
        }
        found |= {
            self.address("analysis", kind): f"{self.folder}/{kind}.html" for kind in self.kinds
        }
        if self.answers:
            found[self.address("analyses")] = f"{self.folder}/analyses.html"
        found |= {
            answer.address: f"{self.folder}/analyses/{number}-{answer.kind.name}.html"
            for number, answer in enumerate(self.answers, 1)
        }
        found |= {
            self.texts_address(start): f"{self.folder}/texts/{number}.html"
            for number, start in enumerate(self.starts, 1)
        }
        for version in self.names.versions:
            folder = f"published/{version.address}"
            found[reverse("published-result", args=[version.address])] = f"{folder}/{INDEX}"
            found |= {
                reverse("published-file", args=[version.address, name]): f"{folder}/{name}"
                for name in FILES
            }
        return found


def copied_task(task: Task, folder: str, *, with_texts: bool) -> CopiedTask:
    """Return a test set as a copy has it; `folder` is its folder."""
    run = latest_run(task_id=task.pk)
    run = run if run is not None and run.result["systems"] else None
    names = copied_names(task)
    numbers: Sequence[int] = []
    if with_texts:
        segments = Segment.objects.filter(test_set_id=task.test_set_id).order_by("number")
        numbers = list(segments.values_list("number", flat=True))
    return CopiedTask(
        task=task,
        folder=folder,
        names=names,
        run=run,
        answers=copied_answers(task, names, run),
        starts=numbers[::SEGMENTS_ON_A_PAGE],
    )


def tabs_of(each: CopiedTask, address: str) -> list[Tab]:
    """Return the way between the pages of a test set."""
    pages = [
        (_("Ranking"), each.address("test-set-dashboard")),
        *((str(ANALYSES[kind].title), each.address("analysis", kind)) for kind in each.kinds),
        *([(_("Analyses"), each.address("analyses"))] if each.answers else []),
        (_("Design"), each.address("design")),
    ]
    if each.starts:
        pages.append((_("Texts"), each.texts_address(each.starts[0])))
    current = address
    if address.startswith(each.address("test-set-texts")):
        current = each.texts_address(each.starts[0])
    elif any(address == answer.address for answer in each.answers):
        current = each.address("analyses")
    return [Tab(words, where, is_current=where == current) for words, where in pages]
