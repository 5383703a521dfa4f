"""What takes how long, and how often intervals hold: programs that print the tables of the documentation."""

import sys


def say(line: str = "") -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
