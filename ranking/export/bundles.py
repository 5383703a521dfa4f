"""Write the data files in the bundle of a published result: judgments, texts, designs, and the log of draws."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from django.db.models import Exists, Min, OuterRef

from annotation.export.five_way import judged_rows, most_candidates, systems_shown
from annotation.models import HIT, Block, Design, Judgment
from annotation.models.design import PARAMETERS
from annotation.models.judgment import JudgmentQuerySet
from annotation.protocols.answer_files import answer_files
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.formats import JudgedBlock, write_five_way_csv
from campaign.models import Segment, System, Task
from campaign.selectors.texts import text_lines
from campaign.texts.canonical_json import canonical, json_line
from optional_packages import has_extra
from ranking.files.bundles import ANSWERS, DESIGN, DRAWS, JUDGMENTS, LEFT_OUT, TEXTS
from ranking.files.parquet_writing import in_order_of_segments, write_parquet
from ranking.files.reading import read_columns
from ranking.models import PublishedResult
from ranking.reports.published_results import hides_a_name
from ranking.reports.wording.published_content import PublishedContent
from ranking.selectors.runs import judges_not_counted

#: Called with the amount done and the total.
Progress = Callable[[int, int], None]
#: What judges did not say about the outputs.
_OF_JUDGES: Final = frozenset(
    {"comment", "started_at", "ended_at", "submitted_at", "duration_ms"}
)
_HITS_AT_ONCE: Final = 1_000
#: Seeds are included only if allowed, and group names never, because they are organisers' private notes.
_TOLD: Final = tuple(name for name in PARAMETERS if name not in {"seed", "judge_group"})
_WITHHELD: Final = "withheld: judges could foresee draws, and anybody could test names"


@dataclass(frozen=True, slots=True)
class FrozenResult:
    """A published result with the judgments and names in its bundle.

    Attributes
    ----------
    result : PublishedResult
    task : Task
    names : mapping
        Published name of each system, by id.
    left_out : frozenset of str
        Pseudonyms of the judges whom the ranking leaves out.
    """

    result: PublishedResult
    task: Task
    names: Mapping[int, str]
    left_out: frozenset[str]

    @property
    def content(self) -> PublishedContent:
        """The content of the result."""
        return cast("PublishedContent", self.result.content)

    @property
    def watermark(self) -> int:
        """Number of the last judgment."""
        return int(self.content["method"]["watermark"])

    @property
    def hides_a_name(self) -> bool:
        """True if a system is anonymous: then neither display orders nor seeds are included.

        With a seed, a reader could repeat the draw with each possible name and compare the result with
        the blocks shown.
        """
        return hides_a_name(self.content)

    @property
    def counted(self) -> JudgmentQuerySet:
        """Judgments that the ranking is computed from."""
        return self._current.exclude(judge__pseudonym__in=self.left_out)

    @property
    def not_counted(self) -> JudgmentQuerySet:
        """Judgments of judges who are left out."""
        return self._current.filter(judge__pseudonym__in=self.left_out)

    @property
    def _current(self) -> JudgmentQuerySet:
        return (
            Judgment.objects.of(self.task.pk)
            .counted()
            .current(watermark=self.watermark)
        )


def frozen_result(asked: PublishedResult) -> FrozenResult:
    """Read the content of a bundle; `asked` tells whether it includes texts and seeds."""
    found = PublishedResult.objects.select_related("task__test_set__campaign", "run")
    result = found.get(pk=asked.pk)
    result.bundle_has_texts = asked.bundle_has_texts
    result.bundle_has_seeds = asked.bundle_has_seeds
    task = result.task
    # Systems added after the result are in none of its judgments.
    systems = System.objects.filter(
        test_set_id=task.test_set_id, pk__in=map(int, result.labels)
    )
    return FrozenResult(
        result=result,
        task=task,
        names={system.pk: result.labels[str(system.pk)] for system in systems},
        left_out=frozenset(judges_not_counted(result.run.parameters)),
    )


def data_files(frozen: FrozenResult, progress: Progress) -> dict[str, Iterable[str]]:
    """Return the lines of each data file of the bundle, with a few thousand in memory at a time."""
    found: dict[str, Iterable[str]] = {
        JUDGMENTS: _judgments(frozen, frozen.counted, progress),
        DESIGN: [canonical(_said_of_designs(frozen)) + "\n"],
        DRAWS: _draws(frozen, progress),
    }
    if frozen.left_out and frozen.not_counted.exists():
        found[LEFT_OUT] = _judgments(frozen, frozen.not_counted, progress)
    has_answers = "answers" in frozen.content["sections"]
    if has_answers and frozen.result.bundle_has_texts and not frozen.hides_a_name:
        found[ANSWERS] = _answers(frozen)
    # Damaged references are left out.
    segments = Segment.objects.filter(test_set_id=frozen.task.test_set_id)
    if (
        frozen.result.bundle_has_texts
        and segments.filter(source_text__isnull=False).exists()
    ):
        found[TEXTS] = map(json_line, text_lines(task=frozen.task, names=frozen.names))
    return found


def _answers(frozen: FrozenResult) -> list[str]:
    """Return the answers beyond ranks, in the protocol's own JSON Lines, without comments and times."""
    files = answer_files(frozen.task.protocol)
    assert files is not None  # noqa: S101  an analysis has read them
    write = next(
        write for name, write in files.writers.items() if name.endswith("jsonl")
    )
    lines = []
    for line in write(frozen.task, frozen.watermark).lines:
        answer = json.loads(line)
        public = {key: value for key, value in answer.items() if key not in _OF_JUDGES}
        lines.append(json_line(public))
    return lines


def parquet_write(judgments: Path, path: Path) -> None:
    """Write a file of judgments as Parquet if pyarrow is installed; takes about 100 bytes of memory per judgment."""
    if has_extra("parquet"):
        columns, vocabulary, _not_read = read_columns([str(judgments)])
        write_parquet(str(path), in_order_of_segments(columns), vocabulary)


def _judgments(
    frozen: FrozenResult, judgments: JudgmentQuerySet, progress: Progress
) -> Iterator[str]:
    rows = judged_rows(
        task=frozen.task,
        judgments=judgments,
        until=frozen.watermark,
        names=frozen.names,
    )
    slots = max(most_candidates(judgments), 5)
    best_worst = answer_kind_of(frozen.task).best_worst
    return write_five_way_csv(
        _told(rows, frozen, progress), slots=slots, best_worst=best_worst
    )


def _told(
    rows: Iterator[JudgedBlock], frozen: FrozenResult, progress: Progress
) -> Iterator[JudgedBlock]:
    for done, row in enumerate(rows):
        if done % 500 == 0:
            progress(done, 2 * frozen.watermark)
        yield _by_name(row) if frozen.hides_a_name else row


def _by_name(row: JudgedBlock) -> JudgedBlock:
    """Return a row with its candidates in the order of their published names, as in `labelled_run`."""
    by_name = sorted(
        zip(row.candidates, row.labels, row.system_numbers, strict=True),
        key=lambda each: each[0],
    )
    if by_name:
        candidates, labels, numbers = zip(*by_name, strict=True)
    else:
        candidates = ()
        labels = ()
        numbers = ()
    return replace(row, candidates=candidates, labels=labels, system_numbers=numbers)


def _said_of_designs(frozen: FrozenResult) -> dict[str, Any]:
    """Return the designs of the HITs in the log, oldest first."""
    designs = []
    for number, design in enumerate(_designs(frozen), 1):
        designs.append(
            {
                "design": number,
                **{name: getattr(design, name) for name in _TOLD},
                "systems": _chosen(design, frozen),
                "seed": str(design.seed) if frozen.result.bundle_has_seeds else None,
                "is_for_a_group": design.judge_group_id is not None,
                "since": design.created_at.date().isoformat(),
            }
        )
    return {
        "format": 1,
        "seeds": "given" if frozen.result.bundle_has_seeds else _WITHHELD,
        "designs": designs,
    }


def _chosen(design: Design, frozen: FrozenResult) -> list[str]:
    """Return the names of the systems selected in a design."""
    rows = System.objects.filter(
        test_set=frozen.task.test_set_id, name__in=design.systems
    )
    return sorted(frozen.names[pk] for pk in rows.values_list("pk", flat=True))


def _draws(frozen: FrozenResult, progress: Progress) -> Iterator[str]:
    """Yield a line of JSON for each judged HIT with its blocks and judges, in planning order."""
    numbers = {design.pk: number for number, design in enumerate(_designs(frozen), 1)}
    done = 0
    for hits in _chunks(frozen):
        ids = [hit.pk for hit in hits]
        shown = _shown(frozen, ids)
        judges = _judges(frozen, ids)
        for hit in hits:
            yield json_line(
                {
                    "hit": hit.number,
                    "design": numbers[hit.design_id],
                    "purpose": hit.purpose,
                    "repeats": hit.repeats.number if hit.repeats is not None else None,
                    "blocks": shown[hit.pk],
                    "judges": judges[hit.pk],
                }
            )
            done += len(shown[hit.pk])
        progress(
            min(frozen.watermark + done, 2 * frozen.watermark), 2 * frozen.watermark
        )


def _designs(frozen: FrozenResult) -> Sequence[Design]:
    drawn = _judged_hits(frozen).filter(design=OuterRef("pk"))
    return list(
        Design.objects.filter(Exists(drawn), task=frozen.task.pk).order_by("pk")
    )


def _judged_hits(frozen: FrozenResult) -> Any:
    """Return the HITs with judgments up to the watermark; assigning more HITs does not change them."""
    judged = Judgment.objects.of(frozen.task.pk).until(frozen.watermark)
    return HIT.objects.filter(
        Exists(judged.filter(block__hit=OuterRef("pk"))), task=frozen.task.pk
    )


def _chunks(frozen: FrozenResult) -> Iterator[list[HIT]]:
    rows = _judged_hits(frozen).select_related("repeats").order_by("number")
    rows = rows.only("number", "design_id", "purpose", "repeats__number")
    after = -1
    while chunk := list(rows.filter(number__gt=after)[:_HITS_AT_ONCE]):
        yield chunk
        after = chunk[-1].number


def _shown(
    frozen: FrozenResult, hits: Collection[int]
) -> dict[int, list[dict[str, Any]]]:
    """Return the judged blocks of these HITs in their order, with their candidates as they were shown.

    Blocks that nobody has judged would tell their systems to whoever judges them later. If a system is anonymous, they are in the order of published names: see
    `FrozenResult.hides_a_name`.
    """
    judged = Judgment.objects.of(frozen.task.pk).until(frozen.watermark)
    rows = Block.objects.filter(
        Exists(judged.filter(block=OuterRef("pk"))), hit__in=hits
    )
    rows = rows.order_by("hit_id", "position")
    blocks = list(rows.values_list("pk", "hit_id", "segment__number", "control"))
    systems = systems_shown(pk for pk, *_rest in blocks)
    shown: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for pk, hit, segment, control in blocks:
        candidates = [
            sorted(frozen.names[system] for system in candidate)
            for candidate in systems[pk]
        ]
        shown[hit].append(
            {
                "segment": segment,
                "control": control,
                "candidates": sorted(candidates) if frozen.hides_a_name else candidates,
            }
        )
    return shown


def _judges(frozen: FrozenResult, hits: Collection[int]) -> dict[int, list[str]]:
    """Return the judges of these HITs by pseudonym, in the order of their first judgments."""
    names = ("block__hit", "judge__pseudonym")
    judged = Judgment.objects.of(frozen.task.pk).until(frozen.watermark)
    rows = judged.filter(block__hit__in=hits).values(*names)
    judges: dict[int, list[str]] = defaultdict(list)
    for hit, judge in (
        rows.annotate(first=Min("numbered__number"))
        .order_by("first")
        .values_list(*names)
    ):
        judges[hit].append(judge)
    return judges
