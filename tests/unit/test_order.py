"""Which files of tests are taken first."""

import pytest

from launcher.data_directory import CHECKOUT
from tests.order import FIRST, turn


@pytest.mark.parametrize("path", FIRST)
def test_each_place_of_the_order_is_there(path: str) -> None:
    assert (CHECKOUT / path).exists()


def test_long_files_come_first_and_unknown_ones_last() -> None:
    nodes = [
        "tests/integration/launcher/test_commands.py::test_name[a::b]",
        "tests/integration/test_hostile_requests.py::test_name",
        "tests/browser/test_rules.py::test_name",
        "tests/integration/test_times.py::TestClass::test_name",
        "tests/unit/ranking/core/test_name.py::test_name",
        "tests/unit/docs/test_links.py::test_name",
    ]
    assert [turn(node) for node in nodes] == sorted({turn(node) for node in nodes})
