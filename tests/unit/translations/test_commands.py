"""The commands, on a project of one file."""

import gettext
import json
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import to_locale

from translations.__main__ import ROOT, main
from translations.files import catalogue_file, locales
from translations.plurals import numbers_of_forms

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


def test_a_folder_that_another_branch_left_behind_is_no_language(project: Path) -> None:
    left = project / "locale" / "fr" / "LC_MESSAGES"
    left.mkdir(parents=True)
    (left / "django.mo").write_bytes(b"")
    assert locales(project) == ["cs"]
    assert main(["compile"], project) == 0


def test_what_is_open_goes_out_and_comes_back(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fill(project, CZECH) == 0
    capsys.readouterr()
    main(["open", "cs"], project)
    assert [entry["msgid"] for entry in json.loads(capsys.readouterr().out)] == ["Submit"]
    assert main(["check"], project) == 1
    assert "campaign/words.py: is not translated: Submit" in capsys.readouterr().out
    assert fill(project, {"Submit": "Odeslat"}) == 0
    assert main(["check"], project) == 0


def test_a_plural_is_described_by_the_numbers_of_its_forms(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    main(["open", "cs", "campaign"], project)
    described = {entry["msgid"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert described["{n} sentence"]["forms"] == ["1", "2, 3, 4", "0, 5, 6, 7, 8, 9 …"]
    main(["open", "cs", "templates"], project)
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    "brought",
    [
        {"Skip": "Přeskočit", "No such text": "–"},
        {"Skip": "Přeskočit", "{n} sentence": ["věta", "{m} věty", "{n} vět"]},
        {"Skip": "Přeskočit", "{n} sentence": "{n} vět"},
        {"Skip": ["Přeskočit"]},
    ],
)
def test_a_file_that_does_not_fit_is_refused_whole(project: Path, brought: object) -> None:
    before = catalogue_file(project, "cs").read_text()
    assert fill(project, brought) == 1
    assert catalogue_file(project, "cs").read_text() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'[{"msgid": "Skip"}]', "holds a list, not an object; write {"),
        (b"12", "holds a number, not an object; write {"),
        (b"null", "holds null, not an object; write {"),
        (b'{"Skip"\n"x"}', "not JSON at Expecting ':' delimiter: line 2 column 1"),
        (b'{"Skip": "P\xf8"}', "byte 12 is not UTF-8"),
        (None, "the file cannot be read (No such file or directory)"),
    ],
)
def test_a_file_that_is_not_an_object_is_refused_in_words(
    project: Path, content: bytes | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = catalogue_file(project, "cs").read_text()
    path = project / "brought.json"
    if content is not None:
        path.write_bytes(content)
    assert main(["fill", "cs", str(path)], project) == 1
    assert f"{path} was not taken:\n{said}" in capsys.readouterr().err
    assert catalogue_file(project, "cs").read_text() == before


@pytest.mark.parametrize("form", [5, None, [1, 2, 3], {"one": "x"}])
def test_a_translation_that_is_no_text_is_refused_in_words(
    project: Path, form: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fill(project, {"{n} sentence": form}) == 1
    assert "needs a list of plural forms: {n} sentence" in capsys.readouterr().err
    assert fill(project, {"Skip": form}) == 1
    assert "needs one text: Skip" in capsys.readouterr().err


def test_updating_keeps_translations_and_drops_what_the_code_no_longer_says(project: Path) -> None:
    fill(project, CZECH)
    (project / "campaign" / "words.py").write_text('_("Skip")\n_("New")\n')
    main(["update"], project)
    text = catalogue_file(project, "cs").read_text()
    assert "Přeskočit" in text
    assert 'msgid "New"' in text
    assert "sentence" not in text
    main(["update"], project)
    assert catalogue_file(project, "cs").read_text() == text


def test_where_a_line_stands_in_its_file_changes_nothing(project: Path) -> None:
    before = catalogue_file(project, "cs").read_text()
    (project / "campaign" / "words.py").write_text("\n\n\n" + CODE)
    main(["update"], project)
    assert catalogue_file(project, "cs").read_text() == before


@pytest.mark.parametrize(
    ("locale", "count"), [("de", 2), ("cs", 3), ("es", 2), ("zh_Hans", 1), ("ar", 6)]
)
def test_a_compiled_catalogue_picks_the_form_of_each_number(
    tmp_path: Path, locale: str, count: int
) -> None:
    (tmp_path / "campaign").mkdir()
    (tmp_path / "campaign" / "words.py").write_text(CODE.replace("sentence", "hour"))
    main(["update", locale], tmp_path)
    fill(tmp_path, {"{n} hour": [f"{{n}} in form {form}" for form in range(count)]}, locale)
    main(["compile"], tmp_path)
    with catalogue_file(tmp_path, locale).with_suffix(".mo").open("rb") as file:
        words = gettext.GNUTranslations(file)
    for form, numbers in enumerate(numbers_of_forms(locale)):
        for number in numbers:
            assert words.ngettext("{n} hour", "{n} hours", number).endswith(str(form))
    assert words.gettext("Submit") == "Submit"


def test_arabic_counts_as_unicode_does() -> None:
    forms = [set(numbers) for numbers in numbers_of_forms("ar")]
    assert forms[0] == {0}
    assert forms[1] == {1}
    assert forms[2] == {2}
    assert {3, 10, 103, 110} <= forms[3]
    assert {11, 99, 111} <= forms[4]
    assert {100, 101, 102, 1000} <= forms[5]
