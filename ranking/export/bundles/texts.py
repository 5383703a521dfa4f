"""The texts of a bundle, as JSON Lines that `import_test_set` reads."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from campaign.models import Output, Segment, System, SystemKind
from ranking.export.bundles.frozen import FrozenResult

_CHUNK: Final = 500


def texts_write(frozen: FrozenResult, path: Path) -> None:
    """Write sources, references and outputs; nothing if no segment has a text.

    Damaged references are no texts of anybody, and are left out.
    """
    if not Segment.objects.filter(
        test_set_id=frozen.task.test_set_id, source_text__isnull=False
    ).exists():
        return
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in _lines(frozen):
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def _lines(frozen: FrozenResult) -> Iterator[dict[str, Any]]:
    kinds = dict(System.objects.filter(pk__in=frozen.names).values_list("pk", "kind"))
    order = sorted(frozen.names, key=lambda pk: frozen.names[pk])
    references = [pk for pk in order if kinds[pk] == SystemKind.REFERENCE]
    systems = [pk for pk in order if kinds[pk] == SystemKind.SYSTEM]
    rows = Segment.objects.filter(test_set_id=frozen.task.test_set_id).select_related("document")
    after = 0
    while chunk := list(rows.filter(number__gt=after).order_by("number")[:_CHUNK]):
        texts = _outputs([segment.pk for segment in chunk])
        for segment in chunk:
            own = texts[segment.pk]
            yield {
                "document": segment.document.name,
                "segment": segment.position,
                "source": segment.source_text,
                "references": [own.get(pk) or "" for pk in references],
                "outputs": {frozen.names[pk]: own[pk] for pk in systems if pk in own},
            }
        after = chunk[-1].number


def _outputs(segments: list[int]) -> Mapping[int, dict[int, str]]:
    """Return the texts of each segment by system."""
    texts: dict[int, dict[int, str]] = defaultdict(dict)
    outputs = Output.objects.filter(segment__in=segments, text__isnull=False)
    for segment, system, text in outputs.values_list("segment_id", "system_id", "text"):
        texts[segment][system] = text or ""
    return texts
