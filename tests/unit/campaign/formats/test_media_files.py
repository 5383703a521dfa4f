"""Pictures, sound and video of any type: what is kept of them, and which are refused."""

import contextlib
import io
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.errors import FormatError
from campaign.formats.media_files import MAX_BYTES, MediaFile, media_file_read
from campaign.formats.streams import StoredFile
from tests.media_samples import SAMPLES, SECRET, jpeg, wav


def read(content: bytes) -> MediaFile:
    return media_file_read(StoredFile("sound.mp3", partial(io.BytesIO, content)))


@pytest.mark.parametrize("ending", SAMPLES)
def test_type_is_known_by_content_and_no_metadata_remain(ending: str) -> None:
    file = read(SAMPLES[ending])
    assert file.name.endswith(f".{ending}")
    assert SECRET not in file.content
    assert SECRET[:8] not in file.content


@pytest.mark.parametrize("ending", SAMPLES)
def test_file_without_metadata_stays_as_it_is(ending: str) -> None:
    file = read(SAMPLES[ending])
    assert read(file.content) == file


def test_recordings_that_differ_in_metadata_are_the_same() -> None:
    assert read(wav(secret=b"alpha")) == read(wav(secret=b"beta, later"))


def test_picture_keeps_its_orientation() -> None:
    [_before, exif] = read(jpeg()).content.split(b"Exif\0\0MM\0*")
    assert exif.startswith(bytes.fromhex("00000008 0001 0112 0003 00000001 0006"))


def test_recording_of_unknown_length_reaches_to_the_end() -> None:
    whole = wav()
    place = whole.index(b"data") + 4
    streamed = whole[:place] + b"\xff\xff\xff\xff" + whole[place + 4 :]
    assert read(streamed) == read(whole)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"This is no sound.", "is text"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        (b"GIF89a\1\0\1\0\0\0\0;", "GIF"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (b"OggS" + bytes(24) + b"\x01\x1e\x01vorbis", "another codec"),
        (b"", "unknown"),
        (SAMPLES["png"][:-20], "damaged or incomplete"),
        (SAMPLES["wav"][:-20], "damaged or incomplete"),
        (SAMPLES["mp4"][:-20], "damaged or incomplete"),
        (bytes(MAX_BYTES + 1), "larger than 50 MB"),
    ],
)
def test_other_file_is_refused(content: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read(content)


@given(st.sampled_from(sorted(SAMPLES)), st.integers(0, 600), st.binary(max_size=8))
def test_changed_file_is_read_or_refused(ending: str, place: int, changed: bytes) -> None:
    content = SAMPLES[ending]
    with contextlib.suppress(FormatError):
        read(content[:place] + changed + content[place + len(changed) :])
