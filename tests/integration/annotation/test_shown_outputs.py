"""An output is shown in a block or gone, however closely the two follow each other."""

import pytest
from django.db import IntegrityError

from annotation.models import Block
from annotation.selectors.hits import previewed_hits
from annotation.services.planning.pool import hits_plan
from campaign.models import Output, Task
from tests.factories import make_campaign, make_task
from tests.locks import one_before_the_other
from tests.outputs_shown import outputs_shown


def output_drawn_next() -> int:
    """Return an output that the next planned HIT will show, and that no block shows yet."""
    task = make_task(make_campaign(), planned=0, identical=())
    [hit] = previewed_hits(task_id=task.pk, count=1)
    return hit.blocks[0].plan.candidates[0][0]


def plan_hit() -> object:
    return hits_plan(task_id=Task.objects.get().pk, count=1)


@pytest.mark.django_db(transaction=True)
def test_an_output_is_not_deleted_while_a_block_that_shows_it_is_written() -> None:
    output = Output.objects.filter(pk=output_drawn_next())
    with pytest.raises(IntegrityError, match="is shown in a block"):
        one_before_the_other(plan_hit, output.delete)
    assert output.get().pk in outputs_shown()


@pytest.mark.django_db(transaction=True)
def test_a_block_does_not_show_an_output_that_is_being_deleted() -> None:
    output = Output.objects.filter(pk=output_drawn_next())
    with pytest.raises(IntegrityError, match="does not belong to the segment"):
        one_before_the_other(output.delete, plan_hit)
    assert not output.exists()
    assert not Block.objects.exists()
