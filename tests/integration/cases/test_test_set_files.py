"""Files of test sets through the command, and a check that says what an import does."""

import io
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.importing import test_sets
from campaign.formats import FormatError
from campaign.formats.archives import opener
from campaign.formats.recognising import recognise
from campaign.formats.streams import StoredFile
from campaign.importing.test_sets import campaign_for_import
from campaign.models import Document, TestSet, Upload, User
from tests.factories import make_server_organiser
from tests.properties import examples

CASES = Path(__file__).parents[2] / "data" / "cases" / "files"
# Folders with files of judgments; the others hold test sets, or parts of them.
FOLDERS = sorted(
    path
    for path in CASES.iterdir()
    if (path / "source.en").exists()
    or len([*path.iterdir()]) == 1
    or path.name.startswith(("27", "33", "57", "59", "65", "66", "67"))
)


def run(path: Path, *options: str) -> tuple[bool, str]:
    """Run the command; return whether it succeeded, and what it said."""
    out = io.StringIO()
    arguments = [
        "--campaign",
        "cases",
        "--create-campaign",
        "Cases",
        "--name",
        path.name[:50],
    ]
    languages = ["--source-language", "en", "--target-language", "de"]
    if "--check" not in options and not User.objects.exists():
        make_server_organiser()
    try:
        call_command(
            "import_test_set",
            str(path),
            *arguments,
            *languages,
            *options,
            stdout=out,
        )
    except CommandError as error:
        return False, str(error)
    return True, out.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_check_accepts_exactly_what_an_import_takes(folder: Path) -> None:
    """Of its common documents, if not of all."""
    entries = list(folder.iterdir())
    path = entries[0] if len(entries) == 1 and entries[0].is_file() else folder
    taken = False
    for options in ((), ("--common-documents",)):
        if taken:
            # Every output covers all documents, so that all are common.
            break
        checked, said = run(path, "--check", *options)
        assert not TestSet.objects.exists()
        taken, refused = run(path, *options)
        assert (checked, said if not checked else "") == (
            taken,
            refused if not taken else "",
        )
        assert TestSet.objects.exists() == taken


@pytest.mark.django_db
def test_an_import_names_and_records_what_it_leaves_out() -> None:
    _taken, said = run(
        CASES / "04-document-withdrawn-from-outputs" / "set.xml",
        "--common-documents",
    )
    assert 'Skipped: document "v2" (not covered by alpha, beta)' in said
    assert set(Document.objects.values_list("name", flat=True)) == {"v1", "v3"}
    left_out = Upload.objects.get(test_set__isnull=False).left_out
    assert left_out == [{"name": 'document "v2"', "why": "not covered by alpha, beta"}]


@pytest.mark.django_db
def test_a_check_and_an_import_say_and_record_the_same_warnings() -> None:
    path = CASES / "20-nfc-and-nfd"
    _accepted, checked = run(path, "--check")
    _taken, imported = run(path)
    (warning,) = Upload.objects.get(test_set__isnull=False).warnings
    assert warning.startswith("alpha and beta look the same in 3 segments")
    assert warning in checked
    assert warning in imported


TEXTS = {
    "source.en": b"One.\nTwo.\n",
    "reference.de": b"Eins.\nZwei.\n",
    "alpha.de": b"Ein.\nZwei!\n",
    "beta.de": b"1.\n2.\n",
    "gamma.de": b"I.\nII.\n",
}
CHANGES: dict[str, Callable[[str, bytes], dict[str, bytes]]] = {
    "drop": lambda _name, _content: {},
    "truncate": lambda name, content: {name: content[: len(content) // 2]},
    "empty": lambda name, _content: {name: b""},
    "duplicate": lambda name, content: {name: content, f"copy.{name}": content},
    "rename": lambda name, content: {f"{name}.log": content},
    "blank": lambda name, content: {name: content.replace(b"\n", b"\n\n", 1)},
}


@pytest.mark.thorough
@pytest.mark.django_db
@settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(st.tuples(st.sampled_from(sorted(TEXTS)), st.sampled_from(sorted(CHANGES))), max_size=3))  # fmt: skip
def test_changed_files_are_refused_by_both_or_by_neither(
    tmp_path: Path,
    changes: list[tuple[str, str]],
) -> None:
    files = dict(TEXTS)
    for name, change in changes:
        if name in files:
            files |= CHANGES[change](name, files.pop(name))

    folder = tmp_path / str(uuid4())
    folder.mkdir()
    stored = []
    for name, content in files.items():
        (folder / name).write_bytes(content)
        stored.append(StoredFile(name, opener(folder / name)))
    recognised = recognise("set", stored)
    checked = test_sets.test_set_files_check(
        files=test_sets.TestSetFiles(recognised=recognised),
    ).error
    refused = None
    with transaction.atomic():
        campaign = campaign_for_import(slug="changed", create_as="Changed")
        try:
            test_sets.test_set_from_files(
                campaign=campaign,
                files=test_sets.TestSetFiles(
                    recognised=recognised,
                    name="n",
                    source_language="en",
                    target_language="de",
                ),
            )
        except FormatError as error:
            refused = error
        transaction.set_rollback(True)
    assert str(checked) == str(refused)
