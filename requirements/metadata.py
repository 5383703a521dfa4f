"""Dependencies of the wheel, read from the files that `make lock` pins: one list of each."""

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_EXTRAS = ("dask", "errors", "metrics", "numba", "parquet", "png", "s3")


class Requirements(MetadataHookInterface):  # type: ignore[misc]  # untyped here
    """Fills `dependencies` and `optional-dependencies` of pyproject.toml."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add what `requirements/*.in` say."""
        metadata["dependencies"] = [*self._lines("base"), *self._lines("embedded")]
        extras = {extra: self._lines(extra) for extra in _EXTRAS}
        metadata["optional-dependencies"] = extras

    def _lines(self, name: str) -> list[str]:
        text = Path(self.root, "requirements", f"{name}.in").read_text("utf-8")
        return [
            line
            for line in text.splitlines()
            if line and not line.startswith(("#", "-"))
        ]
