"""Run every attack in turn; exit with 1 if one was not held."""

import subprocess
import sys

ATTACKS = ("foreseen_checks", "proxy")


def main() -> int:
    """Run the attacks named on the command line, or all; return how the program is to exit."""
    chosen = sys.argv[1:] or ATTACKS
    lost = [
        name
        for name in chosen
        if subprocess.call([sys.executable, "-m", f"tests.attacks.{name}"]) != 0
    ]
    if lost:
        sys.stdout.write(f"Not held: {', '.join(lost)}\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
