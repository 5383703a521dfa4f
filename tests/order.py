"""Order of test files in a parallel run."""

from pathlib import PurePath

# First those that take long with few tests: a file that came last would keep one process busy after the others
# have ended. Files that wait for servers they start alternate with files that compute.
FIRST = (
    "tests/load",
    "tests/integration/documentation",
    "tests/integration/upgrades",
    "tests/integration/launcher",
    "tests/integration/test_pages_in_every_language.py",
    "tests/integration/worker",
    "tests/integration/test_faults.py",
    # A minute or more of the processor each.
    "tests/integration/test_permissions.py",
    "tests/integration/test_hostile_requests.py",
    "tests/integration/test_cost_of_pages.py",
    "tests/browser/test_campaign_runs.py",
    "tests/browser/test_judge_reload.py",
    "tests/browser/test_desk_walk.py",
    "tests/integration/importing",
    "tests/browser",
    "tests/integration",
    "tests/unit/ranking",
)


def turn(nodeid: str) -> int:
    """Return the sort key of a test file; files in no folder above come last.

    Args:
        nodeid: pytest's name of the test, which begins with the path of its file.
    """
    file = PurePath(nodeid.partition("::")[0])
    places = (place for place, path in enumerate(FIRST) if file.is_relative_to(path))
    return next(places, len(FIRST))
