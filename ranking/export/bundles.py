"""Write the data files in the bundle of a published result: judgments, texts, designs, and the log of draws."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypedDict, cast

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
    {"comment", "started_at", "ended_at", "submitted_at", "duration_ms"},
)
_HITS_AT_ONCE: Final = 1_000
#: Seeds are included only if allowed, and group names never, because they are organisers' private notes.
_PUBLIC: Final = tuple(
    name for name in PARAMETERS if name not in {"seed", "judge_group"}
)
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
        judgments = Judgment.objects.of(self.task.pk).counted()
        return judgments.current(watermark=self.watermark)


def frozen_result(requested: PublishedResult) -> FrozenResult:
    """Read the content of a bundle; `requested` tells whether it includes texts and seeds."""
    results = PublishedResult.objects.select_related("task__test_set__campaign", "run")
    result = results.get(pk=requested.pk)
    result.bundle_has_texts = requested.bundle_has_texts
    result.bundle_has_seeds = requested.bundle_has_seeds
    task = result.task
    # Systems added after the result are in none of its judgments.
    systems = System.objects.filter(
        test_set_id=task.test_set_id,
        pk__in=map(int, result.labels),
    )
    return FrozenResult(
        result=result,
        task=task,
        names={system.pk: result.labels[str(system.pk)] for system in systems},
        left_out=frozenset(judges_not_counted(result.run.parameters)),
    )


def data_files(frozen: FrozenResult, progress: Progress) -> dict[str, Iterable[str]]:
    """Return the lines of each data file of the bundle, with a few thousand in memory at a time."""
    files: dict[str, Iterable[str]] = {
        JUDGMENTS: _judgments(frozen, frozen.counted, progress),
        DESIGN: [canonical(_design_log(frozen)) + "\n"],
        DRAWS: _draws(frozen, progress),
    }
    if frozen.left_out and frozen.not_counted.exists():
        files[LEFT_OUT] = _judgments(frozen, frozen.not_counted, progress)
    has_texts = frozen.result.bundle_has_texts
    has_answers = "answers" in frozen.content["sections"]
    if has_answers and has_texts and not frozen.hides_a_name:
        files[ANSWERS] = _answers(frozen)
    # Damaged references are left out.
    segments = Segment.objects.filter(test_set_id=frozen.task.test_set_id)
    if has_texts and segments.filter(source_text__isnull=False).exists():
        files[TEXTS] = map(json_line, text_lines(task=frozen.task, names=frozen.names))
    return files


def _answers(frozen: FrozenResult) -> list[str]:
    """Return the answers beyond ranks, in the protocol's own JSON Lines, without comments and times."""
    files = answer_files(frozen.task.protocol)
    assert files is not None  # noqa: S101  an analysis has read them
    file_format = next(name for name in files.writers if name.endswith("jsonl"))
    write = files.writers[file_format]
    lines = []
    for line in write(frozen.task, frozen.watermark).lines:
        answer = json.loads(line)
        for key in _OF_JUDGES.intersection(answer):
            del answer[key]
        lines.append(json_line(answer))
    return lines


def parquet_write(judgments: Path, path: Path) -> None:
    """Write a file of judgments as Parquet if pyarrow is installed; takes about 100 bytes of memory per judgment."""
    if has_extra("parquet"):
        columns, vocabulary, _not_read = read_columns([str(judgments)])
        write_parquet(str(path), in_order_of_segments(columns), vocabulary)


def _judgments(
    frozen: FrozenResult,
    judgments: JudgmentQuerySet,
    progress: Progress,
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
        _rows(rows, frozen, progress),
        slots=slots,
        best_worst=best_worst,
    )


def _rows(
    rows: Iterator[JudgedBlock],
    frozen: FrozenResult,
    progress: Progress,
) -> Iterator[JudgedBlock]:
    for number, row in enumerate(rows):
        if number % 500 == 0:
            progress(number, 2 * frozen.watermark)
        if frozen.hides_a_name:
            yield _sort_candidates(row)
        else:
            yield row


def _sort_candidates(row: JudgedBlock) -> JudgedBlock:
    """Return a row with its candidates in the order of their published names, as in `labelled_run`."""
    order = sorted(range(len(row.candidates)), key=row.candidates.__getitem__)
    return replace(
        row,
        candidates=tuple(map(row.candidates.__getitem__, order)),
        labels=tuple(map(row.labels.__getitem__, order)),
        system_numbers=tuple(map(row.system_numbers.__getitem__, order)),
    )


def _design_log(frozen: FrozenResult) -> dict[str, object]:
    """Return the designs of the HITs in the log, oldest first."""
    has_seeds = frozen.result.bundle_has_seeds
    designs = []
    for number, design in enumerate(_designs(frozen), 1):
        logged: dict[str, object] = {"design": number}
        for name in _PUBLIC:
            logged[name] = getattr(design, name)
        logged["systems"] = _chosen(design, frozen)
        logged["seed"] = None
        if has_seeds:
            logged["seed"] = str(design.seed)
        logged["is_for_a_group"] = design.judge_group_id is not None
        logged["since"] = design.created_at.date().isoformat()
        designs.append(logged)
    seeds = _WITHHELD
    if has_seeds:
        seeds = "given"
    return {"format": 1, "seeds": seeds, "designs": designs}


def _chosen(design: Design, frozen: FrozenResult) -> list[str]:
    """Return the names of the systems selected in a design."""
    rows = System.objects.filter(
        test_set=frozen.task.test_set_id,
        name__in=design.systems,
    )
    return sorted(map(frozen.names.__getitem__, rows.values_list("pk", flat=True)))


def _draws(frozen: FrozenResult, progress: Progress) -> Iterator[str]:
    """Yield a line of JSON for each judged HIT with its blocks and judges, in planning order."""
    numbers = {design.pk: number for number, design in enumerate(_designs(frozen), 1)}
    completed = 0
    for hits in _chunks(frozen):
        ids = [hit.pk for hit in hits]
        blocks = _shown_blocks(frozen, ids)
        judges = _judges(frozen, ids)
        for hit in hits:
            repeats = None
            if hit.repeats is not None:
                repeats = hit.repeats.number
            drawn = {
                "hit": hit.number,
                "design": numbers[hit.design_id],
                "purpose": hit.purpose,
                "repeats": repeats,
                "blocks": blocks[hit.pk],
                "judges": judges[hit.pk],
            }
            yield json_line(drawn)
            completed += len(blocks[hit.pk])
        total = 2 * frozen.watermark
        progress(min(frozen.watermark + completed, total), total)


def _designs(frozen: FrozenResult) -> Sequence[Design]:
    drawn = _judged_hits(frozen).filter(design=OuterRef("pk"))
    return list(
        Design.objects.filter(Exists(drawn), task=frozen.task.pk).order_by("pk"),
    )


def _judged_hits(frozen: FrozenResult) -> Any:
    """Return the HITs with judgments up to the watermark; assigning more HITs does not change them."""
    judged = Judgment.objects.of(frozen.task.pk).until(frozen.watermark)
    return HIT.objects.filter(
        Exists(judged.filter(block__hit=OuterRef("pk"))),
        task=frozen.task.pk,
    )


def _chunks(frozen: FrozenResult) -> Iterator[list[HIT]]:
    rows = _judged_hits(frozen).select_related("repeats").order_by("number")
    rows = rows.only("number", "design_id", "purpose", "repeats__number")
    after = -1
    while chunk := list(rows.filter(number__gt=after)[:_HITS_AT_ONCE]):
        yield chunk
        after = chunk[-1].number


class _ShownBlock(TypedDict):
    """A judged block with its candidates, each with the names of its systems."""

    segment: int
    control: str
    candidates: list[list[str]]


def _shown_blocks(
    frozen: FrozenResult,
    hits: Collection[int],
) -> dict[int, list[_ShownBlock]]:
    """Return the judged blocks of these HITs in their order, with their candidates as they were shown.

    Blocks that nobody has judged would tell their systems to whoever judges them later. If a system is anonymous, they are in the order of published names: see
    `FrozenResult.hides_a_name`.
    """
    judged = Judgment.objects.of(frozen.task.pk).until(frozen.watermark)
    rows = Block.objects.filter(
        Exists(judged.filter(block=OuterRef("pk"))),
        hit__in=hits,
    )
    rows = rows.order_by("hit_id", "position")
    blocks = list(rows.values_list("pk", "hit_id", "segment__number", "control"))
    systems = systems_shown(pk for pk, *_rest in blocks)
    blocks_by_hit: dict[int, list[_ShownBlock]] = defaultdict(list)
    for pk, hit, segment, control in blocks:
        candidates = []
        for candidate in systems[pk]:
            candidates.append(sorted(map(frozen.names.__getitem__, candidate)))
        if frozen.hides_a_name:
            candidates.sort()
        block: _ShownBlock = {
            "segment": segment,
            "control": control,
            "candidates": candidates,
        }
        blocks_by_hit[hit].append(block)
    return blocks_by_hit


def _judges(frozen: FrozenResult, hits: Collection[int]) -> dict[int, list[str]]:
    """Return the judges of these HITs by pseudonym, in the order of their first judgments."""
    names = ("block__hit", "judge__pseudonym")
    judged = Judgment.objects.of(frozen.task.pk).until(frozen.watermark)
    rows = judged.filter(block__hit__in=hits).values(*names)
    rows = rows.annotate(first=Min("numbered__number")).order_by("first")
    judges: dict[int, list[str]] = defaultdict(list)
    for hit, judge in rows.values_list(*names):
        judges[hit].append(judge)
    return judges
