"""Writes small test sets through the models, row by row."""

import uuid
from collections.abc import Sequence
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
from annotation.services import judgments_number
from campaign.models import Campaign, Document, Judge, Output, Segment, System, User
from ranking.models import RankingSettings
from ranking.range_choices import RangeChoiceError
from ranking.services import ranking_settings_change
from tests.factories import empty_task


class TestSetWriter:
    """Writes one test set through the models: systems, blocks and judgments by name."""

    __test__ = False

    def __init__(self, campaign: Campaign, name: str, systems: Sequence[str]) -> None:
        self.campaign = campaign
        self.task = empty_task(
            campaign=campaign, name=name, source_language="cs", target_language="en"
        )
        self.design = Design.objects.create(task=self.task, kind="imported")
        self.document = Document.objects.create(test_set=self.task.test_set, name="d", position=1)
        for system in systems:
            self.system(system)

    def system(self, name: str, kind: str = "system") -> System:
        return System.objects.create(test_set=self.task.test_set, name=name, kind=kind)

    def judge(self, pseudonym: str, origin: str = "person") -> Judge:
        judge = Judge.objects.filter(campaign=self.campaign, pseudonym=pseudonym).first()
        if judge is None:
            user = User.objects.create_user(name=pseudonym) if origin == "person" else None
            judge = Judge.objects.create(
                campaign=self.campaign, pseudonym=pseudonym, origin=origin, user=user
            )
        return judge

    def block(self, segment: int, candidates: Sequence[str]) -> Block:
        """Show a block; a candidate is written as in the files, "A,B" for collapsed outputs."""
        row, _created = Segment.objects.get_or_create(
            test_set_id=self.task.test_set_id,
            number=segment,
            defaults={"document": self.document, "position": segment},
        )
        number = HIT.objects.filter(task=self.task).count() + 1
        hit = HIT.objects.create(task=self.task, design=self.design, number=number)
        shown = [[self._output(row, name).pk for name in names.split(",")] for names in candidates]
        return Block.objects.create(
            hit=hit,
            segment=row,
            position=1,
            outputs=[output for outputs in shown for output in outputs],
            stands_for=stands_for([len(outputs) for outputs in shown]),
        )

    def _output(self, segment: Segment, system: str) -> Output:
        written_by = System.objects.get(test_set_id=self.task.test_set_id, name=system)
        return Output.objects.get_or_create(system=written_by, segment=segment)[0]

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
        judgment = Judgment.objects.create(
            task=self.task,
            client_id=uuid.uuid4(),
            judge=self.judge(judge),
            block=block,
            labels=list(labels),
            supersedes=supersedes,
            submitted_at=at or timezone.now(),
            active_ms=active_ms,
            comment=comment,
        )
        if is_numbered:
            judgments_number(task_id=self.task.pk)
        return judgment

    def skip(
        self,
        judge: str,
        block: Block,
        *,
        at: datetime | None = None,
        comment: str = "",
        is_counted: bool = True,
    ) -> Skip:
        skip = Skip.objects.create(
            task=self.task,
            client_id=uuid.uuid4(),
            judge=self.judge(judge),
            block=block,
            reason="other",
            comment=comment,
            created_at=at or timezone.now(),
        )
        if is_counted:
            judgments_number(task_id=self.task.pk)
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
    """Give every `size` segments in a row a document of their own."""
    for segment in Segment.objects.filter(test_set_id=writer.task.test_set_id).order_by("number"):
        number = (segment.number - 1) // size
        document, _created = Document.objects.get_or_create(
            test_set_id=writer.task.test_set_id,
            name=f"d{99 - number}",
            defaults={"position": 10 + number},
        )
        place = {"document": document, "position": segment.number}
        Segment.objects.filter(pk=segment.pk).update(**place)
