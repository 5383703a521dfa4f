"""Errors from which judges start."""

from annotation.models import Block
from annotation.services.planning.designs import design_ensure
from campaign.models import Output, Protocol, Task
from protocols.models import SuggestedSpans
from tests.factories import make_campaign, make_task
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.quizzes import lent_to
from tests.integration.constraints.worlds import make_hit


def suggested() -> Create:
    """Return what suggests errors in an output of a task, by another source than the stored ones."""
    task = make_task(make_campaign(), planned=0)
    own = Task.objects.create(test_set=task.test_set, protocol=Protocol.SPANS)
    output = Output.objects.filter(segment__test_set=task.test_set).earliest("pk")
    start = {"spans": [], "is_shown": True}
    SuggestedSpans.objects.create(task=own, output=output, source="first", start=start)

    def create() -> object:
        return SuggestedSpans.objects.create(
            task=own,
            output=output,
            source="second",
            start=start,
        )

    return create


@breaks("suggested_spans_final_once_lent")
def suggestions_come_late(attempt: Attempt) -> None:
    create = suggested()
    first = SuggestedSpans.objects.get()
    with attempt.accepts():
        create()
    design_ensure(task=first.task, seed=7)
    hit = make_hit(first.task)
    outputs = [first.output_id]
    Block.objects.create(
        hit=hit,
        segment=first.output.segment,
        position=1,
        outputs=outputs,
    )
    lent_to(hit, "reader")
    with attempt.refuses(saying="it has lent HITs"):
        create()
    with attempt.refuses(saying="it has lent HITs"):
        first.delete()
