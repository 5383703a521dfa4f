"""The check of joints finds texts that code joins by punctuation of its own."""

from pathlib import Path

import pytest
from django.conf import settings

from translations.joints import exemptions_read, joints_in_python, joints_in_template

IMPORT = "from django.utils.translation import gettext as _\n"


@pytest.mark.parametrize(
    "code",
    [
        '", ".join(names)',
        '"; ".join(map(str, words))',
        'f"{label}: {value}"',
        "f\"{_('Role')}: {role}\"",
        'label + ": " + value',
        'format_html("<b>{}</b>: {}", label, value)',
        'format_html_join(", ", "{}", rows)',
    ],
)
def test_a_joint_in_a_module_is_found(code: str) -> None:
    assert list(joints_in_python(IMPORT + code)) == [2]
    assert not list(joints_in_python(code)), "a module without texts for readers"


@pytest.mark.parametrize(
    "code",
    [
        "comma_list(names)",
        '_("%(label)s: %(value)s")',
        'f"{line}: {name} is unknown"',
        '" ".join(x)',
    ],
)
def test_other_code_passes(code: str) -> None:
    assert not list(joints_in_python(IMPORT + code))


@pytest.mark.parametrize(
    "line",
    [
        '<p>{% translate "Role" %}: {{ role }}</p>',
        "<b>{{ name }}</b>, {{ other }}",
        "{{ name }}{% if more %}; {{ more }}{% endif %}",
        "{% for name in names %}{{ name }}{% if not forloop.last %}, {% endif %}{% endfor %}",
        '{{ names|join:", " }}',
        '{% translate "Saved." %} {% translate "Judges see it." %}',
        '{% translate "Saved." %}{% if x %} {% translate "Judges see it." %}{% endif %}',
        "{% blocktranslate %}As of {{ x }}.{% endblocktranslate %}\n{{ effects|sentence_list }}",
    ],
)
def test_a_joint_in_a_page_is_found(line: str) -> None:
    assert list(joints_in_template(line))


@pytest.mark.parametrize(
    "line",
    [
        '<p>{% translate "Role" %}{% colon %}{{ role }}</p>',
        "{% blocktranslate %}{{ label }}: {{ value }}, {{ more }}.{% endblocktranslate %}",
        '{% sentences %}{% translate "Saved." %} {% translate "Judges see it." %}{% endsentences %}',
        '<td style="width: 3em">{{ name }} · {{ other }}</td>',
    ],
)
def test_other_templates_pass(line: str) -> None:
    assert not list(joints_in_template(line))


def test_sentences_in_lines_of_their_own_are_joined_on_pages_alone() -> None:
    lines = '{% translate "One." %}\n{% translate "Two." %}'
    assert list(joints_in_template(lines))
    assert not list(joints_in_template(lines, is_page=False))


def test_exemptions_are_all_used() -> None:
    for exemption in exemptions_read():
        source = (Path(settings.BASE_DIR) / exemption.file).read_text(encoding="utf-8")
        lines = source.splitlines()
        assert any(
            exemption.contains in lines[line - 1] for line in joints_in_python(source)
        )
