"""Export something of a task: the bytes of a file, part by part."""

from collections.abc import Iterator

from ranking.export.judgments.asked import Export, Told


def export_bytes(export: Export, *, told: Told = lambda _done, _total: None) -> Iterator[bytes]:
    """Yield the file, some thousands of rows at a time; memory holds no more of them."""
    # Only here: Arrow takes 38 MB of each process, and most never export.
    from ranking.export.judgments.written import written

    return written(export, told)
