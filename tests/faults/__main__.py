"""`make faults`: put faults into an installation of its own, and print what became of the judgments."""

import argparse
import sys
from contextlib import ExitStack

import psutil
import psycopg2

from tests.faults import table
from tests.faults.installation import Installation
from tests.faults.installations import CannotMakeError, installation
from tests.faults.registry import Fault, faults
from tests.faults.run import SHORT, Outcome, Pace, campaigns_make, run
from tests.faults.stage import Needs


def say(text: str) -> None:
    """Write a line for people at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Run the faults named, or all; return 1 if one of them broke a promise or could not be put in."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="faults; all if none is named",
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="the short form: seconds each",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="print the faults and what they do",
    )
    chosen = parser.parse_args(arguments)
    series = Series(SHORT if chosen.short else Pace())
    with ExitStack() as held:
        ordinary = None
        known = faults(())
        if not chosen.names or any(
            _is_of_all(known.get(name)) for name in chosen.names
        ):
            ordinary = held.enter_context(installation(Needs.NOTHING))
            known = faults(ordinary.roles())
        unknown = set(chosen.names) - set(known)
        if unknown:
            parser.error(f"no such fault: {', '.join(sorted(unknown))}")
        if chosen.list:
            for each in known.values():
                say(f"{each.name:<32} {each.what}")
            return 0
        wanted = [known[name] for name in chosen.names] or [
            each for each in known.values() if each.short or not chosen.short
        ]
        for each in wanted:
            if each.needs == Needs.NOTHING and ordinary is not None:
                series.run(each, ordinary)
        held.close()
        for each in wanted:
            if each.needs != Needs.NOTHING:
                series.run_alone(each)
    return series.report()


def _is_of_all(fault: Fault | None) -> bool:
    """Return whether a fault is put into the installation that most of them share."""
    return fault is None or fault.needs == Needs.NOTHING


class Series:
    """Runs one after the other; each one's line of the table is printed when it is over."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._outcomes: list[Outcome] = []
        self._broken: list[str] = []
        say(table.head())

    def run_alone(self, fault: Fault) -> None:
        """Run a fault on an installation of its own, as a clock that was set would be in the way of the next."""
        try:
            with installation(fault.needs) as own:
                self.run(fault, own)
        except (CannotMakeError, TimeoutError) as error:
            self._note(f"{fault.name} was not run: {error}")

    def run(self, fault: Fault, where: Installation) -> None:
        """Run a fault; go on with the next where it came to no end."""
        try:
            where.await_health(seconds=self._pace.drain_seconds)
            [campaign] = campaigns_make(where, self._pace, number=1)
            outcome = run(fault, where, self._pace, campaign)
        except (TimeoutError, RuntimeError, psutil.Error, psycopg2.Error) as error:
            self._note(f"{fault.name} came to no end: {error}")
            return
        self._outcomes.append(outcome)
        say(table.line(outcome))
        if not outcome.holds:
            self._note(f"{fault.name} broke a promise")

    def report(self) -> int:
        """Print the totals and return the exit code."""
        say(table.sums(self._outcomes))
        for sentence in self._broken:
            say(sentence)
        held = sum(each.holds for each in self._outcomes)
        say(f"{held} of {len(self._outcomes)} runs held. {table.machine()}")
        return 1 if self._broken else 0

    def _note(self, sentence: str) -> None:
        self._broken.append(sentence)
        say(sentence)


if __name__ == "__main__":
    sys.exit(main())
