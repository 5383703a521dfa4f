"""Which modules are broken, and which tests are near each: `[tool.mutants]` in pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path


def near_tests(checkout: Path) -> dict[str, list[str]]:
    """Return the tests near each module or folder that the settings name."""
    settings = tomllib.loads((checkout / "pyproject.toml").read_text())
    near: dict[str, list[str]] = settings["tool"]["mutants"]["near"]
    return near


def modules(checkout: Path, chosen: list[str]) -> list[str]:
    """Return the modules among `chosen`, and below the folders among them, in order.

    Raises `SystemExit` where there is none.
    """
    found = []
    for name in chosen:
        path = checkout / name
        below = [path] if path.is_file() else sorted(path.rglob("*.py"))
        found += [str(each.relative_to(checkout)) for each in below if each.name != "__init__.py"]
    if not found:
        raise SystemExit(f"There is no module in {' '.join(chosen)}.")
    return found


def tests_of(module: str, near: dict[str, list[str]]) -> list[str]:
    """Return the tests near a module: those named with it, or with the nearest folder above it.

    Raises `SystemExit` where the settings name none.
    """
    for name in (module, *map(str, Path(module).parents)):
        if name in near:
            return near[name]
    raise SystemExit(f"[tool.mutants.near] in pyproject.toml names no tests near {module}.")
