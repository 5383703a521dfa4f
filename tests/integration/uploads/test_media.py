"""Archives with recordings, by the door of organisers."""

import io
import zipfile
from collections.abc import Mapping
from hashlib import sha256

import pytest

from campaign.formats.records import MediaFile
from campaign.models import Campaign, KeptFile, Output, Upload
from campaign.models.upload import MEDIA
from campaign.selectors.exported_files import exported_bytes
from campaign.services.jobs import jobs_run_waiting
from campaign.services.media import media_clean_stored, media_store
from campaign.services.uploads import upload_check, upload_import
from tests.integration.uploads.conftest import FILES, Sent
from tests.media_samples import SECRET, png, wav

import annotation.tasks  # noqa: F401  isort: skip  the worker's handlers

TABLE = "source\talpha\tbeta\nSay it.\talpha/1.wav\tbeta/1.wav\n"
RECORDINGS = {"alpha/1.wav": wav(220), "beta/1.wav": wav(440)}


def archive(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as written:
        for name, content in files.items():
            written.writestr(f"study/{name}", content)
    return packed.getvalue()


@pytest.fixture
def upload(sent: Sent) -> Upload:
    files = {"set.tsv": TABLE.encode(), **RECORDINGS, "logo.png": png()}
    return sent(
        {**dict.fromkeys(FILES), "study.zip": archive(files)},
        name="Study",
        source_language="en",
        target_language="de",
    )


def test_archive_becomes_a_test_set_with_recordings(upload: Upload) -> None:
    upload_check(upload=upload)
    assert jobs_run_waiting() == 1
    upload.refresh_from_db()
    assert upload.report is not None
    assert upload.report["error"] is None
    assert upload.left_out == [{"name": "logo.png", "why": "no text names it"}]
    upload_import(upload=upload)
    assert jobs_run_waiting() == 1
    names = set(KeptFile.objects.filter(kind=MEDIA).values_list("name", flat=True))
    shown = set(Output.objects.values_list("text", flat=True))
    assert shown == {f"[media:{name}]" for name in names}


def test_check_names_a_missing_recording(sent: Sent) -> None:
    files = {"set.tsv": TABLE.encode(), "alpha/1.wav": RECORDINGS["alpha/1.wav"]}
    upload = sent({**dict.fromkeys(FILES), "study.zip": archive(files)})
    upload_check(upload=upload)
    assert jobs_run_waiting() == 1
    upload.refresh_from_db()
    assert upload.report is not None
    assert "beta/1.wav" in str(upload.report["error"])


def test_files_that_an_earlier_version_stored_are_cleaned(campaign: Campaign) -> None:
    content = wav(secret=SECRET)
    stored = MediaFile(f"{'0' * 32}.wav", content, 0.5)
    media_store(campaign=campaign, file=stored, file_format="")
    damaged = MediaFile(f"{'1' * 32}.wav", content[:60], 0.5)
    media_store(campaign=campaign, file=damaged, file_format="")
    assert media_clean_stored() == 2
    assert media_clean_stored() == 0
    cleaned = KeptFile.objects.get(name=stored.name)
    bytes_now = b"".join(exported_bytes(cleaned))
    assert SECRET not in bytes_now
    assert cleaned.digest == sha256(bytes_now).hexdigest()
    assert KeptFile.objects.filter(name=damaged.name).exists()
