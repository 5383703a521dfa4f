"""The map of cells: what it says, what it refuses, and what nginx and the tests' router make of it."""

from pathlib import Path

import pytest

from cells.cell_map import CellMap, CellMapError
from deploy.cells import configuration, main
from tests.cells.router import cells_to_ask

MAP = """\
# Two machines.
cell 0 10.0.0.1:8000
cell 1 10.0.0.2:8000
campaign news 1
task 17 1
"""
CELLS = CellMap.parse(MAP.splitlines())


def asked(target: str, *, cookie: str = "", campaign: str = "") -> list[int]:
    return cells_to_ask(CELLS, target, cookie=cookie, campaign=campaign)


def test_a_map_that_was_written_says_the_same(tmp_path: Path) -> None:
    CELLS.write(tmp_path / "cells.map")
    assert CellMap.read(tmp_path / "cells.map") == CELLS


def test_a_move_is_a_line_for_the_campaign_and_one_for_each_test_set() -> None:
    moved = CELLS.moved("talks", [5, 6], 1)
    assert moved.campaigns == {"news": 1, "talks": 1}
    assert moved.tasks == {17: 1, 5: 1, 6: 1}
    back = moved.moved("talks", [5, 6], 0)
    assert (back.campaigns["talks"], back.tasks[5]) == (0, 0)


@pytest.mark.parametrize(
    ("text", "saying"),
    [
        ("cell zero 10.0.0.1:8000", "map, line 1"),
        ("cell 0 10.0.0.1:8000\ncampaign news 1", "where cell 1 is"),
        ("cell 0 10.0.0.1:8000\ncampaign news 0\ncampaign News 0", "upper and lower case"),
        ("cell 0 10.0.0.1:8000; include", "map, line 1"),
        ("", "no line says where a cell is"),
    ],
)
def test_what_is_no_map_is_refused_in_words(text: str, saying: str) -> None:
    with pytest.raises(CellMapError, match=saying):
        CellMap.parse(text.splitlines())


def test_an_address_leads_to_the_cell_of_its_campaign() -> None:
    assert asked("/campaigns/news/people/") == [1]
    assert asked("/judge/news/") == [1]
    assert asked("/api/v1/campaigns/news/rules/") == [1]
    assert asked("/sign-in/?next=%2Fjudge%2Fnews%2F") == [1]
    assert asked("/judge/talks/", cookie="sessionid-1=x") == [0]


def test_the_judging_page_says_which_campaign_it_is() -> None:
    assert asked("/api/v1/judging/assignments/", campaign="news") == [1]
    assert asked("/api/v1/judging/assignments/", campaign="talks") == [0]


def test_a_test_set_is_in_the_cell_that_gave_its_id_unless_it_moved() -> None:
    assert asked("/api/v1/tasks/16/judgments/") == [0]
    assert asked("/api/v1/tasks/17/judgments/") == [1]
    assert asked("/api/v1/tasks/1000000000003/judgments/") == [1]


def test_secrets_and_files_are_asked_of_all() -> None:
    assert asked("/i/secret/") == asked("/panel/secret/") == asked("/static/judge/a.js") == [0, 1]


def test_elsewhere_the_cell_is_asked_where_somebody_is_signed_in() -> None:
    assert asked("/campaigns/") == [0]
    assert asked("/campaigns/", cookie="csrftoken=c; sessionid-1=x") == [1]
    assert asked("/campaigns/", cookie="sessionid-1=x; sessionid=y") == [0]


def test_nginx_is_told_of_each_cell_and_each_line() -> None:
    text = configuration(CELLS, "127.0.0.1:8100")
    for line in (
        "upstream quintet_cell_0 { server 10.0.0.1:8000 max_fails=0; keepalive 32; }",
        "upstream quintet_cells { server 10.0.0.1:8000 max_fails=0; server 10.0.0.2:8000 max_fails=0;",
        "upstream quintet_cell_1 { server 10.0.0.2:8000 max_fails=0; keepalive 32; }",
        "news quintet_cell_1;",
        "17 quintet_cell_1;",
        '"~^1[0-9]{12}$" quintet_cell_1;',
        '"~(?:^|; )sessionid-1=" quintet_cell_1;',
        "listen 127.0.0.1:8100;",
    ):
        assert line in text


@pytest.mark.parametrize("slug", ["default", "include", "hostnames", "volatile"])
def test_a_campaign_may_be_called_like_a_word_of_nginx(slug: str) -> None:
    """By a backslash before it, as nginx's own manual says."""
    text = configuration(CELLS.moved(slug, [], 1), "127.0.0.1:8100")
    assert f"    \\{slug} quintet_cell_1;\n" in text


def test_a_map_that_cannot_be_read_makes_no_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none")]) == 2
    said = capsys.readouterr()
    assert (said.out, "No such file" in said.err) == ("", True)
