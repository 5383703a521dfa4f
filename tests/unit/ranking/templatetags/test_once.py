"""`{% once %}` renders with the first row, and again in the next rendering."""

from django.template import engines

_ROWS = """{% load once %}{% for row in rows %}{{ row }}{% once %}<{{ word }}>{% endonce %}{% endfor %}"""


def rendered(word: str, rows: str = "abc") -> str:
    template = engines["django"].from_string(_ROWS)
    return str(template.render({"rows": rows, "word": word}))


def test_what_is_inside_is_repeated_in_each_row() -> None:
    assert rendered("x") == "a<x>b<x>c<x>"


def test_what_is_inside_is_rendered_with_the_first_row_only() -> None:
    asked = []

    def word() -> str:
        asked.append(1)
        return "x"

    template = engines["django"].from_string(_ROWS)
    template.render({"rows": "abc", "word": word})
    assert asked == [1]


def test_another_rendering_of_the_same_template_has_words_of_its_own() -> None:
    template = engines["django"].from_string(_ROWS)
    assert template.render({"rows": "a", "word": "x"}) == "a<x>"
    assert template.render({"rows": "a", "word": "<y>"}) == "a<&lt;y&gt;>"


def test_a_template_that_is_included_in_a_loop_renders_it_for_each() -> None:
    """What one inclusion has rendered is not shown by the next, whose context may differ."""
    inner = engines["django"].from_string("{% load once %}{% once %}{{ row }}{% endonce %}")
    outer = engines["django"].from_string(
        "{% for row in rows %}{% include inner.template %}{% endfor %}"
    )
    assert outer.render({"rows": "abc", "inner": inner}) == "abc"
