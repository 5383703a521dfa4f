"""Test sets, their texts, the systems that translated them, and damaged references."""

from functools import partial
from typing import Any

from django.utils import timezone

from campaign.models import (
    BadReference,
    Document,
    Output,
    Reference,
    Segment,
    System,
    Task,
    TestSet,
)
from campaign.services import bad_references_make
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import small_task


def test_set() -> Create:
    return partial(
        TestSet.objects.create,
        campaign=small_task(name="small").test_set.campaign,
        name="other",
        source_language="en",
        target_language="de",
    )


def task() -> Create:
    here = small_task()
    here.delete()
    return partial(Task.objects.create, test_set=here.test_set, protocol="ranking")


def document() -> Create:
    return partial(
        Document.objects.create, test_set=small_task().test_set, name="document 2", position=2
    )


def segment() -> Create:
    """Two segments are there, in a first document."""
    there = small_task()
    return partial(
        Segment.objects.create,
        test_set=there.test_set,
        document=there.test_set.documents.get(),
        number=3,
        position=3,
        source_text="Another sentence.",
    )


def reference() -> Create:
    return partial(
        Reference.objects.create,
        segment=small_task().test_set.segments.all()[0],
        number=2,
        text="Ein anderer Satz.",
    )


def system() -> Create:
    return partial(System.objects.create, test_set=small_task().test_set, name="gneiss")


def output() -> Create:
    there = small_task()
    return partial(
        Output.objects.create,
        segment=there.test_set.segments.all()[0],
        system=System.objects.create(test_set=there.test_set, name="gneiss"),
        text="Ein Satz.",
    )


def bad_reference() -> Create:
    there = small_task()
    system = System.objects.create(test_set=there.test_set, name="damaged", kind="bad_reference")
    damaged = Output.objects.create(
        system=system, segment=there.test_set.segments.all()[0], text="Satz ein der."
    )
    return partial(BadReference.objects.create, output=damaged, damage="reordered", seed=1)


NOW = timezone.now()
APPROVED = {"status": "approved", "reviewed_at": NOW, "approved_at": NOW}
REJECTED = {"status": "rejected", "reviewed_at": NOW}

breaks_by_fields(
    "test_set_source_differs_from_target",
    test_set,
    {"source_language": "de"},
    accepted={"source_language": "de-AT"},
)
breaks_by_fields("test_set_name_unique_in_campaign", test_set, {"name": "small"})
breaks_by_fields("test_set_name_not_empty", test_set, {"name": ""})
breaks_by_fields("task_protocol_is_known", task, {"protocol": "guessing"})
breaks_by_fields(
    "task_ranking_is_not_apart",
    task,
    {"protocol": "ranking", "segments_again": True},
    accepted={"protocol": "two_outputs", "segments_again": True},
)
breaks_by_fields(
    "task_blocks_per_segment_positive",
    task,
    {"blocks_per_segment": 0},
    accepted={"blocks_per_segment": 1},
)
breaks_by_fields("document_name_unique_in_test_set", document, {"name": "document 1"})
breaks_by_fields("document_position_unique_in_test_set", document, {"position": 1})
breaks_by_fields("segment_number_unique_in_test_set", segment, {"number": 1})
breaks_by_fields("segment_position_unique_in_document", segment, {"position": 1})
breaks_by_fields(
    "segment_source_text_not_empty", segment, {"source_text": ""}, accepted={"source_text": None}
)
breaks_by_fields("segment_number_and_position_from_1", segment, {"number": 0}, {"position": 0})
breaks_by_fields("reference_number_unique_in_segment", reference, {"number": 1})
breaks_by_fields("reference_text_not_empty", reference, {"text": ""})
breaks_by_fields("system_name_unique_in_test_set", system, {"name": "amber"})
breaks_by_fields(
    "system_name_without_comma", system, {"name": "a,b"}, {"name": ""}, accepted={"name": "a;b"}
)
breaks_by_fields("system_kind_is_known", system, {"kind": "human"}, accepted={"kind": "reference"})
breaks_by_fields(
    "system_of_damaged_references_not_withdrawn",
    system,
    {"kind": "bad_reference", "withdrawn_at": timezone.now()},
    accepted={"kind": "reference", "withdrawn_at": timezone.now()},
)
breaks_by_fields("output_text_not_empty", output, {"text": ""}, accepted={"text": None})
breaks_by_fields(
    "bad_reference_damage_is_known",
    bad_reference,
    {"damage": "burnt"},
    accepted={"damage": "repeated"},
)
breaks_by_fields(
    "bad_reference_reviewed_exactly_if_not_pending",
    bad_reference,
    {"status": "rejected"},
    {"reviewed_at": NOW},
    {"status": "lost", "reviewed_at": NOW},
    accepted=REJECTED,
)
breaks_by_fields(
    "bad_reference_withdrawn_exactly_if_rejected_after_approval",
    bad_reference,
    {"withdrawn_at": NOW},
    {**APPROVED, "approved_at": None},
    {**APPROVED, "withdrawn_at": NOW},
    {**REJECTED, "approved_at": NOW},
    {**REJECTED, "withdrawn_at": NOW},
    accepted={**REJECTED, "approved_at": NOW, "withdrawn_at": NOW},
)


@breaks("output_once_per_segment_and_system")
def a_system_translates_a_segment_twice(attempt: Attempt) -> None:
    there = small_task()
    first = Output.objects.all()[0]
    fresh = System.objects.create(test_set=there.test_set, name="gneiss")
    with attempt.refuses():
        Output.objects.create(segment=first.segment, system=first.system, text="Noch einmal.")
    with attempt.accepts():
        Output.objects.create(segment=first.segment, system=fresh, text="Noch einmal.")


@breaks("campaign.BadReference.output")
def an_output_is_damaged_twice(attempt: Attempt) -> None:
    there = small_task()
    assert bad_references_make(test_set=there.test_set, seed=1)
    damaged = BadReference.objects.in_order()[0].output
    fields: dict[str, Any] = {"damage": "dropped", "seed": 2}
    with attempt.refuses():
        BadReference.objects.create(output=damaged, **fields)
    with attempt.accepts():
        BadReference.objects.create(
            output=Output.objects.exclude(system=damaged.system)[0], **fields
        )


@breaks("output_of_an_approved_bad_reference_stays")
def an_approved_damaged_reference_is_reworded(attempt: Attempt) -> None:
    create = bad_reference()
    with attempt.accepts():
        create()
        Output.objects.filter(bad_reference__status="pending").update(text="Noch anders.")
    create(**APPROVED)
    damaged = Output.objects.filter(bad_reference__status="approved")
    with attempt.refuses(saying="may have been shown to judges"):
        damaged.update(text="Noch anders.")
    # Neither once it is withdrawn: somebody may have judged it.
    BadReference.objects.update(**REJECTED, withdrawn_at=NOW)
    with attempt.refuses(saying="may have been shown to judges"):
        Output.objects.filter(bad_reference__status="rejected").update(text="Noch anders.")
