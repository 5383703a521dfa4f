"""How the judged HITs were drawn: the designs, and the log of draws."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from django.db.models import Exists, Min, OuterRef

from annotation.export.shown import systems_shown
from annotation.models import HIT, Block, Design, Judgment
from annotation.services.planning.designs import PARAMETERS
from campaign.models import System
from campaign.texts.canonical_json import canonical
from ranking.export.bundles.frozen import FrozenResult, Progress

_CHUNK: Final = 1_000
#: Seeds are told where they may be; names of groups never: organisers wrote them for themselves.
_TOLD: Final = tuple(name for name in PARAMETERS if name not in {"seed", "judge_group"})
_WITHHELD: Final = "withheld: judges could foresee draws, and anybody could test names"


def designs_write(frozen: FrozenResult, path: Path) -> None:
    """Write the designs of the HITs in the log, the first one first, as JSON."""
    designs = [
        {
            "design": number,
            **{name: getattr(design, name) for name in _TOLD},
            "systems": _chosen(design, frozen),
            "seed": str(design.seed) if frozen.bundle.has_seeds else None,
            "is_for_a_group": design.judge_group_id is not None,
            "since": design.created_at.date().isoformat(),
        }
        for number, design in enumerate(_designs(frozen), 1)
    ]
    said = {
        "format": 1,
        "seeds": "given" if frozen.bundle.has_seeds else _WITHHELD,
        "designs": designs,
    }
    path.write_text(canonical(said) + "\n", encoding="utf-8")


def _chosen(design: Design, frozen: FrozenResult) -> list[str]:
    """Return what the systems of a design that were chosen are called."""
    rows = System.objects.filter(test_set=frozen.task.test_set_id, name__in=design.systems)
    return sorted(frozen.names[pk] for pk in rows.values_list("pk", flat=True))


def draws_write(frozen: FrozenResult, path: Path, progress: Progress) -> None:
    """Write what each judged HIT shows and who judged it, a line of JSON a HIT, in the order of planning."""
    numbers = {design.pk: number for number, design in enumerate(_designs(frozen), 1)}
    done = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for hits in _chunks(frozen):
            ids = [hit.pk for hit in hits]
            shown, judges = _shown(frozen, ids), _judges(frozen, ids)
            for hit in hits:
                line = {
                    "hit": hit.number,
                    "design": numbers[hit.design_id],
                    "purpose": hit.purpose,
                    "repeats": hit.repeats.number if hit.repeats is not None else None,
                    "blocks": shown[hit.pk],
                    "judges": judges[hit.pk],
                }
                file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
                done += len(shown[hit.pk])
            progress(min(frozen.watermark + done, 2 * frozen.watermark), 2 * frozen.watermark)


def _designs(frozen: FrozenResult) -> Sequence[Design]:
    drawn = _judged_hits(frozen).filter(design=OuterRef("pk"))
    return list(Design.objects.filter(Exists(drawn), task=frozen.task.pk).order_by("pk"))


def _judged_hits(frozen: FrozenResult) -> Any:
    """Return the HITs of which something was judged up to the watermark: what is lent later changes nothing."""
    judged = Judgment.objects.of(frozen.task.pk).until(frozen.watermark)
    return HIT.objects.filter(Exists(judged.filter(block__hit=OuterRef("pk"))), task=frozen.task.pk)


def _chunks(frozen: FrozenResult) -> Iterator[list[HIT]]:
    rows = _judged_hits(frozen).select_related("repeats").order_by("number")
    rows = rows.only("number", "design_id", "purpose", "repeats__number")
    after = -1
    while chunk := list(rows.filter(number__gt=after)[:_CHUNK]):
        yield chunk
        after = chunk[-1].number


def _shown(frozen: FrozenResult, hits: Collection[int]) -> dict[int, list[dict[str, Any]]]:
    """Return the blocks of these HITs in their order, with their candidates as they were shown.

    Where a system is not named, they are by what they are called: see `FrozenResult.hides_a_name`.
    """
    rows = Block.objects.filter(hit__in=hits).order_by("hit_id", "position")
    blocks = list(rows.values_list("pk", "hit_id", "segment__number", "control"))
    systems = systems_shown(pk for pk, *_rest in blocks)
    shown: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for pk, hit, segment, control in blocks:
        candidates = [
            sorted(frozen.names[system] for system in candidate) for candidate in systems[pk]
        ]
        shown[hit].append(
            {
                "segment": segment,
                "control": control,
                "candidates": sorted(candidates) if frozen.hides_a_name else candidates,
            }
        )
    return shown


def _judges(frozen: FrozenResult, hits: Collection[int]) -> dict[int, list[str]]:
    """Return the judges of these HITs by pseudonym, in the order of their first judgments."""
    judged = Judgment.objects.of(frozen.task.pk).until(frozen.watermark)
    rows = (
        judged.filter(block__hit__in=hits)
        .values("block__hit", "judge__pseudonym")
        .annotate(first=Min("numbered__number"))
        .order_by("first")
        .values_list("block__hit", "judge__pseudonym")
    )
    judges: dict[int, list[str]] = defaultdict(list)
    for hit, judge in rows:
        judges[hit].append(judge)
    return judges
