"""Which runs of the tests start PostgreSQL and Valkey, and how many times."""

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


@pytest.mark.parametrize(("cores", "processes"), [(None, 2), (1, 2), (2, 3), (4, 4), (16, 4)])
def test_one_process_more_than_cores_runs_tests_and_never_more_than_four(
    pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch,
    cores: int | None,
    processes: int,
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    asked = pytestconfig.hook.pytest_xdist_auto_num_workers(config=pytestconfig)
    assert asked == processes
