"""Analyses with options by which they are computed in little time."""

from typing import Any

# What takes long to compute and makes no difference to a page.
QUICK: dict[str, dict[str, Any]] = {
    "ranking": {"resamples": 100},
    "methods": {"methods": ["bojar", "expected_wins"]},
    "agreement": {"resamples": 100},
    "judges": {"resamples": 100},
    "without": {"resamples": 100},
    "firmness": {"method": "bojar"},
    "stopping": {"experiments": 40},
}
