"""How many HITs are to be planned, with an attention check and without."""

from annotation.models.pool import HITQuerySet
from annotation.sampling.schedule import checks_among


def missing_of_each_kind(
    available: HITQuerySet, *, size: int, attention_every: int
) -> tuple[int, int]:
    """Return how many HITs with a check, and how many others, `available` lacks of `size`."""
    if not attention_every:
        return 0, max(0, size - available.count())
    checks = checks_among(size, attention_every)
    return (
        max(0, checks - available.filter(holds_check=True).count()),
        max(0, size - checks - available.filter(holds_check=False).count()),
    )
