"""Whatever stands in the place of a value, the file is applied or refused in words: nothing breaks halfway."""

import copy
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest

from campaign.formats import FormatError
from campaign.formats.yaml_tree import Path, yaml_bytes
from campaign.models import Campaign, User
from whole_campaigns.campaign_file.applying import campaign_content, campaign_file_apply

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

VALUES = [
    *(None, True, False, 0, -1, 1, 1.0, 0.5, 2**31, 10**38, 1e308, -0.0),
    *(
        "",
        " ",
        "x",
        "x" * 5_000,
        "../../etc/passwd",
        "null",
        "__import__('os')",
        "é\u202e",
    ),
    *([], [1], [[1, 2]], ["x"], {}, {"name": "x"}, [{"name": "x"}]),
]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    if isinstance(value, dict | list):
        for step, each in (
            value.items() if isinstance(value, dict) else enumerate(value)
        ):
            yield from places(each, (*path, step))


def with_value(said: dict[str, Any], path: Path, value: Any) -> bytes:
    changed: Any = copy.deepcopy(said)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return yaml_bytes(changed)


def test_no_value_in_any_place_breaks_it(campaign: Campaign, user: User) -> None:
    said = {
        **campaign_content(campaign=campaign, people=True),
        "state": "open",
        "closes_at": None,
    }
    for each in said["test_sets"]:
        each["closed"] = False
    every = [(path, value) for path in places(said) for value in VALUES]
    most = int(os.environ.get("QUINTET_HOSTILE_VALUES", "60"))
    refused = 0
    for path, value in random.Random(0).sample(every, min(most, len(every))):
        content = with_value(said, path, value)
        try:
            campaign_file_apply(confirmed="", name="c", content=content, by=user)
        except FormatError as error:
            refused += error.line is not None
        except Exception as error:
            raise AssertionError(f"{path}: {value!r}") from error
    assert refused > most / 4
