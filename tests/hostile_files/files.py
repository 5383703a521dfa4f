"""The hostile files, by name: what each writes."""

import gzip
import io
import json
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

#: Of what a door says; as many or more are no words that anybody reads.
MOST_WORDS: Final = 4_000
MB: Final = 1_000_000
_CSV: Final = b"srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,system1rank,system2rank\n"


def _repeated(unit: bytes, size: int, begins: bytes = b"") -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.write(begins)
            for _ in range(max(1, size // MB)):
                file.write(unit * (MB // len(unit)))

    return write


def _bytes(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(content)

    return write


def _zipped(*entries: tuple[str, bytes]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries:
                archive.writestr(name, content)

    return write


def _many_entries(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{number}.txt", b"")


def _declared_entries(path: Path) -> None:
    """Write a zip whose directory has 200,000 entries and declares one; none of them has content."""
    entry = struct.pack("<4s24xH16x", b"PK\1\2", 1) + b"a"
    directory = entry * 200_000
    end = struct.pack("<4s4x2H2L2x", b"PK\5\6", 1, 1, len(directory), 30)
    path.write_bytes(b"PK\3\4".ljust(30, b"\0") + directory + end)


def _tar_of(*headers: tuple[bytes, bytes], times: int = 1) -> Callable[[Path], None]:
    """Return a function that writes a tar: these headers, by type and content, before each of `times` files."""

    def write(path: Path) -> None:
        before = b"".join(_tar_header(kind, content) for kind, content in headers)
        file = _tar_header(tarfile.REGTYPE, b"a\n")
        path.write_bytes((before + file) * times + bytes(1024))

    return write


def _tar_header(kind: bytes, content: bytes) -> bytes:
    header = tarfile.TarInfo("a.txt")
    header.type = kind
    header.size = len(content)
    return header.tobuf(tarfile.USTAR_FORMAT) + content + bytes(-len(content) % 512)


def _tar_out(path: Path) -> None:
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("../../etc/passwd")
        member.size = 2
        archive.addfile(member, io.BytesIO(b"a\n"))


def _bomb(unit: bytes, size: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with gzip.open(path, "wb", 6) as file:
            for _ in range(size // MB):
                file.write(unit * (MB // len(unit)))

    return write


def _zip_bomb(path: Path) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("source.txt", "w", force_zip64=True) as file,
    ):
        for _ in range(100):
            file.write(b"\0" * MB)


_INNER: Final = io.BytesIO()
with zipfile.ZipFile(_INNER, "w") as _archive:
    _archive.writestr("a.txt", b"a\n")
_DEEP: Final = 100_000
_LAUGHS: Final = (
    b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "ha">'
    + b"".join(
        b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
    )
    + b"]>"
)
_YAML_ALIASES: Final = b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9))
    for n in range(1, 10)
)

#: A campaign of Pearmut: one object, however long.
_CAMPAIGN: Final = b'{"campaign_id": "c", "info": {}, "data": ['


def _campaign_of_small_items(path: Path) -> None:
    with path.open("wb") as file:
        file.write(_CAMPAIGN)
        for thousand in range(400):
            file.write(
                b"".join(
                    b'[{"src": "%d", "tgt": {"A": "a", "B": "b"}}],'
                    % (thousand * 1_000 + number)
                    for number in range(1_000)
                ),
            )
        file.write(b"[]]}")


FILES: Final[dict[str, Callable[[Path], None]]] = {
    "path traversal.zip": _zipped(("../../etc/passwd", b"a\n")),
    "absolute path.zip": _zipped(("/etc/passwd", b"a\n")),
    "path traversal.tar.gz": _tar_out,
    "many entries.zip": _many_entries,
    "undeclared entries.zip": _declared_entries,
    "folders without end.zip": _zipped(("a/" * 30_000 + "b.txt", b"a\n")),
    "header of digits.tar": _tar_of((tarfile.XHDTYPE, b"9" * 200_000)),
    "headers of digits.tar": _tar_of((tarfile.XHDTYPE, b"9" * 8_000), times=100),
    "attributes in attributes.tar": _tar_of(
        (tarfile.XHDTYPE, b"2 " * 4_000 + b"=\n"),
        times=100,
    ),
    "headers in a row.tar": _tar_of(*[(tarfile.XHDTYPE, b"6 a=b\n")] * 330),
    "long names in a row.tar": _tar_of(*[(tarfile.GNUTYPE_LONGNAME, b"abcde\0")] * 330),
    "bomb.zip": _zip_bomb,
    "archive inside.zip": _zipped(("a.zip", _INNER.getvalue())),
    "gzip inside.gz": _bytes(gzip.compress(gzip.compress(b"a\n"))),
    "bomb of one line.gz": _bomb(b"x", 400 * MB),
    "bomb of lines.gz": _bomb(b"x" * 999 + b"\n", 400 * MB),
    "members of a byte.gz": _repeated(gzip.compress(b"x"), 4_000_000),
    "truncated.gz": _bytes(gzip.compress(b"a\n" * 100_000)[:-20]),
    "billion laughs of results.xml": _bytes(_LAUGHS + b"<results>&j;</results>"),
    "billion laughs of a test set.xml": _bytes(_LAUGHS + b"<dataset>&j;</dataset>"),
    "external entity.xml": _bytes(
        b'<!DOCTYPE results [<!ENTITY x SYSTEM "file:///etc/passwd">]><results>&x;</results>',
    ),
    "parameter entity.xml": _bytes(
        b'<!DOCTYPE results [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><results/>',
    ),
    "foreign document type.xml": _bytes(
        b'<!DOCTYPE results SYSTEM "http://192.0.2.1/a.dtd"><results><HIT/></results>',
    ),
    "deep elements.xml": _repeated(b"<a>", 30 * MB, b"<results>"),
    "endless attribute.xml": _repeated(b"x", 60 * MB, b'<results><HIT a="'),
    "endless comment.xml": _repeated(b"x", 60 * MB, b"<results><!-- "),
    "deep lists.json": _bytes(b"[" * _DEEP + b"]" * _DEEP),
    "deep objects.json": _bytes(b'{"a":' * _DEEP + b"1" + b"}" * _DEEP),
    "deep value.jsonl": _bytes(
        b'{"segment": 1, "judge": ' + b"[" * _DEEP + b"]" * _DEEP + b"}\n",
    ),
    "empty lists of a campaign.json": _repeated(b"[],", 8 * MB, _CAMPAIGN),
    "list without end of a campaign.json": _repeated(
        b"[],",
        6 * MB,
        _CAMPAIGN + b'[{"src": [',
    ),
    "small items of a campaign.json": _campaign_of_small_items,
    "cell of 10 MB of a campaign.json": _bytes(
        _CAMPAIGN
        + b'[{"src": "'
        + b"x" * 10 * MB
        + '\U0001f600", "tgt": {"A": "a"}}]]}'.encode(),
    ),
    "deep lists of a campaign.json": _bytes(_CAMPAIGN + b"[" * _DEEP),
    "keys of a campaign.json": _bytes(
        b"{" + b", ".join(b'"%d": 1' % number for number in range(200_000)) + b"}",
    ),
    "thousands of digits.jsonl": _bytes(b'{"segment": ' + b"9" * 100_000 + b"}\n"),
    "no number.jsonl": _bytes(b'{"segment": NaN, "judge": 1e999}\n'),
    "half a character.jsonl": _bytes(
        b'{"source": "\\ud800", "outputs": {"A": "\\udfff"}}\n',
    ),
    "cell of 10 MB.csv": _bytes(
        _CSV + b'a,b,1,d,s,"' + b"x" * 10 * MB + b'",A,B,1,2\n',
    ),
    "quote never closed.csv": _repeated(b"a,b\n", 6 * MB, _CSV + b'a,b,1,d,s,"'),
    "many columns.csv": _repeated(b"system9Id,", 3 * MB, b"srclang,trglang,"),
    "cell of 10 MB.tsv": _bytes(b"source\tA\n" + b"x" * 10 * MB + b"\ty\n"),
    "value of 10 MB.jsonl": _bytes(
        json.dumps({"source": "x" * 10 * MB}).encode() + b"\n",
    ),
    "endless line.txt": _repeated(b"x", 100 * MB),
    "utf-16.csv": _bytes(_CSV.decode().encode("utf-16")),
    "latin-1.csv": _bytes(_CSV + "a,b,1,d,s,J\xfcrgen,A,B,1,2\n".encode("latin-1")),
    "nul.csv": _bytes(_CSV + b"a,b,1,d,s,j\0j,A,B,1,2\n"),
    "nul.txt": _bytes(b"a\0b\n"),
    "nuls.txt": _repeated(b"\0", 20 * MB),
    "aliases.yaml": _bytes(_YAML_ALIASES),
    "deep.yaml": _bytes(b"a: " + b"[" * _DEEP),
    "deep blocks.yaml": _bytes(b"".join(b" " * n + b"a:\n" for n in range(1_000))),
    "tag.yaml": _bytes(b'a: !!python/object/apply:os.system ["true"]\n'),
    "large.yaml": _repeated(b"a: b\n", 3 * MB),
    "broken parquet.parquet": _bytes(b"PAR1" + b"\xff" * 1000 + b"PAR1"),
    "empty": _bytes(b""),
    "empty.gz": _bytes(gzip.compress(b"")),
    "empty.zip": _zipped(),
    "blank lines.txt": _bytes(b"\n" * 100),
    "empty list.json": _bytes(b"[]\n"),
    "empty object.jsonl": _bytes(b"{}\n"),
    "header alone.csv": _bytes(_CSV),
}
