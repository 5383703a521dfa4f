"""Archives are taken apart without trusting anything they say."""

import io
import random
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError
from campaign.formats.archives import (
    Limits,
    archive_files,
    folder_files,
    is_archive,
    is_litter,
)
from campaign.formats.streams import StoredFile

Entry = tuple[str | zipfile.ZipInfo, bytes]
Packed = Callable[[Iterable[Entry]], bytes]


def zipped(entries: Iterable[Entry], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(entries: Iterable[Entry], mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in entries:
            member = tarfile.TarInfo(str(name))
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def opened(data: bytes, limits: Limits | None = None) -> dict[str, bytes]:
    with archive_files(
        StoredFile("set.zip", lambda: io.BytesIO(data)),
        limits,
    ) as files:
        found = {}
        for file in files:
            with file.open() as stream:
                if not is_litter(file.name):
                    found[file.name] = stream.read()
        return found


def refused(data: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(FormatError) as caught:
        opened(data, limits)
    assert caught.value.file == "set.zip"
    return caught.value.problem


both = pytest.mark.parametrize("packed", [zipped, tarred])


@both
def test_files_come_without_the_folder_around_them(packed: Packed) -> None:
    data = packed([("news/src.en", b"a\n"), ("news/systems/x.de", b"b\n"), ("__MACOSX/news/._x", b""), ("news/.DS_Store", b"\0")])  # fmt: skip
    assert opened(data) == {"src.en": b"a\n", "systems/x.de": b"b\n"}


@both
def test_files_may_be_larger_than_the_list_of_entries(packed: Packed) -> None:
    content = random.Random(7).randbytes(1 << 20)
    data = packed([("judgments.csv", content)])
    assert opened(data, Limits(entries=200)) == {"judgments.csv": content}


def test_a_tar_of_the_present_folder_is_read_and_one_without_gzip() -> None:
    assert opened(tarred([("./a.txt", b"a"), ("./b/c.txt", b"c")], "w")) == {
        "a.txt": b"a",
        "b/c.txt": b"c",
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        folder = tarfile.TarInfo(".")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
    assert opened(buffer.getvalue()) == {}


@both
def test_folders_that_sort_one_test_set_are_no_roots(packed: Packed) -> None:
    data = packed([("sources/a.txt", b"a"), ("system-outputs/x/b.txt", b"b"), ("references/a.txt", b"a")])  # fmt: skip
    assert list(opened(data)) == [
        "references/a.txt",
        "sources/a.txt",
        "system-outputs/x/b.txt",
    ]
    assert list(opened(packed([("systems/x.txt", b"b")]))) == ["systems/x.txt"]


@both
@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["../a.txt"], '"../a.txt" leads out of the archive'),
        (["news/../../a.txt"], "leads out of the archive"),
        (["/etc/passwd"], '"/etc/passwd" is an absolute path'),
        (["C:/a.txt"], "is an absolute path"),
        (["..\\a.txt"], "leads out of the archive"),
        (["a\u202e.txt"], "is not a valid file name on every operating system"),
        (
            ["A.txt", "a.txt"],
            '"a.txt" and "A.txt" are the same file name on some operating systems',
        ),
        (["é.txt", "e\u0301.txt"], "are the same file name on some operating systems"),
        (
            ["Straße.txt", "STRASSE.txt"],
            "are the same file name on some operating systems",
        ),
        (["x/a.txt", "x//a.txt"], '"x/a.txt" is there twice'),
        (["one/a.txt", "two/a.txt"], 'several folders side by side: "one" and "two"'),
    ],
)
def test_names_that_lead_astray_are_refused(
    packed: Packed,
    names: list[str],
    problem: str,
) -> None:
    assert problem in refused(packed([(name, b"x") for name in names]))


@both
@pytest.mark.parametrize(
    "inner",
    [zipped([("a", b"a")]), tarred([("a", b"a")]), tarred([("a", b"a")], "w"), b"BZh9", b"Rar!\x1a\x07", b"\xfd7zXZ"],
    # Names of their own: the bytes hold the time at which they were made.
    ids=["zip", "tar.gz", "tar", "bzip2", "rar", "xz"],
)  # fmt: skip
def test_archive_inside_an_archive_is_refused(packed: Packed, inner: bytes) -> None:
    assert "is itself packed or compressed" in refused(packed([("a.txt", inner)]))


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-8", "se\u0301.fr"), ("utf-8", "系统.fr"), ("cp437", "sé.fr")],
)
def test_names_of_macos_are_utf8_although_the_archive_does_not_say_so(
    encoding: str,
    name: str,
) -> None:
    """weichsel/ZIPFoundation#63, ansible/ansible#22922: é of a zip made by the Finder became "e╠ü"."""
    written = name.encode(encoding)
    placeholder = "x" * len(written)
    data = zipped([(placeholder, b"a"), ("b.fr", b"b")])
    found = opened(data.replace(placeholder.encode(), written))
    assert found == {name: b"a", "b.fr": b"b"}


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("百度.zh", "gbk"), ("příklad.cs", "cp852"), ("система.ru", "cp866")],
)
def test_name_in_an_encoding_that_the_archive_does_not_state_is_refused(
    name: str,
    encoding: str,
) -> None:
    """TriliumNext/Trilium#9678, python/cpython#84587: the name of a system would be ░┘╢╚."""
    data = zipped([("x" * len(name.encode(encoding)), b"text")])
    data = data.replace(b"x" * len(name.encode(encoding)), name.encode(encoding))
    assert "an encoding that the archive does not state" in refused(data)


def test_names_of_windows_in_western_europe_are_read() -> None:
    data = zipped([("xxxxxxx", b"text")]).replace(b"xxxxxxx", "süd.txt".encode("cp437"))
    assert opened(data) == {"süd.txt": b"text"}


def test_name_in_utf8_that_leads_astray_is_refused() -> None:
    data = zipped([("xxx", b"a"), ("b.fr", b"b")])
    assert "is not a valid file name" in refused(
        data.replace(b"xxx", "\u2028".encode()),
    )


def test_links_and_devices_are_refused() -> None:
    link = zipfile.ZipInfo("a.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert "is a link or a device" in refused(zipped([(link, b"/etc/passwd")]))
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            member = tarfile.TarInfo("a.txt")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        assert "is a link or a device" in refused(buffer.getvalue())


def test_encrypted_and_unusual_zips_are_refused() -> None:
    data = bytearray(zipped([("a.txt", b"x")]))
    for place in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        data[place] |= 1
    assert "is encrypted" in refused(bytes(data))
    assert "uses an unsupported compression method" in refused(
        zipped([("a", b"x")], zipfile.ZIP_LZMA),
    )


@both
def test_bombs_are_refused_by_what_comes_out(packed: Packed) -> None:
    zeros = packed([("a.txt", b"\n" * 400_000)])
    small = Limits(free_bytes=100_000, ratio=20)
    assert "unpacks to more than 20 times its size" in refused(zeros, small)
    assert "unpacks to more than 300,000 bytes" in refused(
        zeros,
        Limits(total_bytes=300_000),
    )
    # Many small files count together.
    many = packed([(f"{n}.txt", b"\n" * 100_000) for n in range(4)])
    assert "unpacks to more than 300,000 bytes" in refused(
        many,
        Limits(total_bytes=300_000),
    )
    assert "more than 3 entries" in refused(many, Limits(entries=3))
    assert len(opened(many, Limits(entries=4))) == 4


def test_a_zip_that_lies_about_its_sizes_is_refused() -> None:
    data = bytearray(zipped([("a.txt", b"\n" * 400_000)]))
    place = data.index(b"PK\x01\x02") + 24
    data[place : place + 4] = (5).to_bytes(4, "little")
    assert "the archive cannot be read" in refused(bytes(data))


def test_a_tar_with_an_endless_header_is_refused() -> None:
    member = tarfile.TarInfo("x")
    member.type, member.size = tarfile.XHDTYPE, 2 * 1024 * 1024
    data = member.tobuf() + b"\0" * member.size
    assert "a header of 2,097,152 bytes" in refused(data)


@both
def test_damaged_archives_are_refused(packed: Packed) -> None:
    data = packed([("a.txt", bytes(range(1, 256)) * 2_000)])
    assert refused(data[: len(data) // 2])
    assert is_archive(zipped([("a", b"a")]))
    assert is_archive(tarred([("a", b"a")], "w"))
    assert not is_archive(b"text\n" * 200)


@given(st.binary(max_size=2_000))
def test_whatever_stands_in_an_archive_is_read_or_refused(data: bytes) -> None:
    for start in (b"", b"PK\x03\x04", b"\x1f\x8b"):
        with pytest.raises(FormatError):
            opened(start + data + b"x")


def test_a_folder_is_read_without_links_and_litter(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "x.de").write_bytes(b"a")
    (tmp_path / ".hidden").write_bytes(b"a")
    assert [file.name for file in folder_files(tmp_path)] == ["systems/x.de", ".hidden"]
    (tmp_path / "Systems.txt").write_bytes(b"a")
    (tmp_path / "systems.TXT").write_bytes(b"a")
    with pytest.raises(
        FormatError,
        match="the same file name on some operating systems",
    ):
        folder_files(tmp_path)
    (tmp_path / "systems.TXT").unlink()
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(FormatError, match='"link" is a link'):
        folder_files(tmp_path)
