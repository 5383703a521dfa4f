"""Export something of a task: the bytes of a file, part by part."""

from collections.abc import Iterator

from ranking.export.judgments.asked import Export, Told
from ranking.export.judgments.written import written


def export_bytes(export: Export, *, told: Told = lambda _done, _total: None) -> Iterator[bytes]:
    """Yield the file, some thousands of rows at a time; memory holds no more of them."""
    return written(export, told)
