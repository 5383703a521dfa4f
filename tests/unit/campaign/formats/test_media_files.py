"""Pictures, sound and video of any type: what is kept of them, and which are refused."""

import contextlib
import io
import struct
from functools import partial
from hashlib import sha256

import av
import pytest
from av.stream import Disposition
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageCms

from campaign.formats.errors import FormatError
from campaign.formats.media_files import MAX_BYTES, media_file_read
from campaign.formats.records import MediaFile
from campaign.formats.streams import StoredFile
from tests.media_samples import SAMPLES, SECRET, photograph, picture, sound, video, wav

BLACK, WHITE = Image.new("L", (8, 8), 0), Image.new("L", (8, 8), 255)
ANIMATED = picture("webp", BLACK, save_all=True, append_images=[WHITE])


def read(content: bytes) -> MediaFile:
    return media_file_read(StoredFile("file", partial(io.BytesIO, content)))


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


@pytest.mark.parametrize("ending", SAMPLES)
def test_file_named_by_its_own_digest_is_cleaned(ending: str) -> None:
    content = SAMPLES[ending]
    name = f"{sha256(content).hexdigest()[:32]}.{ending}"
    file = media_file_read(StoredFile(f"media/{name}", partial(io.BytesIO, content)))
    assert file == read(content)


@pytest.mark.parametrize("ending", sorted(SAMPLES.keys() - {"png", "jpg", "webp"}))
def test_duration_is_known(ending: str) -> None:
    expected = {"wav": 0.5, "mp4": 2.0, "webm": 2.0}.get(ending, 1.0)
    assert read(SAMPLES[ending]).seconds == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("ending", SAMPLES)
def test_first_half_of_a_file_is_refused(ending: str) -> None:
    content = picture(ending) if ending in {"png", "jpg", "webp"} else SAMPLES[ending]
    with pytest.raises(FormatError, match="damaged or incomplete"):
        read(content[: len(content) // 2])


def test_recordings_that_differ_in_metadata_are_the_same() -> None:
    assert read(wav(secret=b"alpha")) == read(wav(secret=b"beta, later"))
    assert read(wav(secret=b"alpha")) == read(wav(secret="Jiří".encode("latin2")))


@pytest.mark.parametrize("ending", ["jpg", "webp", "png"])
def test_picture_is_turned_upright(ending: str) -> None:
    picture = Image.open(io.BytesIO(read(photograph(ending)).content))
    assert picture.size == (8, 24)
    assert not picture.getexif()


@pytest.mark.parametrize(
    ("ending", "mode", "options"),
    [
        ("jpg", "RGB", {"quality": 60}),
        ("jpg", "RGB", {"progressive": True, "subsampling": 0}),
        ("jpg", "RGB", {"restart_marker_blocks": 2, "keep_rgb": True}),
        ("jpg", "L", {}),
        ("jpg", "CMYK", {}),
        ("webp", "RGB", {"quality": 60}),
        ("webp", "RGBA", {"quality": 60}),
    ],
)
def test_lossy_picture_keeps_every_pixel(
    ending: str,
    mode: str,
    options: dict[str, object],
) -> None:
    image = Image.radial_gradient("L").convert("RGB").convert(mode)
    before = picture(ending, image, **options)
    after = read(before).content
    assert read(after).content == after
    pictures = [Image.open(io.BytesIO(each)) for each in (before, after)]
    assert ImageChops.difference(*pictures).getbbox() is None


@pytest.mark.parametrize("marker", [*range(0xE0, 0xF0), 0xFE])
@pytest.mark.parametrize(
    "begins",
    [b"", b"JFIF\0", b"JFXX\0", b"Adobe\0\x64\0\0\0\0\1"],
)
def test_no_application_data_of_jpeg_remain(marker: int, begins: bytes) -> None:
    before = picture("jpg")
    segment = begins + SECRET
    header = struct.pack(">BBH", 0xFF, marker, len(segment) + 2)
    assert SECRET not in read(before[:2] + header + segment + before[2:]).content


@pytest.mark.parametrize("ending", ["png", "jpg", "webp"])
def test_colour_profile_keeps_colours_and_no_names(ending: str) -> None:
    whole = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    profile = whole.replace(
        "sRGB built-in".encode("utf-16-be"),
        SECRET[:13].decode().encode("utf-16-be"),
    )
    assert profile != whole
    file = read(picture(ending, icc_profile=profile))
    assert read(file.content) == file
    after = Image.open(io.BytesIO(file.content)).info["icc_profile"]
    assert SECRET[:13].decode().encode("utf-16-be") not in after
    cleaned = ImageCms.ImageCmsProfile(io.BytesIO(after)).profile
    before = ImageCms.ImageCmsProfile(io.BytesIO(whole)).profile
    assert (cleaned.red_colorant, cleaned.media_white_point) == (
        before.red_colorant,
        before.media_white_point,
    )
    to_srgb = ImageCms.buildTransform(
        ImageCms.ImageCmsProfile(io.BytesIO(after)),
        ImageCms.createProfile("sRGB"),
        "RGB",
        "RGB",
    )
    assert to_srgb is not None


@pytest.mark.parametrize("ending", sorted(SAMPLES.keys() - {"mp3"}))
def test_bytes_after_the_end_are_removed(ending: str) -> None:
    content = SAMPLES[ending]
    assert read(content + SECRET) == read(content)


def test_picture_without_loss_stays_without_loss() -> None:
    before = picture("webp", lossless=True)
    pictures = [Image.open(io.BytesIO(each)) for each in (before, read(before).content)]
    assert ImageChops.difference(*pictures).getbbox() is None


def test_first_of_two_photographs_in_a_file_is_kept() -> None:
    image = Image.new("RGB", (8, 8))
    two = picture("jpg", image, format="MPO", save_all=True, append_images=[image])
    assert read(two) == read(picture("jpg", image))


def test_video_stays_turned() -> None:
    content = read(video("libx264", "mp4", rotation=90)).content
    with av.open(io.BytesIO(content), "r") as container:
        assert next(container.decode(video=0)).rotation == 90


def test_cover_of_a_recording_is_removed() -> None:
    with_cover = io.BytesIO()
    with (
        av.open(io.BytesIO(SAMPLES["mp3"]), "r") as source,
        av.open(with_cover, "w", "mp3") as target,
    ):
        copy = target.add_stream_from_template(source.streams.audio[0])
        cover = target.add_stream("png", width=8, height=8, pix_fmt="gray")
        cover.disposition = Disposition.attached_pic
        target.mux(cover.encode(av.VideoFrame(8, 8, "gray")))
        for packet in source.demux(audio=0):
            if packet.size:
                packet.stream = copy
                target.mux(packet)
    assert b"PNG" in with_cover.getvalue()
    assert read(with_cover.getvalue()) == read(SAMPLES["mp3"])


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
        (video("mpeg4", "avi"), "unknown"),
        (picture("png")[:-40], "damaged or incomplete"),
        (SAMPLES["wav"][:-20], "damaged or incomplete"),
        (SAMPLES["mp4"][:-600], "damaged or incomplete"),
        (SAMPLES["opus"][:-1], "damaged or incomplete"),
        (b"ID3\x04\0\0\0\0\0\x0aThis is no sound.", "damaged or incomplete"),
        (video("mpeg4", "mp4"), "codec is mpeg4"),
        (sound("alac", "ipod"), "codec is alac"),
        (video("libx265", "mp4"), "codec is hevc"),
        (sound("pcm_s32le", "wav"), "codec is pcm_s32le"),
        (ANIMATED, "animated"),
        (picture("png", Image.new("1", (5100, 5100))), "more than 25 million pixels"),
        (bytes(MAX_BYTES + 1), "larger than 50 MB"),
    ],
)
def test_other_file_is_refused(content: bytes, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read(content)


@given(st.sampled_from(sorted(SAMPLES)), st.integers(0, 600), st.binary(max_size=8))
def test_changed_file_is_read_or_refused(
    ending: str,
    place: int,
    changed: bytes,
) -> None:
    content = SAMPLES[ending]
    with contextlib.suppress(FormatError):
        read(content[:place] + changed + content[place + len(changed) :])
