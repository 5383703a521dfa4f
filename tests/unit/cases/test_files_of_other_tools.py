"""Files that users of other tools reported: each is read as it is meant, or refused by its name."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from campaign.formats import FormatError, InputFile
from campaign.formats.inspecting import inspect
from campaign.formats.recognising import recognise
from campaign.formats.streams import StoredFile
from protocols.spans.files.formats import read_spans_file
from ranking.files.reading import read_judgments

_TABLE = "source\tonline-a\tonline-b\nHello.\tHallo.\tGuten Tag.\n"
_FIVE_WAY = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,system1rank,system2rank\n"
_BLOCK = "en,de,1,d,1,j,1,A,2,B,1,2\n"
_VOTES = "model_a,model_b,winner\nx,y,tie\n"
_MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
_OUTPUT = "A\td\t1\t1\tr\tHi.\tHallo.\tNo-error\tNo-error\n"
_SCORE = "ann,A,5,TGT,eng,deu,80,d,False,[],10,20\n"


def _stored(name: str, content: str | bytes) -> StoredFile:
    data = content.encode() if isinstance(content, str) else content
    return StoredFile(name, lambda: io.BytesIO(data))


def _problem(*files: StoredFile) -> str:
    """Return the error of an import of these files as a test set; empty if there is none."""
    return str(inspect(recognise("upload", files)).error or "")


def _blocks(tmp_path: Path, content: str) -> int:
    path = tmp_path / "judgments"
    path.write_text(content, encoding="utf-8")
    return len(read_judgments([str(path)]).blocks)


def _scores(_tmp_path: Path, content: str) -> int:
    _format, judgments, _losses = read_spans_file(InputFile("f", io.BytesIO(content.encode())))
    return len(judgments)


def _segments(_tmp_path: Path, content: str) -> int:
    inspection = inspect(recognise("upload", [_stored("ts.tsv", content)]))
    if inspection.error is not None:
        raise inspection.error
    return inspection.segments


Reading = Callable[[Path, str], int]


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (_blocks, _FIVE_WAY + _BLOCK + "," * 11 + "\n"),
        (_blocks, _VOTES + ',,\n"","",""\n'),
        (_scores, _SCORE + "," * 11 + "\n"),
        (_scores, _MQM + _OUTPUT + "\t" * 8 + "\n"),
        (_segments, _TABLE + "\t\t\n"),
        (_segments, _TABLE.replace("\t", ";") + ";;\n"),
    ],
)
def test_rows_without_content_below_a_table_are_passed_over(
    read: Reading, content: str, tmp_path: Path
) -> None:
    """mozilla/pontoon#4451."""
    assert read(tmp_path, content) == 1


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (_blocks, (_FIVE_WAY + _BLOCK) * 2),
        (_blocks, _VOTES * 2),
        (_scores, (_MQM + _OUTPUT) * 2),
        (_segments, _TABLE * 2),
    ],
)
def test_header_of_a_second_table_below_the_first_is_refused(
    read: Reading, content: str, tmp_path: Path
) -> None:
    """A system called "system" was scored, and a segment "source" judged."""
    with pytest.raises(FormatError, match="line 3: the line repeats the header"):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("x.tmx", '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "t">\n<tmx version="1.4">', "TMX"),
        ("x.xliff", '<?xml version="1.0"?>\n<xliff version="1.2">', "XLIFF"),
        ("x.po", '# German\nmsgid ""\nmsgstr ""\n', "a catalogue of messages"),
        ("x.csv", '"Hello.","Hallo.","Guten Tag."\n', "without the header of a table"),
        ("x.csv", "sep=;\nsource;a;b\nHi.;Ho.;Hu.\n", "instruction for Excel"),
        ("x.7z", b"7z\xbc\xaf\x27\x1c\x00\x04", "a 7z archive"),
        ("x.rar", b"Rar!\x1a\x07\x01\x00", "a RAR archive"),
        ("x.tsv.xz", b"\xfd7zXZ\x00\x00\x04", "compressed with xz"),
        ("x.tsv.bz2", b"BZh91AY&SY\xe4", "compressed with bzip2"),
        ("x.txt", b"%PDF-1.7\n%\xe2", "a PDF"),
    ],
)
def test_single_file_that_is_no_test_set_is_named(
    name: str, content: str | bytes, problem: str
) -> None:
    """WeblateOrg/weblate#18087, deepset-ai/haystack#525."""
    assert problem in _problem(_stored(name, content))


def test_workbook_is_named_among_archives() -> None:
    names = ("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml")
    files = [_stored(name, '<?xml version="1.0"?><a/>') for name in names]
    assert "an Excel workbook" in _problem(*files)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<!DOCTYPE html>\n<html><title>404</title></html>", "online-c.de: the file is a web page"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:1b\n", "online-c.de: .*Git LFS"),
    ],
)
def test_output_that_was_not_downloaded_is_named(content: str, problem: str) -> None:
    texts = {"src.en": "Hello.\n", "online-a.de": "Hallo.\n", "online-b.de": "Guten Tag.\n"}
    files = [_stored(name, text) for name, text in texts.items()]
    assert _problem(*files) == ""
    with pytest.raises(FormatError, match=problem):
        raise inspect(recognise("u", [*files, _stored("online-c.de", content)])).error or ValueError


@pytest.mark.parametrize("text", ["nan", "NaN", "NULL", "\\N", "<NA>"])
def test_name_of_a_missing_value_in_place_of_a_text_is_warned_about(text: str) -> None:
    """biolab/orange3-prototypes#177: judges saw "nan" as an output."""
    table = _TABLE + f"Bye.\tTschüss.\t{text}\n"
    (warning,) = inspect(recognise("u", [_stored("ts.tsv", table)])).warnings
    assert "the name of a missing value" in warning
    assert "segment 2" in warning
    assert "online-b" in warning


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ('{\n  "source": "Hello."\n}\n', "jq -c"),
        ('{"source": "Hello.", "outputs": {}},\n', "remove the comma at the end of the line"),
    ],
)
def test_objects_over_several_lines_and_commas_between_them_are_explained(
    content: str, remedy: str
) -> None:
    """davidjurgens/potato#41."""
    assert remedy in _problem(_stored("ts.jsonl", content))


def test_score_with_a_decimal_comma_is_read() -> None:
    row = _SCORE.replace(",", ";").replace(";80;", ";72,5;")
    _format, (judgment,), _losses = read_spans_file(InputFile("f", io.BytesIO(row.encode())))
    assert judgment.outputs[0].score == 72.5
