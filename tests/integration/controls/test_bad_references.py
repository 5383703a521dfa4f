"""Damaged references from the making to the judge: approved, or not shown."""

import pytest
from django.db import IntegrityError
from django.utils import timezone

from campaign.models import BadReference, Output, SystemKind, Task
from campaign.services.bad_references import (
    BadReferenceRefusedError,
    bad_reference_redraw,
    bad_reference_review,
    bad_references_make,
)
from campaign.texts.normalisation import normalise_text
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db


def texts(task: Task) -> dict[int, str]:
    rows = Output.objects.filter(
        system__kind="bad_reference",
        segment__test_set=task.test_set_id,
    )
    return {
        number: text or ""
        for number, text in rows.values_list("segment__number", "text")
    }


def test_every_segment_gets_one_and_it_differs_from_all_there_is(task: Task) -> None:
    assert bad_references_make(test_set=task.test_set, seed=1) == 7
    for number, text in texts(task).items():
        others = Output.objects.filter(
            segment__test_set=task.test_set_id,
            segment__number=number,
        ).exclude(system__kind="bad_reference")
        assert normalise_text(text) not in {
            normalise_text(output.text or "") for output in others
        }
    system = task.test_set.systems.get(kind=SystemKind.BAD_REFERENCE)
    assert system.name == "_badref"
    assert bad_references_make(test_set=task.test_set, seed=2) == 0


def test_a_seed_makes_the_same_texts_again_and_a_share_takes_some_segments() -> None:
    one = make_task(make_campaign("one"), documents=(40,))
    two = make_task(make_campaign("two"), documents=(40,))
    assert bad_references_make(test_set=one.test_set, seed=3) == 40
    some = bad_references_make(test_set=two.test_set, seed=3, share=0.5)
    assert 8 < some < 32
    everything = texts(one)
    assert texts(two).items() <= everything.items()


def test_only_an_approved_one_may_be_drawn(task: Task) -> None:
    bad_references_make(test_set=task.test_set, seed=1)
    drawable = Output.objects.drawable().filter(system__kind="bad_reference")
    assert not drawable.exists()
    good, bad, _ = BadReference.objects.of(task.test_set_id).in_order()[:3]
    organiser = make_organiser(task.test_set.campaign)
    bad_reference_review(bad_reference=good, approve=True, reviewer=organiser)
    bad_reference_review(bad_reference=bad, approve=False, reviewer=organiser)
    assert list(drawable.all()) == [good.output]
    assert (
        Output.objects.drawable().exclude(system__kind="bad_reference").count() == 7 * 7
    )
    approved = timezone.now()
    bad_reference_review(bad_reference=good, approve=False, reviewer=organiser)
    assert not drawable.exists()
    # Withdrawn for good; what could be drawn at any time before can still be told.
    with pytest.raises(BadReferenceRefusedError, match="withdrawn"):
        bad_reference_review(bad_reference=good, approve=True, reviewer=organiser)
    damaged = Output.objects.filter(system__kind="bad_reference")
    assert list(damaged.drawable(moment=approved)) == [good.output]
    assert not damaged.drawable(moment=timezone.now()).exists()
    assert not damaged.drawable(moment=good.output.segment.test_set.created_at).exists()


def test_a_new_draw_is_another_text_and_waits_for_a_review_again(task: Task) -> None:
    bad_references_make(test_set=task.test_set, seed=1)
    row = BadReference.objects.of(task.test_set_id).in_order()[0]
    latest = row.output.text
    for _attempt in range(5):
        row = bad_reference_review(bad_reference=row, approve=False, reviewer=None)
        row = bad_reference_redraw(bad_reference=row)
        assert row.status == "pending"
        row = BadReference.objects.get(pk=row.pk)
        assert row.output.text != latest
        latest = row.output.text
    assert row.attempt == 6


def test_possibly_shown_text_cannot_change(task: Task) -> None:
    bad_references_make(test_set=task.test_set, seed=1)
    row = BadReference.objects.of(task.test_set_id).in_order()[0]
    bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    bad_reference_review(bad_reference=row, approve=False, reviewer=None)
    with pytest.raises(BadReferenceRefusedError, match="may have been shown"):
        bad_reference_redraw(bad_reference=row)
    with pytest.raises(IntegrityError, match="judges may have seen it"):
        Output.objects.filter(pk=row.output_id).update(text="another")
