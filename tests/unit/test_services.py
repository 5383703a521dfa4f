"""Which runs of the tests start PostgreSQL and Valkey."""

import pytest

from launcher.data_directory import CHECKOUT
from tests.services import services_needed


@pytest.mark.parametrize(
    ("paths", "needed"),
    [
        ([], True),
        (["tests"], True),
        (["tests/unit"], False),
        (["tests/unit/campaign/formats/test_tsv.py::test_name", "tests/unit/docs"], False),
        (["tests/unit", "tests/integration/web"], True),
        ([str(CHECKOUT / "tests" / "unit")], False),
    ],
)
def test_only_a_run_of_unit_tests_alone_needs_no_services(paths: list[str], needed: bool) -> None:
    assert services_needed(paths, folder=CHECKOUT) is needed


def test_paths_begin_where_the_command_was_given() -> None:
    assert not services_needed(["unit"], folder=CHECKOUT / "tests")
