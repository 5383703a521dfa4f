"""Say which pinned packages have a known vulnerability.

python -m tests.advisories                  compare the pins with requirements/advisories.json
python -m tests.advisories --renew FOLDER   first write that file anew from a clone of the
                                            Python Packaging Advisory Database
"""

import argparse
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

from tests.advisories.pins import pinned_packages
from tests.advisories.stored import read_database, read_stored, write_stored


def main() -> int:
    """Print what is found; return 1 if a pinned package is affected."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument(
        "--renew",
        metavar="FOLDER",
        type=Path,
        help="clone of the advisory database",
    )
    options = parser.parse_args()
    pins = pinned_packages()
    if options.renew:
        write_stored(
            read_database(options.renew, pins, as_of=_last_commit(options.renew)),
        )
    advisories = read_stored()
    found = advisories.on(pins)
    for name, version, advisory in found:
        sys.stdout.write(
            f"{name} {version}: {advisory.id} ({', '.join(advisory.aliases)})\n",
        )
    age = (datetime.now(tz=UTC).date() - advisories.as_of).days
    sys.stdout.write(
        f"{len(pins)} pinned packages, {len(found)} with a known vulnerability, by the advisories "
        f"up to {advisories.as_of} ({age} days ago).\n",
    )
    return 1 if found else 0


def _last_commit(folder: Path) -> date:
    committed = subprocess.run(
        ["git", "-C", str(folder), "log", "-1", "--format=%cs"],
        check=True,
        capture_output=True,
        text=True,
    )
    return date.fromisoformat(committed.stdout.strip())


if __name__ == "__main__":
    sys.exit(main())
