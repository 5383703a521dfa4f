"""Which texts are found in code and templates."""

from pathlib import Path

from translations.catalogues import Key, entries, messages_of

PYTHON = """
from django.utils.translation import gettext as _, ngettext, npgettext, pgettext
A = _("one " "after another")
B = ngettext("%(n)d judge", "%(n)d judges", n) % {"n": n}
C = pgettext("month", "May")
# Translators: of a ranking
D = _("range")
E = npgettext("game", "{n} set", "{n} sets", n)
F = _(text)
G = "not marked"
H = f"{_('within braces')}: {_(text)}, {ngettext('{n} rule', '{n} rules', n)}"
"""

TEMPLATE = """{% load i18n %}
<h1 title="{% translate 'Your "progress"' %}">{% translate "Source" %}</h1>
{% blocktranslate count n=judges trimmed %}
  {{ n }} judge
{% plural %}
  {{ n }} judges
{% endblocktranslate %}
{% blocktranslate with name=campaign.name %}100% of {{ name }}{% endblocktranslate %}
{% translate "May" context "month" %} {{ value|default:_("none") }}
{# translate "left out" #}
"""


def found(tmp_path: Path, name: str, text: str) -> dict[Key, list[tuple[str, int]]]:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / name).write_text(text)
    return {
        key: each.locations for key, each in entries(messages_of(tmp_path, ["app"]))
    }


def test_calls_in_python_are_found(tmp_path: Path) -> None:
    texts = found(tmp_path, "code.py", PYTHON)
    assert texts == {
        Key("one after another"): [("app/code.py", 3)],
        Key("%(n)d judge", "%(n)d judges"): [("app/code.py", 4)],
        Key("May", context="month"): [("app/code.py", 5)],
        Key("range"): [("app/code.py", 7)],
        Key("{n} set", "{n} sets", "game"): [("app/code.py", 8)],
        Key("within braces"): [("app/code.py", 11)],
        Key("{n} rule", "{n} rules"): [("app/code.py", 11)],
    }


def test_tags_in_templates_are_found(tmp_path: Path) -> None:
    texts = found(tmp_path, "page.html", TEMPLATE)
    assert set(texts) == {
        Key('Your "progress"'),
        Key("Source"),
        Key("%(n)s judge", "%(n)s judges"),
        Key("100%% of %(name)s"),
        Key("May", context="month"),
        Key("none"),
    }
