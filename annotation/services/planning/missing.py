"""How many HITs are to be planned, with an attention check and without.

Where a design says how often a judge gets a check, both kinds are in stock, as many of either as judges
will be lent, so that both last equally long. Otherwise chance brings checks.
"""

from annotation.models.pool import HITQuerySet
from annotation.sampling.parameters import Checks
from annotation.services.planning.batch import PlanningTransaction
from campaign.texts.hash_draw import HashDraw


def checks_among(hits: int, attention_every: int) -> int:
    """Return how many of so many HITs hold an attention check, where the design says which do."""
    return -(-hits // attention_every) if attention_every else 0


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


class MissingHITs:
    """How many HITs a batch is to have yet, with an attention check and without.

    In a design that does not say which judge gets one, chance brings them, and only their sum counts.
    """

    def __init__(self, planning: PlanningTransaction, *, count: int, checks: int) -> None:
        self._planning = planning
        self._count, self._checks = count, checks
        self._seen = self._with_check = 0

    @property
    def is_any(self) -> bool:
        with_check, without = self._left()
        return with_check + without > 0

    def next_kind(self) -> Checks:
        """Return of which kind the next HIT is to be: those with a check are spread over the batch."""
        if not self._planning.parameters.attention_every:
            return Checks.CHANCE
        with_check, without = self._left()
        draw = HashDraw(
            seed=self._planning.parameters.seed, number=self._planning.sequence.last_number + 1
        )
        is_with = draw.below(with_check + without, "with check") < with_check
        return Checks.SOME if is_with else Checks.NONE

    def give_up(self, kind: Checks) -> None:
        """Plan no more HITs of this kind: none can be drawn."""
        with_check, without = self._left()
        if kind is Checks.SOME:
            self._count, self._checks = self._count - with_check, self._checks - with_check
        else:
            self._count -= without

    def _left(self) -> tuple[int, int]:
        planned = len(self._planning.planned)
        if not self._planning.parameters.attention_every:
            return 0, max(0, self._count - planned)
        self._with_check += sum(
            hit.plan.holds_check for hit in self._planning.planned[self._seen :]
        )
        self._seen = planned
        return (
            max(0, self._checks - self._with_check),
            max(0, self._count - self._checks - (planned - self._with_check)),
        )
