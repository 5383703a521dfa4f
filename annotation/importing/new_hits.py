"""The HITs and judges that imports create."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.db.models.functions import Now

from annotation.importing.hits import BLOCKS_OF_A_HIT
from annotation.models import HIT, Design, HITSequence
from campaign.database.column_writing import JSON_EMPTY_OBJECT, columns_write, timestamp
from campaign.database.copy import ids_reserve, pgtrigger_ignore_preset
from campaign.models import Judge, Task

Integers = npt.NDArray[np.int64]
Parts = npt.NDArray[np.int16]

#: What errors tell whoever imports judgments of such a judge to do.
RENAME_JUDGE: Final = "import into another campaign, or rename the judge in the whole file"


class ImportedHITWriter:
    """Write the HITs of imported judgments as done, so that none is lent.

    Make one inside the transaction of the import: it locks the row of the task's `HITSequence` until the end.

    Attributes
    ----------
    is_first_import : bool
        Whether nothing was imported into the task before.
    began_at : datetime
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        pgtrigger_ignore_preset()
        # Whoever plans HITs holds this lock too: numbers of HITs are given out under it.
        HITSequence.objects.get_or_create(task=task)
        locked = HITSequence.objects.select_for_update().annotate(now=Now())
        self._sequence = locked.get(task=task)
        imported = Design.objects.filter(task=task, kind=Design.Kind.IMPORTED)
        self.is_first_import = not imported.exists()
        self._design, _is_new = imported.get_or_create(
            task=task, kind=Design.Kind.IMPORTED, segments_per_hit=BLOCKS_OF_A_HIT
        )
        self.began_at: datetime = self._sequence.now
        self.now = timestamp(self.began_at)

    def write(
        self, count: int, *, why: bytes = JSON_EMPTY_OBJECT, parts: Parts | None = None
    ) -> Integers:
        """Write HITs with the next numbers.

        Parameters
        ----------
        count : int
        why : bytes
            What is kept in `HIT.why` of each, as JSON in UTF-8.
        parts : int16, shape (count,), or None
            The pass of each HIT, in protocols that have passes.

        Returns
        -------
        int64, shape (count,)
            Ids of the HITs, in the order of their numbers.
        """
        first = self._sequence.last_number + 1
        self._sequence.last_number += count
        self._sequence.save(update_fields=["last_number"])
        hits = np.array(ids_reserve(HIT, count), dtype=np.int64)
        columns_write(
            HIT,
            count,
            {
                "id": hits,
                "task_id": np.int64(self._task.pk),
                "design_id": np.int64(self._design.pk),
                "number": np.arange(first, first + count, dtype=np.int32),
                "why": why,
                "available_at": self.now,
                "completed_at": self.now,
                **({} if parts is None else {"part": parts}),
            },
        )
        return hits


class JudgeTakesPartError(Exception):
    """A judge of the file takes part in the campaign, and is no judge of an imported file."""

    def __init__(self, pseudonym: str) -> None:
        super().__init__(pseudonym)
        self.pseudonym = pseudonym

    @property
    def problem(self) -> str:
        """A phrase, like FormatError's."""
        return (
            f'the judge "{self.pseudonym}" takes part in this campaign '
            "and is no judge of an imported file"
        )


def imported_judges(*, campaign_id: int, pseudonyms: Collection[str]) -> dict[str, int]:
    """Return the judges of imported files by pseudonym; create those not known yet, in their order.

    Raises JudgeTakesPartError.
    """
    Judge.objects.bulk_create(
        (
            Judge(campaign_id=campaign_id, pseudonym=pseudonym, origin=Judge.Origin.IMPORTED)
            for pseudonym in pseudonyms
        ),
        ignore_conflicts=True,
    )
    found: Any = Judge.objects.filter(campaign_id=campaign_id, pseudonym__in=pseudonyms)
    ids = {}
    for judge in found:
        if judge.origin != Judge.Origin.IMPORTED:
            raise JudgeTakesPartError(judge.pseudonym)
        ids[judge.pseudonym] = judge.pk
    return ids
