"""Files of test sets through the command, and a check that says what an import does."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from campaign.models import Document, TestSet, Upload

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
    arguments = ["--campaign", "cases", "--create-campaign", "Cases", "--name", path.name[:50]]
    languages = ["--source-language", "en", "--target-language", "de"]
    try:
        call_command("import_test_set", str(path), *arguments, *languages, *options, stdout=out)
    except CommandError as error:
        return False, str(error)
    return True, out.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
@pytest.mark.parametrize("options", [(), ("--common-documents",)], ids=["all", "common"])
def test_a_check_accepts_exactly_what_an_import_takes(
    folder: Path, options: tuple[str, ...]
) -> None:
    entries = list(folder.iterdir())
    path = entries[0] if len(entries) == 1 and entries[0].is_file() else folder
    checked, said = run(path, "--check", *options)
    assert not TestSet.objects.exists()
    taken, refused = run(path, *options)
    assert (checked, said if not checked else "") == (taken, refused if not taken else "")
    assert TestSet.objects.exists() == taken


@pytest.mark.django_db
def test_an_import_names_and_records_what_it_leaves_out() -> None:
    _taken, said = run(
        CASES / "04-document-withdrawn-from-outputs" / "set.xml", "--common-documents"
    )
    assert 'Left out: document "v2" (not covered by alpha, beta)' in said
    assert set(Document.objects.values_list("name", flat=True)) == {"v1", "v3"}
    report = Upload.objects.get(test_set__isnull=False).report
    assert report == {"left_out": [{"name": 'document "v2"', "why": "not covered by alpha, beta"}]}
