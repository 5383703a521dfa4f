"""The HITs and judges that imports create."""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from django.db.models.functions import Now

from annotation.models import HIT, Design, HITSequence
from campaign.database.copy import pgtrigger_ignore_preset
from campaign.database.recording import rows_created
from campaign.models import Judge, Task

#: As many as a design can ask for at most, and as the page of a HIT shows.
BLOCKS_OF_A_HIT: Final = 50
#: What errors tell whoever imports judgments of such a judge to do.
RENAME_JUDGE: Final = "import into another campaign, or rename the judge in the whole file"


class ImportedHITs:
    """Puts imported blocks into HITs that are done, so that none is lent: those of each judge, in their order, by the fifty.

    A file does not say which blocks were lent together, but who judged them and in which order. A HIT is of one
    judge and one pass, and says the same of all its blocks.

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
        self.begin_file({})

    def begin_file(self, why: Mapping[str, Any]) -> None:
        """Begin a file: no HIT has blocks of two. `why` says which it is, on its HITs."""
        self._why = why
        self._last: dict[tuple[int, int, str], tuple[HIT, int]] = {}

    def places(self, blocks: Iterable[tuple[int, int, Mapping[str, Any]]]) -> list[tuple[int, int]]:
        """Return the HIT of each block, by id, and its position there; write the HITs that begin.

        `blocks` are judge, pass, and what the HIT says of them beside the file.
        """
        begun, placed = [], []
        for judge, part, why in blocks:
            key = (judge, part, json.dumps(why) if why else "")
            hit, position = self._last.get(key, (None, BLOCKS_OF_A_HIT))
            if hit is None or position == BLOCKS_OF_A_HIT:
                hit, position = self._new(part, why), 0
                begun.append(hit)
            self._last[key] = hit, position + 1
            placed.append((hit, position + 1))
        HIT.objects.bulk_create(begun)
        self._sequence.save(update_fields=["last_number"])
        return [(hit.pk, position) for hit, position in placed]

    def _new(self, part: int, why: Mapping[str, Any]) -> HIT:
        self._sequence.last_number += 1
        return HIT(
            task=self._task,
            design=self._design,
            number=self._sequence.last_number,
            why={**self._why, **why},
            part=part,
            available_at=self.began_at,
            completed_at=self.began_at,
        )


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
    if not pseudonyms:
        return {}
    found: Any = Judge.objects.filter(campaign_id=campaign_id, pseudonym__in=pseudonyms)
    known = list(found.values_list("pk", flat=True))
    Judge.objects.bulk_create(
        (
            Judge(campaign_id=campaign_id, pseudonym=pseudonym, origin=Judge.Origin.IMPORTED)
            for pseudonym in pseudonyms
        ),
        ignore_conflicts=True,
    )
    rows_created(Judge, list(found.exclude(pk__in=known).values_list("pk", flat=True)))
    ids = {}
    for judge in found:
        if judge.origin != Judge.Origin.IMPORTED:
            raise JudgeTakesPartError(judge.pseudonym)
        ids[judge.pseudonym] = judge.pk
    return ids
