"""Organisers write Markdown, judges' browsers get HTML that can do no harm."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.texts.markdown import markdown_render


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*so* **much**", "<p><em>so</em> <strong>much</strong></p>"),
        ("<b onclick=x>hi</b>", "<p>&lt;b onclick=x&gt;hi&lt;/b&gt;</p>"),
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>"),
        ("[a](JAVASCRIPT&colon;x)", "<p>[a](JAVASCRIPT:x)</p>"),
        ("[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>"),
        ("[a](//other.example)", "<p>[a](//other.example)</p>"),
        ("[a](/sign-out/)", "<p>[a](/sign-out/)</p>"),
        ("[a](https://example.org)", '<p><a href="https://example.org" rel="noopener noreferrer">a</a></p>'),
        ("![a](https://example.org/a.png)", '<p>!<a href="https://example.org/a.png" rel="noopener noreferrer">a</a></p>'),
        ("# One\n#### Two\n# Three", "<h2>One</h2>\n<h3>Two</h3>\n<h2>Three</h2>"),
        ("### One\n# Two", "<h2>One</h2>\n<h2>Two</h2>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
    ],
)  # fmt: skip
def test_markup_becomes_harmless_html(text: str, html: str) -> None:
    assert markdown_render(text).strip() == html


@pytest.mark.parametrize(
    "text",
    [
        "[" * 60_000,
        "![" * 30_000,
        ("[" * 500 + "\n\n") * 110,
        "[" * 499 + "*a" * 29_000,
    ],
)
def test_brackets_without_end_stay_text_and_take_no_time(text: str) -> None:
    began = time.process_time()
    html = markdown_render(text)
    assert time.process_time() - began < 1.5
    assert html.count("[") == text.count("[")


def test_long_text_keeps_its_links() -> None:
    paragraph = "[a](https://example.org) and *b* " + "word " * 100 + "\n\n"
    assert markdown_render(paragraph * 100).count("</a> and <em>b</em>") == 100


_ALLOWED = re.compile(
    r"</?(p|em|strong|h[2-6]|ul|ol|li|code|pre|blockquote|hr|br|s|table|thead|tbody|tr|th|td)>"
    r"|<ol start=\"\d+\">|<code class=\"language-[^\"]*\">|<t[hd] style=\"text-align:\w+\">"
    r"|<a href=\"(https?|mailto):[^\"]*\"( title=\"[^\"]*\")? rel=\"noopener noreferrer\">|</a>",
)


_PARTS = [
    *(
        "<a>",
        "<b onclick=x>",
        "</b>",
        "<script>",
        "<!--",
        "-->",
        "<https://x>",
        "<javascript:x>",
    ),
    *(
        "[",
        "](",
        ")",
        "!",
        "javascript:",
        "https:",
        "//x",
        "&lt;",
        "&#60;",
        '"',
        "'",
        "\\",
    ),
    *(
        "`",
        "```",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "# ",
        "- ",
        "1. ",
        "> ",
        "*",
        "|",
        "-|-",
        "x",
    ),
]


@given(st.lists(st.sampled_from(_PARTS), max_size=30).map("".join))
def test_nothing_written_becomes_another_element(text: str) -> None:
    assert "<" not in _ALLOWED.sub("", markdown_render(text))
