"""A HIT is of a design of its own test set: a foreign key of two columns, which Django does not know."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.models import HIT, Design
from campaign.models import TestSet
from tests.factories import make_campaign, make_test_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def test_sets() -> list[TestSet]:
    campaign = make_campaign()
    return [make_test_set(campaign, name=name, planned=1) for name in ("one", "other")]


def change(hit: HIT, **fields: Any) -> None:
    """Change a HIT as if the transaction ended with it: the foreign key is checked then."""
    with transaction.atomic():
        HIT.objects.filter(pk=hit.pk).update(**fields)
        connection.check_constraints()


def test_the_design_of_another_test_set_is_refused(test_sets: list[TestSet]) -> None:
    hit, other = (HIT.objects.filter(test_set=test_set)[0] for test_set in test_sets)
    for fields in (
        {"design": other.design, "family": 99},
        {"test_set": other.test_set, "number": 99},
        {"design_id": 10**12},
    ):
        with pytest.raises(IntegrityError, match="hit_design_of_its_test_set"):
            change(hit, **fields)
    change(hit, design=other.design, family=99, test_set=other.test_set, number=99)


def delete(design: Design) -> None:
    """Delete a design past the ORM, which would refuse it by itself."""
    with transaction.atomic():
        rows = Design.objects.filter(pk=design.pk)
        rows._raw_delete(rows.db)
        connection.check_constraints()


def test_a_design_is_not_deleted_before_its_hits(test_sets: list[TestSet]) -> None:
    design = Design.objects.create(
        test_set=test_sets[0], kind=Design.Kind.IMPORTED, segments_per_hit=1
    )
    hit = HIT.objects.create(test_set=test_sets[0], design=design, number=99)
    with pytest.raises(IntegrityError, match="hit_design_of_its_test_set"):
        delete(design)
    hit.delete()
    delete(design)
