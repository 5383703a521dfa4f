"""Small valid worlds that things are broken in."""

from dataclasses import dataclass

from annotation.models import HIT, Block
from campaign.models import Campaign, Output, Task, User
from tests.factories import make_campaign, make_task


def small_task(campaign: Campaign | None = None, name: str = "small") -> Task:
    """Return a test set of two segments and five systems; nothing is planned."""
    return make_task(
        campaign or make_campaign(),
        name=name,
        documents=(2,),
        systems=("amber", "birch", "cobalt", "dune", "ember"),
        identical=(),
        with_reference=False,
        planned=0,
    )


def make_person(email: str | None = None) -> User:
    """Return somebody without a password, whose hashing would take longer than the rest."""
    return User.objects.create_user(name="Olga", email=email)


def make_hit(task: Task, number: int = 1, **fields: object) -> HIT:
    return HIT.objects.create(
        task=task,
        design=task.designs.get(),
        number=number,
        **fields,
    )


@dataclass(frozen=True)
class Shown:
    """A block of five candidates, each one output of its segment."""

    task: Task
    hit: HIT
    block: Block
    outputs: list[Output]


def make_shown(task: Task | None = None, number: int = 1) -> Shown:
    """Return the first segment of a test set as the one block of a new HIT."""
    task = task or small_task()
    hit = make_hit(task, number)
    segment = task.test_set.segments.all()[0]
    outputs = list(segment.outputs.order_by("pk"))
    block = Block.objects.create(
        hit=hit,
        segment=segment,
        position=1,
        outputs=[output.pk for output in outputs],
    )
    return Shown(task, hit, block, outputs)
