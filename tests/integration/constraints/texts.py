"""Test sets, their texts, the systems that translated them, and damaged references."""

from functools import partial

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
breaks_by_fields(
    "task_ranking_is_not_apart",
    task,
    {"protocol": "ranking", "segments_again": True},
    accepted={"protocol": "two_outputs", "segments_again": True},
)
breaks_by_fields("segment_number_and_position_from_1", segment, {"number": 0}, {"position": 0})
breaks_by_fields(
    "system_of_damaged_references_not_withdrawn",
    system,
    {"kind": "bad_reference", "withdrawn_at": timezone.now()},
    accepted={"kind": "reference", "withdrawn_at": timezone.now()},
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
