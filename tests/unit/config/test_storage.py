"""What is taken out of our scripts and style sheets before they are sent."""

from pathlib import Path

import pytest

from config.storage import without_comments

STATIC = Path(__file__).parents[3] / "static"
OURS = sorted(
    path.relative_to(STATIC).as_posix()
    for folder in ("judge", "dashboard", "css")
    for path in (STATIC / folder).rglob("*.*")
)


def code_of(text: str, *, kind: str) -> str:
    """A slower reading of the same, character by character: quotes are seen."""
    result, place = "", 0
    while place < len(text):
        if kind == "js" and text[place] in "\"'`":
            end = place + 1
            while text[end] != text[place]:
                end += 2 if text[end] == "\\" else 1
            assert "\n" not in text[place:end], "a text over several lines would lose its indent"
            result += text[place : end + 1]
            place = end + 1
        elif kind == "js" and text.startswith("//", place):
            place = text.index("\n", place)
        elif text.startswith("/*" if kind == "css" else "/**", place):
            place = text.index("*/", place) + 2
        else:
            result += text[place]
            place += 1
    return result


@pytest.mark.parametrize("name", OURS)
def test_comments_and_indents_go_and_nothing_else(name: str) -> None:
    text = (STATIC / name).read_text()
    kind = name.rpartition(".")[2]
    sent = without_comments(name, text)
    assert "".join(sent.split()) == "".join(code_of(text, kind=kind).split())
    assert len(sent) < len(text)
    assert without_comments(name, sent) == sent


def test_what_others_wrote_is_sent_as_it_is() -> None:
    text = "// license\n  let a;\n"
    assert without_comments("django_htmx/htmx.min.js", text) == text
