"""Move what a restore replaces out of the way, and back where the restore fails."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path


class SetAside:
    """Files and folders that have another name until something else has taken their place.

    They are never deleted: whoever restored the wrong backup renames them back.
    """

    def __init__(self, *paths: Path) -> None:
        suffix = f".replaced-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        self._moves = {path: path.with_name(path.name + suffix) for path in paths if path.exists()}
        self._paths = paths
        for path, other in self._moves.items():
            path.rename(other)

    def kept(self) -> list[Path]:
        """Return where they are now."""
        return sorted(self._moves.values())

    @contextlib.contextmanager
    def unless_done(self) -> Iterator[None]:
        """Put everything back where the block does not end well."""
        try:
            yield
        except BaseException:
            self._put_back()
            raise

    def _put_back(self) -> None:
        for path in self._paths:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        for path, other in self._moves.items():
            other.rename(path)
