"""Writes small test sets through the models."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.utils import timezone

from annotation.models import (
    HIT,
    Block,
    Design,
    Judgment,
    Skip,
)
from annotation.models.block import stands_for
from annotation.services.numbers import judgments_number
from campaign.models import Campaign, Document, Judge, Output, Segment, System, User
from ranking.models import RankingSettings, StoredTallies
from ranking.reports.range_choices import RangeChoiceError
from ranking.services.ranking_settings import ranking_settings_change
from tests.factories import empty_task


class TestSetWriter:
    """Writes one test set through the models: systems, blocks and judgments by name.

    What it has written or found it looks up no more: most tests begin by writing a test set.
    """

    __test__ = False

    def __init__(self, campaign: Campaign, name: str, systems: Sequence[str]) -> None:
        self.campaign = campaign
        self._judges: dict[str, Judge] = {}
        self._systems: dict[str, System] = {}
        self._segments: dict[int, Segment] = {}
        # By segment and system.
        self._outputs: dict[int, dict[str, int]] = {}
        self._is_at_once = False
        self._blocks: list[Block] = []
        self._judgments: list[Judgment] = []
        self._hits = 0
        self.task = empty_task(
            campaign=campaign,
            name=name,
            source_language="cs",
            target_language="en",
        )
        self.design = Design.objects.create(task=self.task, kind="imported")
        self.document = Document.objects.create(
            test_set=self.task.test_set,
            name="d",
            position=1,
        )
        System.objects.bulk_create(
            System(test_set=self.task.test_set, name=system) for system in systems
        )

    def system(self, name: str, kind: str = "system") -> System:
        return System.objects.create(test_set=self.task.test_set, name=name, kind=kind)

    def judge(self, pseudonym: str, origin: str = "person") -> Judge:
        judge = Judge.objects.filter(
            campaign=self.campaign,
            pseudonym=pseudonym,
        ).first()
        if judge is None:
            user = (
                User.objects.create_user(name=pseudonym) if origin == "person" else None
            )
            judge = Judge.objects.create(
                campaign=self.campaign,
                pseudonym=pseudonym,
                origin=origin,
                user=user,
            )
        return judge

    def block(self, segment: int, candidates: Sequence[str]) -> Block:
        """Show a block; a candidate is written as in the files, "A,B" for collapsed outputs."""
        row = self._segment(segment)
        self._hits += 1
        hit = HIT(task=self.task, design=self.design, number=self._hits)
        by_candidate = [names.split(",") for names in candidates]
        outputs = self._outputs_of(
            row,
            [name for names in by_candidate for name in names],
        )
        shown = [[outputs[name] for name in names] for names in by_candidate]
        block = Block(
            hit=hit,
            segment=row,
            position=1,
            outputs=[output for outputs in shown for output in outputs],
            stands_for=stands_for([len(outputs) for outputs in shown]),
        )
        self._blocks.append(block)
        if not self._is_at_once:
            self._store()
        return block

    def _segment(self, number: int) -> Segment:
        if number not in self._segments:
            test_set = self.task.test_set
            row = Segment.objects.create(
                test_set=test_set,
                document=self.document,
                number=number,
                position=number,
            )
            self._outputs[row.pk] = {}
            self._segments[number] = row
        return self._segments[number]

    def _outputs_of(self, segment: Segment, systems: Sequence[str]) -> dict[str, int]:
        """Return the outputs of a segment by system, after writing those that it lacks."""
        if segment.pk not in self._outputs:
            found = segment.outputs.values_list("system__name", "pk")
            self._outputs[segment.pk] = dict(found)
        known = self._outputs[segment.pk]
        if lacking := [name for name in systems if name not in known]:
            written = Output.objects.bulk_create(
                Output(system=self._system(name), segment=segment) for name in lacking
            )
            known.update(zip(lacking, (output.pk for output in written), strict=True))
        return known

    def _system(self, name: str) -> System:
        if name not in self._systems:
            self._systems[name] = self.task.test_set.systems.get(name=name)
        return self._systems[name]

    def _judge(self, pseudonym: str) -> Judge:
        if pseudonym not in self._judges:
            self._judges[pseudonym] = self.judge(pseudonym)
        return self._judges[pseudonym]

    def judgment(
        self,
        judge: str,
        block: Block,
        labels: Sequence[int | None],
        *,
        supersedes: Judgment | None = None,
        at: datetime | None = None,
        active_ms: int | None = None,
        comment: str = "",
        is_numbered: bool = True,
    ) -> Judgment:
        judgment = Judgment(
            task=self.task,
            client_id=uuid.uuid4(),
            judge=self._judge(judge),
            block=block,
            labels=list(labels),
            supersedes=supersedes,
            submitted_at=at or timezone.now(),
            active_ms=active_ms,
            comment=comment,
        )
        if supersedes is not None:
            self._store()
        self._judgments.append(judgment)
        if not self._is_at_once:
            self._store()
        if is_numbered:
            self._number()
        return judgment

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Store and number what is written inside together when it ends, with a statement per table."""
        self._is_at_once = True
        yield
        self._is_at_once = False
        self._store()
        self._number()

    def _store(self) -> None:
        """Store the blocks and judgments that are not stored yet."""
        HIT.objects.bulk_create([block.hit for block in self._blocks])
        Block.objects.bulk_create(self._blocks)
        Judgment.objects.bulk_create(self._judgments)
        self._blocks.clear()
        self._judgments.clear()

    def _number(self) -> None:
        if not self._is_at_once:
            judgments_number(task_id=self.task.pk)

    def skip(
        self,
        judge: str,
        block: Block,
        *,
        at: datetime | None = None,
        comment: str = "",
        is_counted: bool = True,
    ) -> Skip:
        self._store()
        skip = Skip.objects.create(
            task=self.task,
            client_id=uuid.uuid4(),
            judge=self._judge(judge),
            block=block,
            reason="other",
            comment=comment,
            created_at=at or timezone.now(),
        )
        if is_counted:
            self._number()
        return skip


def settings_change(writer: TestSetWriter, **changes: Any) -> RankingSettings:
    """Change how a test set is ranked, with a reason where one is asked for."""
    try:
        return ranking_settings_change(task=writer.task, **changes)
    except RangeChoiceError as error:
        if error.field != "reason":
            raise
        return ranking_settings_change(task=writer.task, reason="Tried.", **changes)


def documents_of(writer: TestSetWriter, size: int) -> None:
    """Give every `size` segments in a row a document of their own; rankings are counted again with them."""
    StoredTallies.objects.filter(pk=writer.task.pk).delete()
    for segment in Segment.objects.filter(test_set_id=writer.task.test_set_id).order_by(
        "number",
    ):
        number = (segment.number - 1) // size
        document, _created = Document.objects.get_or_create(
            test_set_id=writer.task.test_set_id,
            name=f"d{99 - number}",
            defaults={"position": 10 + number},
        )
        place = {"document": document, "position": segment.number}
        Segment.objects.filter(pk=segment.pk).update(**place)
