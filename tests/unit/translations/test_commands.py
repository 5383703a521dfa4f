"""The commands, on a project of one file."""

import gettext
import json
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import to_locale

from translations.__main__ import ROOT, main
from translations.catalogues import catalogue_file, locales, numbers_of_forms

CODE = '_("Skip")\nngettext("{n} sentence", "{n} sentences", n)\n_("Submit")\n'
CZECH = {"Skip": "Přeskočit", "{n} sentence": ["{n} věta", "{n} věty", "{n} vět"]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "campaign").mkdir()
    (tmp_path / "campaign" / "words.py").write_text(CODE)
    assert main(["update", "cs"], tmp_path) == 0
    return tmp_path


def fill(project: Path, brought: object, locale: str = "cs") -> int:
    (project / "brought.json").write_text(json.dumps(brought))
    return main(["fill", locale, str(project / "brought.json")], project)


def test_every_language_on_offer_has_a_catalogue_and_the_other_way_round() -> None:
    offered = {to_locale(code) for code, _name in settings.LANGUAGES}
    assert offered == {*locales(ROOT), "en"}


def test_untranslated_entries_are_listed_until_filled(
    project: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert fill(project, CZECH) == 0
    capsys.readouterr()
    main(["open", "cs"], project)
    assert [entry["msgid"] for entry in json.loads(capsys.readouterr().out)] == [
        "Submit",
    ]
    assert main(["check"], project) == 1
    assert "campaign/words.py: is not translated: Submit" in capsys.readouterr().out
    assert fill(project, {"Submit": "Odeslat"}) == 0
    assert main(["check"], project) == 0


@pytest.mark.parametrize(
    "brought",
    [
        {"Skip": "Přeskočit", "No such text": "–"},
        {"Skip": "Přeskočit", "{n} sentence": ["věta", "{m} věty", "{n} vět"]},
        {"Skip": "Přeskočit", "{n} sentence": "{n} vět"},
        {"Skip": ["Přeskočit"]},
    ],
)
def test_a_file_that_does_not_fit_is_refused_whole(
    project: Path,
    brought: object,
) -> None:
    before = catalogue_file(project, "cs").read_text()
    assert fill(project, brought) == 1
    assert catalogue_file(project, "cs").read_text() == before


def test_updating_keeps_translations_and_drops_what_the_code_no_longer_says(
    project: Path,
) -> None:
    fill(project, CZECH)
    (project / "campaign" / "words.py").write_text('_("Skip")\n_("New")\n')
    main(["update"], project)
    text = catalogue_file(project, "cs").read_text()
    assert "Přeskočit" in text
    assert 'msgid "New"' in text
    assert "sentence" not in text
    main(["update"], project)
    assert catalogue_file(project, "cs").read_text() == text


@pytest.mark.parametrize(
    ("locale", "count"),
    [("de", 2), ("cs", 3), ("es", 2), ("zh_Hans", 1), ("ar", 6)],
)
def test_a_compiled_catalogue_picks_the_form_of_each_number(
    tmp_path: Path,
    locale: str,
    count: int,
) -> None:
    (tmp_path / "campaign").mkdir()
    (tmp_path / "campaign" / "words.py").write_text(CODE.replace("sentence", "hour"))
    main(["update", locale], tmp_path)
    fill(
        tmp_path,
        {"{n} hour": [f"{{n}} in form {form}" for form in range(count)]},
        locale,
    )
    main(["compile"], tmp_path)
    with catalogue_file(tmp_path, locale).with_suffix(".mo").open("rb") as file:
        words = gettext.GNUTranslations(file)
    for form, numbers in enumerate(numbers_of_forms(locale)):
        for number in numbers:
            assert words.ngettext("{n} hour", "{n} hours", number).endswith(str(form))
    assert words.gettext("Submit") == "Submit"
