"""Which tests a mutant is run against, and what is said of the scores."""

import json
from pathlib import Path

import pytest

from tests.mutants.entered import Entries
from tests.mutants.score import Score, table

MODULE = Path("shop/prices.py")
CODE = """\
RATE = 2

@atomic
def price(goods):
    def each(one):
        return one * RATE
    return sum(map(each, goods))

@cache
def rates():
    return [RATE]

def unused():
    return 0
"""


@pytest.fixture
def entries(tmp_path: Path) -> Entries:
    noted = tmp_path / "entries.json"
    price, each, rates = ([str(MODULE), line] for line in (3, 5, 9))
    by_test = {
        "slow": (2.0, [price, each]),
        "fast": (0.5, [price]),
        "first": (1.0, [rates]),
        "other": (0.1, [["shop/names.py", 1]]),
    }
    noted.write_text(json.dumps(by_test))
    return Entries(noted)


@pytest.mark.parametrize(
    ("line", "tests"),
    [
        (4, ["fast", "slow"]),
        (6, ["slow"]),
        (7, ["fast", "slow"]),
        (1, ["fast", "first", "slow"]),
        (11, ["fast", "first", "slow"]),
        (14, ["fast", "first", "slow"]),
    ],
    ids=["decorated", "inner", "outer", "outside", "cached", "never entered"],
)
def test_a_mutant_is_run_against_the_tests_that_enter_its_function(
    entries: Entries, line: int, tests: list[str]
) -> None:
    assert entries.tests_at(MODULE, CODE, line) == tests


def test_a_module_that_no_test_enters_is_run_against_all(entries: Entries) -> None:
    found = entries.tests_at(Path("shop/orders.py"), "OPEN = 1\n", 1)
    assert found == ["other", "fast", "first", "slow"]
    assert entries.seconds(found) == pytest.approx(3.6)


def test_scores_are_added_up_by_package() -> None:
    scores = [
        Score("shop/prices.py", made=4, survived=1),
        Score("shop/names.py", made=4, survived=0),
        Score("stock/empty.py", made=0, survived=0),
    ]
    assert table(scores).splitlines()[2:] == [
        "| shop | 2 | 8 | 7 | 88% |",
        "| stock | 1 | 0 | 0 | – |",
        "| all | 3 | 8 | 7 | 88% |",
    ]
