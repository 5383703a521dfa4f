"""Invisible characters in compiled catalogues."""

import gettext
from pathlib import Path

import pytest

from translations.__main__ import main
from translations.catalogues import catalogue_file
from translations.typesetting import typeset


@pytest.mark.parametrize(
    ("locale", "text", "kept"),
    [
        # “~” stands for a no-break space.
        (
            "de",
            "%(share)s %% der Sätze, 50 % davon",
            "%(share)s~%% der Sätze, 50~% davon",
        ),
        (
            "de",
            "mehr …, z. B. {name}: {percent} %",
            "mehr~…, z.~B. {name}: {percent}~%",
        ),
        ("de", "Unverändert %(share)s in %", "Unverändert %(share)s in %"),
        ("cs", "%(n)s bloků z %(all)s", "%(n)s bloků z~%(all)s"),
        ("cs", "A s tím i „V úkolu“ (k testu)", "A~s~tím i~„V~úkolu“ (k~testu)"),
        (
            "cs",
            '<a href="/">Nová</a> data, o 5 %%.',
            '<a href="/">Nová</a> data, o~5~%%.',
        ),
        ("es", "el %(percent)s %% de %(name)s", "el %(percent)s~%% de %(name)s"),
        ("ar", "من −1 إلى 1، %(low)s−%(high)s", "من \u200e−1 إلى 1، %(low)s−%(high)s"),
        ("zh_Hans", "占 %(share)s%%，A 或 B", "占 %(share)s%%，A 或 B"),
    ],
)
def test_translation_has_the_invisible_characters_of_its_language(
    locale: str,
    text: str,
    kept: str,
) -> None:
    assert typeset(text, locale) == kept.replace("~", "\u00a0")


def test_compiling_adds_them_to_plain_translations(tmp_path: Path) -> None:
    (tmp_path / "campaign").mkdir()
    words = 'gettext("Of all")\nngettext("{n}% of it", "{n}% of them", n)\n'
    (tmp_path / "campaign" / "words.py").write_text(words)
    main(["update", "cs"], tmp_path)
    file = catalogue_file(tmp_path, "cs")
    text = file.read_text("utf-8").replace(
        '"Of all"\nmsgstr ""',
        '"Of all"\nmsgstr "Ze všech i z ní"',
    )
    for form in range(3):
        text = text.replace(
            f'msgstr[{form}] ""',
            f'msgstr[{form}] "{{n}} % v části {form}"',
        )
    file.write_text(text, "utf-8")
    main(["compile"], tmp_path)
    assert file.read_text("utf-8") == text
    with file.with_suffix(".mo").open("rb") as compiled:
        translations = gettext.GNUTranslations(compiled)
    assert translations.gettext("Of all") == "Ze všech i\u00a0z\u00a0ní"
    assert (
        translations.ngettext("{n}% of it", "{n}% of them", 5)
        == "{n}\u00a0% v\u00a0části 2"
    )
