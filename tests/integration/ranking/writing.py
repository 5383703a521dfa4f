"""Writes test sets through the models, row by row or from the released file of WMT12."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation.models import (
    HIT,
    Block,
    Candidate,
    CandidateOutput,
    Design,
    Judgment,
    JudgmentSequence,
    Skip,
)
from campaign.models import Campaign, Document, Judge, Output, Segment, System, TestSet


class TestSetWriter:
    """Writes one test set through the models: systems, blocks and judgments by name."""

    __test__ = False

    def __init__(self, campaign: Campaign, name: str, systems: Sequence[str]) -> None:
        self.campaign = campaign
        self.test_set = TestSet.objects.create(
            campaign=campaign, name=name, source_language="cs", target_language="en"
        )
        self.design = Design.objects.create(test_set=self.test_set, kind="imported")
        self.document = Document.objects.create(test_set=self.test_set, name="d", position=1)
        for system in systems:
            self.system(system)

    def system(self, name: str, kind: str = "system") -> System:
        return System.objects.create(test_set=self.test_set, name=name, kind=kind)

    def judge(self, pseudonym: str, origin: str = "simulated") -> Judge:
        judge, _created = Judge.objects.get_or_create(
            campaign=self.campaign, pseudonym=pseudonym, defaults={"origin": origin}
        )
        return judge

    # A candidate must stand for an output by the end of its transaction.
    @transaction.atomic
    def block(self, segment: int, candidates: Sequence[str]) -> Block:
        """Show a block; a candidate is written as in the files, "A,B" for collapsed outputs."""
        row, _created = Segment.objects.get_or_create(
            test_set=self.test_set,
            number=segment,
            defaults={"document": self.document, "position": segment},
        )
        number = HIT.objects.filter(test_set=self.test_set).count() + 1
        hit = HIT.objects.create(test_set=self.test_set, design=self.design, number=number)
        block = Block.objects.create(hit=hit, segment=row, position=1)
        for position, names in enumerate(candidates, start=1):
            candidate = Candidate.objects.create(block=block, position=position)
            for name in names.split(","):
                system = System.objects.get(test_set=self.test_set, name=name)
                output, _created = Output.objects.get_or_create(system=system, segment=row)
                CandidateOutput.objects.create(candidate=candidate, output=output)
        return block

    def judgment(
        self,
        judge: str,
        block: Block,
        labels: Sequence[int | None],
        *,
        supersedes: Judgment | None = None,
        at: datetime | None = None,
        active_ms: int | None = None,
    ) -> Judgment:
        sequence, _created = JudgmentSequence.objects.get_or_create(test_set=self.test_set)
        sequence.last_number += 1
        sequence.save()
        return Judgment.objects.create(
            test_set=self.test_set,
            number=sequence.last_number,
            client_id=uuid.uuid4(),
            judge=self.judge(judge),
            block=block,
            labels=list(labels),
            supersedes=supersedes,
            submitted_at=at or timezone.now(),
            active_ms=active_ms,
        )

    def skip(self, judge: str, block: Block) -> Skip:
        return Skip.objects.create(
            client_id=uuid.uuid4(), judge=self.judge(judge), block=block, reason="other"
        )


class WMT12Writer:
    """Writes rows of a five-way CSV with a statement a table."""

    def __init__(self, test_set: TestSet) -> None:
        self.test_set = test_set

    @transaction.atomic
    def write(self, rows: list[dict[str, str]]) -> None:
        ranked = [
            [(row[f"system{i}Id"], int(row[f"system{i}rank"])) for i in range(1, 6)] for row in rows
        ]
        systems = self._systems({name for block in ranked for name, _ in block})
        segments = self._segments({int(row["srcIndex"]) for row in rows})
        judges = self._judges({row["judgeId"] for row in rows})
        numbers = [int(row["srcIndex"]) for row in rows]
        outputs = self._outputs(systems, segments, numbers, ranked)
        blocks = self._blocks([segments[number] for number in numbers])
        candidates = Candidate.objects.bulk_create(
            Candidate(block=block, position=position)
            for block in blocks
            for position in range(1, 6)
        )
        shown = [
            (number, name)
            for number, block in zip(numbers, ranked, strict=True)
            for name, _ in block
        ]
        CandidateOutput.objects.bulk_create(
            CandidateOutput(candidate=candidate, output=outputs[key])
            for candidate, key in zip(candidates, shown, strict=True)
        )
        judged = [
            (row, block, [None if rank == -1 else rank for _, rank in labels])
            for row, block, labels in zip(rows, blocks, ranked, strict=True)
        ]
        # Without a single label, a row is a skipped block.
        counted = [entry for entry in judged if any(entry[2])]
        Judgment.objects.bulk_create(
            Judgment(
                test_set=self.test_set,
                number=number,
                client_id=uuid.uuid4(),
                judge=judges[row["judgeId"]],
                block=block,
                labels=labels,
            )
            for number, (row, block, labels) in enumerate(counted, start=1)
        )
        Skip.objects.bulk_create(
            Skip(
                client_id=uuid.uuid4(),
                judge=judges[row["judgeId"]],
                block=block,
                reason="not_stated",
            )
            for row, block, labels in judged
            if not any(labels)
        )
        JudgmentSequence.objects.create(test_set=self.test_set, last_number=len(counted))

    def _systems(self, names: set[str]) -> dict[str, System]:
        made = System.objects.bulk_create(
            System(
                test_set=self.test_set, name=name, kind="reference" if name == "_ref" else "system"
            )
            for name in sorted(names)
        )
        return {system.name: system for system in made}

    def _segments(self, numbers: set[int]) -> dict[int, Segment]:
        document = Document.objects.create(test_set=self.test_set, name="all", position=1)
        made = Segment.objects.bulk_create(
            Segment(test_set=self.test_set, document=document, number=number, position=number)
            for number in sorted(numbers)
        )
        return {segment.number: segment for segment in made}

    def _judges(self, names: set[str]) -> dict[str, Judge]:
        made = Judge.objects.bulk_create(
            Judge(campaign=self.test_set.campaign, pseudonym=name, origin="imported")
            for name in sorted(names)
        )
        return {judge.pseudonym: judge for judge in made}

    def _outputs(
        self,
        systems: dict[str, System],
        segments: dict[int, Segment],
        numbers: list[int],
        ranked: list[list[tuple[str, int]]],
    ) -> dict[tuple[int, str], Output]:
        keys = {
            (number, name)
            for number, block in zip(numbers, ranked, strict=True)
            for name, _ in block
        }
        made = Output.objects.bulk_create(
            Output(system=systems[name], segment=segments[number]) for number, name in sorted(keys)
        )
        return dict(zip(sorted(keys), made, strict=True))

    def _blocks(self, segments: list[Segment]) -> list[Block]:
        design = Design.objects.create(test_set=self.test_set, kind="imported")
        hits = HIT.objects.bulk_create(
            HIT(test_set=self.test_set, design=design, number=number)
            for number in range(1, len(segments) + 1)
        )
        return Block.objects.bulk_create(
            Block(hit=hit, segment=segment, position=1)
            for hit, segment in zip(hits, segments, strict=True)
        )
