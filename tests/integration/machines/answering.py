"""Machine judges that have answered what people have judged."""

from collections.abc import Callable, Sequence
from uuid import uuid4

from annotation.models import Block, MachineJudgment
from annotation.selectors.machines import MachineBlock, answers_about
from annotation.services.machines import SentByMachine, machine_judgment_submit
from campaign.models import Campaign, MachineJudge, Task, User
from campaign.services.machines import MachineTerms, machine_add


def in_order(candidates: Sequence[Sequence[int]]) -> list[int]:
    """Rank the outputs as they are shown."""
    return list(range(1, len(candidates) + 1))


def machine_judges(
    campaign: Campaign,
    task: Task,
    *,
    name: str = "judgebot",
    asked_twice: bool = True,
    ranks: Callable[[Sequence[Sequence[int]]], list[int]] = in_order,
) -> MachineJudge:
    """Add a machine judge that ranks all blocks of a task, those of the same outputs once."""
    by = User.objects.create_user(name=f"adds {name}")
    machine, _token = machine_add(
        campaign=campaign,
        by=by,
        terms=MachineTerms(name=name, version="1", asked_twice=asked_twice),
    )
    blocks = Block.objects.filter(hit__task=task, control="").order_by("pk")
    for block in blocks.select_related("hit__task__test_set__campaign"):
        for is_reversed in (False, True)[: 1 + asked_twice]:
            asked = MachineBlock(block, is_reversed)
            if answers_about(machine=machine, machine_block=asked).exists():
                continue
            said: SentByMachine = {"labels": ranks(asked.candidates)}
            machine_judgment_submit(
                machine=machine,
                machine_block=asked,
                client_id=uuid4(),
                sent=said,
            )
    assert MachineJudgment.objects.filter(machine=machine).exists()
    return machine
