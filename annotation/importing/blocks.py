"""The rows behind an imported judgment: HIT, block, candidates and the judgment itself."""

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Max, Q
from django.db.models.functions import Now

from annotation.models import (
    HIT,
    Block,
    Candidate,
    CandidateOutput,
    Design,
    HITSequence,
    Judgment,
    Skip,
    SkipReason,
)
from annotation.services import judgment_number_next
from campaign.database.copy import constraints_check_now, pgtrigger_ignore_preset
from campaign.importing.judgment_files import PlacedRow
from campaign.models import Judge, Output, Segment, TestSet


@dataclass(frozen=True, slots=True)
class KeyedRow:
    placed: PlacedRow
    client_id: uuid.UUID


@dataclass(frozen=True, slots=True)
class _KnownSegment:
    id: int
    has_text: bool


class BlockWriter:
    """Writes batches of rows of one test set; used inside one transaction.

    Takes the locks in the order of everybody else: the test set's HIT
    sequence at once, its judgment sequence with the first judgment.
    """

    def __init__(self, test_set: TestSet) -> None:
        self._test_set = test_set
        pgtrigger_ignore_preset()
        # Whoever plans HITs holds this lock too: numbers of HITs are given out under it.
        HITSequence.objects.get_or_create(test_set=test_set)
        locked = HITSequence.objects.select_for_update().annotate(now=Now())
        self._hit_sequence = locked.get(test_set=test_set)
        self._design = self._imported_design()
        self._judge_ids: dict[str, int] = {}
        self._now = self._hit_sequence.now
        self.system_ids: dict[str, int] = dict(
            test_set.systems.order_by("name").values_list("name", "id")
        )

    def write(self, rows: Collection[KeyedRow]) -> int:
        """Write the rows; return how many of them became judgments. The others are skips."""
        if not rows:
            return 0
        judges = self._judges(rows)
        segments = self._segments(rows)
        outputs = self._outputs(rows, segments)
        blocks = self._blocks(rows, segments)
        self._candidates(rows, blocks, segments, outputs)
        judged = self._judgments(rows, blocks, judges)
        constraints_check_now()
        return judged

    def _imported_design(self) -> Design:
        design = Design.objects.filter(test_set=self._test_set, kind=Design.Kind.IMPORTED).first()
        return design or Design.objects.create(
            test_set=self._test_set, kind=Design.Kind.IMPORTED, segments_per_hit=1
        )

    def _judges(self, rows: Iterable[KeyedRow]) -> dict[str, int]:
        first_rows: dict[str, PlacedRow] = {}
        for row in rows:
            pseudonym = row.placed.row.judge.strip()
            if pseudonym not in self._judge_ids:
                first_rows.setdefault(pseudonym, row.placed)
        Judge.objects.bulk_create(
            (
                Judge(
                    campaign_id=self._test_set.campaign_id,
                    pseudonym=pseudonym,
                    origin=Judge.Origin.IMPORTED,
                )
                for pseudonym in first_rows
            ),
            ignore_conflicts=True,
        )
        for judge in Judge.objects.filter(
            campaign_id=self._test_set.campaign_id, pseudonym__in=first_rows
        ):
            if judge.origin != Judge.Origin.IMPORTED:
                raise first_rows[judge.pseudonym].error(
                    f'the judge "{judge.pseudonym}" takes part in this campaign '
                    "and is no judge of an imported file",
                    "import into another campaign, or rename the judge in the whole file",
                    field="judgeId",
                )
            self._judge_ids[judge.pseudonym] = judge.pk
        return self._judge_ids

    def _segments(self, rows: Iterable[KeyedRow]) -> dict[int, _KnownSegment]:
        numbers = {row.placed.row.source_index for row in rows}
        segments = {
            number: _KnownSegment(id_, has_text)
            for id_, number, has_text in Segment.objects.annotate(
                has_text=Q(source_text__isnull=False)
            )
            .filter(test_set=self._test_set, number__in=numbers)
            .values_list("id", "number", "has_text")
        }
        for row in rows:
            number = row.placed.row.source_index
            if number not in segments:
                last = self._test_set.segments.aggregate(Max("number"))["number__max"]
                raise row.placed.error(
                    f'the test set "{self._test_set.name}" has no segment {number}; '
                    f"its last is {last}",
                    "give the judgments of this test set, counted from its first segment",
                    field="srcIndex",
                )
        return segments

    def _outputs(
        self, rows: Iterable[KeyedRow], segments: dict[int, _KnownSegment]
    ) -> dict[tuple[int, int], int]:
        """Return the outputs by (segment, system); create those known only from judgments."""
        outputs = self._known_outputs(segments.values())
        missing: dict[tuple[int, int], Output] = {}
        for row in rows:
            segment = segments[row.placed.row.source_index]
            for system in (name for names in row.placed.row.candidates for name in names):
                key = segment.id, self.system_ids[system]
                if key in outputs or key in missing:
                    continue
                if segment.has_text:
                    raise row.placed.error(
                        f"the system {system} has no output for segment "
                        f"{row.placed.row.source_index}",
                        "correct the row, or import the test set with all outputs",
                    )
                missing[key] = Output(segment_id=key[0], system_id=key[1])
        for output in Output.objects.bulk_create(missing.values()):
            outputs[output.segment_id, output.system_id] = output.pk
        return outputs

    def _known_outputs(self, segments: Iterable[_KnownSegment]) -> dict[tuple[int, int], int]:
        rows = Output.objects.filter(segment__in=[segment.id for segment in segments])
        return {
            (segment, system): id_
            for id_, segment, system in rows.values_list("id", "segment_id", "system_id")
        }

    def _blocks(
        self, rows: Collection[KeyedRow], segments: dict[int, _KnownSegment]
    ) -> list[Block]:
        first = self._hit_sequence.last_number + 1
        self._hit_sequence.last_number += len(rows)
        self._hit_sequence.save(update_fields=["last_number"])
        hits = HIT.objects.bulk_create(
            HIT(
                test_set=self._test_set,
                design=self._design,
                number=number,
                available_at=self._now,
                completed_at=self._now,
            )
            for number in range(first, first + len(rows))
        )
        return Block.objects.bulk_create(
            Block(hit=hit, segment_id=segments[row.placed.row.source_index].id, position=1)
            for hit, row in zip(hits, rows, strict=True)
        )

    def _candidates(
        self,
        rows: Iterable[KeyedRow],
        blocks: list[Block],
        segments: dict[int, _KnownSegment],
        outputs: dict[tuple[int, int], int],
    ) -> None:
        candidates: list[Candidate] = []
        standing_for: list[list[int]] = []
        for row, block in zip(rows, blocks, strict=True):
            segment = segments[row.placed.row.source_index].id
            for position, systems in enumerate(row.placed.row.candidates, 1):
                candidates.append(Candidate(block=block, position=position))
                standing_for.append([outputs[segment, self.system_ids[name]] for name in systems])
        Candidate.objects.bulk_create(candidates)
        CandidateOutput.objects.bulk_create(
            CandidateOutput(candidate=candidate, output_id=output)
            for candidate, ids in zip(candidates, standing_for, strict=True)
            for output in ids
        )

    def _judgments(
        self, rows: Collection[KeyedRow], blocks: list[Block], judges: dict[str, int]
    ) -> int:
        judgments: list[Judgment] = []
        skips: list[Skip] = []
        for row, block in zip(rows, blocks, strict=True):
            judge = judges[row.placed.row.judge.strip()]
            labels = row.placed.row.labels
            if any(label is not None for label in labels):
                judgments.append(
                    Judgment(
                        test_set=self._test_set,
                        client_id=row.client_id,
                        judge_id=judge,
                        block=block,
                        labels=list(labels),
                        submitted_at=self._now,
                    )
                )
            else:
                skips.append(
                    Skip(
                        client_id=row.client_id,
                        judge_id=judge,
                        block=block,
                        reason=SkipReason.NOT_STATED,
                        created_at=self._now,
                    )
                )
        if judgments:
            first = judgment_number_next(test_set_id=self._test_set.pk, count=len(judgments))
            for number, judgment in enumerate(judgments, first):
                judgment.number = number
        Judgment.objects.bulk_create(judgments)
        Skip.objects.bulk_create(skips)
        return len(judgments)
