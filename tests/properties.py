"""Hypothesis: the profiles of `make test`, `make test-thorough` and `make fuzz`, and examples for dear properties."""

import os

from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from launcher.data_directory import CHECKOUT

#: Examples of a property in `make test-thorough`, unless it says otherwise.
USUAL = 100


def profiles_register() -> None:
    """Register the profiles and load the one of `make test`; `--hypothesis-profile` overrules it."""
    # The same examples in every run, however slow the machine; nothing is remembered of a run.
    settings.register_profile(
        "test",
        max_examples=30,
        derandomize=True,
        deadline=None,
        database=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile(
        "thorough",
        settings.get_profile("test"),
        max_examples=USUAL,
    )
    # Others in every run, and whatever failed comes first in the next one.
    settings.register_profile(
        "fuzz",
        settings.get_profile("test"),
        max_examples=int(os.environ.get("FUZZ_EXAMPLES", "2000")),
        derandomize=False,
        database=DirectoryBasedExampleDatabase(CHECKOUT / ".fuzz"),
    )
    settings.load_profile("test")


def examples(count: int) -> settings:
    """Set the number of examples in `make test-thorough`; other profiles scale it.

    For properties that take long.
    """
    return settings(max_examples=max(1, count * settings().max_examples // USUAL))
