"""The packages that Quintet installs."""

import re
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
_PIN = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;\\]+)",
    re.MULTILINE,
)


def pinned_packages(folder: Path = ROOT / "requirements") -> dict[str, Version]:
    """Return the version of each package pinned in the folder's `.txt` files, by canonical name."""
    return {
        canonicalize_name(pin["name"]): Version(pin["version"])
        for file in sorted(folder.glob("*.txt"))
        for pin in _PIN.finditer(file.read_text())
    }
