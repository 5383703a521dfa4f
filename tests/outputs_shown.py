"""Outputs shown in blocks, read from their rows."""

from annotation.models import Block
from annotation.models.block import by_candidate
from campaign.models import Output


def outputs_shown(**blocks: object) -> set[int]:
    """Return the ids of all outputs shown in the blocks of this filter."""
    rows = Block.objects.filter(**blocks).values_list("outputs", flat=True)
    return {output for outputs in rows for output in outputs}


def names_shown(block: Block) -> list[list[str]]:
    """Return the systems of each candidate of a block, in shown order."""
    names = dict(
        Output.objects.filter(pk__in=block.outputs).values_list("pk", "system__name"),
    )
    return [
        [names[output] for output in outputs]
        for outputs in by_candidate(block.outputs, block.stands_for)
    ]
