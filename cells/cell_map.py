"""The map of cells: which cell has which campaign. A file that people can read, and the proxy is made from.

    cell 0 127.0.0.1:8000
    cell 1 127.0.0.1:8001
    campaign news 1
    task 17 1

The first cell is asked where an address names nothing else. A campaign that is not named is in the first cell; a
task that is not named, in the cell that gave it its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

_LINE = re.compile(
    r"cell (?P<cell>\d{1,4}) (?P<address>[\w.:\[\]-]+)"
    r"|campaign (?P<campaign>[-\w]+) (?P<of>\d{1,4})"
    r"|(?:task|test-set) (?P<task>\d+) (?P<home>\d{1,4})",
    re.ASCII,
)


class CellMapError(Exception):
    """The map cannot be read; says where."""


@dataclass(frozen=True)
class CellMap:
    """Addresses of cells, and the cells of campaigns by short name and of tasks by id."""

    addresses: Mapping[int, str]
    campaigns: Mapping[str, int] = field(default_factory=dict)
    tasks: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.addresses:
            raise CellMapError("no line says where a cell is, like: cell 0 127.0.0.1:8000")
        unknown = {*self.campaigns.values(), *self.tasks.values()} - set(self.addresses)
        if unknown:
            raise CellMapError(f"no line says where cell {min(unknown)} is")
        # nginx compares without regard to case.
        if len({slug.lower() for slug in self.campaigns}) < len(self.campaigns):
            raise CellMapError("two campaigns differ in upper and lower case alone")

    @classmethod
    def read(cls, path: Path) -> CellMap:
        """Read a map.

        Raises:
            CellMapError: it is not there, or a line is not one of a map.
        """
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise CellMapError(f"{path}: {error.strerror}") from error
        return cls.parse(lines, str(path))

    @classmethod
    def parse(cls, lines: Iterable[str], name: str = "map") -> CellMap:
        """Read the lines of a map; `name` is for errors."""
        addresses: dict[int, str] = {}
        campaigns: dict[str, int] = {}
        tasks: dict[int, int] = {}
        for number, line in enumerate(lines, start=1):
            text = line.partition("#")[0].strip()
            if not text:
                continue
            found = _LINE.fullmatch(text)
            if found is None:
                raise CellMapError(f"{name}, line {number}: {line}")
            if found["cell"]:
                addresses[int(found["cell"])] = found["address"]
            elif found["campaign"]:
                campaigns[found["campaign"]] = int(found["of"])
            else:
                tasks[int(found["task"])] = int(found["home"])
        try:
            return cls(addresses, campaigns, tasks)
        except CellMapError as error:
            raise CellMapError(f"{name}: {error}") from None

    @property
    def first(self) -> int:
        """The cell that is asked where nothing says which."""
        return next(iter(self.addresses))

    def moved(self, campaign: str, tasks: Iterable[int], cell: int) -> CellMap:
        """Return the map after a campaign moved."""
        return replace(
            self,
            campaigns={**self.campaigns, campaign: cell},
            tasks={**self.tasks, **dict.fromkeys(tasks, cell)},
        )

    def write(self, path: Path) -> None:
        """Replace the file by this map, at once: a reader finds the old one or the new one."""
        lines = [f"cell {cell} {address}" for cell, address in self.addresses.items()]
        lines += [f"campaign {slug} {cell}" for slug, cell in sorted(self.campaigns.items())]
        lines += [f"task {row} {cell}" for row, cell in sorted(self.tasks.items())]
        beside = path.with_name(f"{path.name}.new")
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
        beside.replace(path)
