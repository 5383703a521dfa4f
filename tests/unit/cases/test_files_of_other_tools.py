"""Files that users of other tools reported: each is read as it is meant, or refused by its name."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from campaign.formats import FormatError, InputFile
from campaign.formats.inspecting import inspect
from campaign.formats.metric_scores import read_metric_scores
from campaign.formats.recognising import recognise
from campaign.formats.streams import StoredFile
from protocols.spans.files.formats import read_spans_file
from ranking.files.reading import detect_input_format, read_judgments

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
    _format, judgments, _losses = read_spans_file(
        InputFile("f", io.BytesIO(content.encode()))
    )
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


_LONG: Final = "word " * 50_000


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (_blocks, f'prompt,model_a,model_b,winner\n"{_LONG}",x,y,tie\n'),
        (_scores, f'{_MQM}A\td\t1\t1\tr\tHi.\t"{_LONG}"\tNo-error\tNo-error\n'),
        (_segments, f'source\ta\tb\n"{_LONG}"\tx\ty\n'),
        (_segments, f'source,a,b\n"{_LONG}",x,y\n'),
    ],
)
def test_cell_may_be_as_long_as_a_line(
    read: Reading, content: str, tmp_path: Path
) -> None:
    """1Panel-dev/MaxKB#6756, simonw/datasette-lite#84: the csv module stops at 131,072 characters."""
    assert read(tmp_path, content) == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "content", [_FIVE_WAY + _BLOCK, _VOTES, _MQM + _OUTPUT, _SCORE, _TABLE]
)
def test_file_in_utf16_is_named_at_every_door(content: str, encoding: str) -> None:
    """doccano/doccano#1870."""
    data = content.encode(encoding)
    for read in (read_spans_file, detect_input_format):
        with pytest.raises(FormatError, match="in UTF-16"):
            read(InputFile("f", io.BytesIO(data)))
    with pytest.raises(FormatError, match="in UTF-16"):
        read_metric_scores([_stored("f", data)])
    assert "in UTF-16" in _problem(_stored("ts.tsv", data))


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (_blocks, _FIVE_WAY + _BLOCK),
        (_blocks, _VOTES),
        (_scores, _SCORE),
        (_scores, _MQM + _OUTPUT),
        (_segments, _TABLE),
    ],
)
@pytest.mark.parametrize(
    ("end", "mark"), [("\r", ""), ("\r\n", "\ufeff"), ("\n", "\ufeff\ufeff")]
)
def test_line_ends_and_byte_order_marks_of_every_system_are_read(
    read: Reading, content: str, end: str, mark: str, tmp_path: Path
) -> None:
    """mjpost/sacrebleu#24, biolab/orange3#7000; a program put a second mark before the first."""
    assert read(tmp_path, mark + content.replace("\n", end)) == 1


@pytest.mark.parametrize(
    ("read", "content", "problem"),
    [
        (
            _blocks,
            "model_a,model_b,winner,winner\nx,y,tie,model_a\n",
            "winner.*appears twice",
        ),
        (
            _scores,
            _MQM.replace("rater", "rater\trater") + _OUTPUT,
            "rater.*appears twice",
        ),
        (_segments, "source\ta\ta\nHi.\tx\ty\n", "a.*appears twice"),
        (
            _blocks,
            'model_a,prompt,model_b,winner\nx,"Hi\nthere",y,tie\n',
            "cell continues on",
        ),
        (_segments, "source,a,b\nWhat is 1+1?,2,3\n", "no column of texts .*: a, b"),
        (_blocks, _FIVE_WAY + _BLOCK.replace(",j,", ",5.6E+23,"), "5.6E.*has rounded"),
        (_scores, _SCORE.replace("ann", "5.6e+23"), "5.6e.*has rounded"),
        (
            _blocks,
            "id,model_a,model_b,winner\n1.72E+18,x,y,tie\n",
            "1.72E.*has rounded",
        ),
        (_scores, _SCORE.replace(",10,20", ",1711467971385,20"), "seconds since 1970"),
    ],
)
def test_table_that_could_be_misread_is_refused(
    read: Reading, content: str, problem: str, tmp_path: Path
) -> None:
    """netbox-community/netbox#11990 and DiscourseDB#30 (columns twice), promptfoo (line breaks), langgenius/dify#23108
    (numbers as texts), sinking8/x-24-us-election#2 (ids in scientific notation), vmiklos/plees-tracker#583 (milliseconds).
    """
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, content)


def test_judge_of_a_column_with_gaps_is_the_same_judge(tmp_path: Path) -> None:
    """SauersML/gam#1162: pandas writes 7 as 7.0 where a judge is missing elsewhere; 007 is another judge."""
    rows = [_BLOCK.replace(",j,", f",{judge},") for judge in ("7", "7.0", "007")]
    path = tmp_path / "judgments"
    path.write_text(_FIVE_WAY + "".join(rows), encoding="utf-8")
    assert read_judgments([str(path)]).judges == 2


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
        (
            "x.tmx",
            '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "t">\n<tmx version="1.4">',
            "TMX",
        ),
        ("x.xliff", '<?xml version="1.0"?>\n<xliff version="1.2">', "XLIFF"),
        ("x.po", '# German\nmsgid ""\nmsgstr ""\n', "a catalogue of messages"),
        ("x.csv", '"Hello.","Hallo.","Guten Tag."\n', "without the header of a table"),
        ("x.csv", "sep=;\nsource;a;b\nHi.;Ho.;Hu.\n", "instruction for Excel"),
        ("x.7z", b"7z\xbc\xaf\x27\x1c\x00\x04", "a 7z archive"),
        ("x.rar", b"Rar!\x1a\x07\x01\x00", "a RAR archive"),
        ("x.tsv.xz", b"\xfd7zXZ\x00\x00\x04", "compressed with xz"),
        ("x.tsv.bz2", b"BZh91AY&SY\xe4", "compressed with bzip2"),
        ("x.txt", b"%PDF-1.7\n%\xe2", "a PDF"),
        (
            "x.txt",
            "hyp.de\tSegment 0\tscore: 0.0494\nhyp.de\tscore: 0.04\n",
            "comet-score",
        ),
        ("x.parquet", b"PAR1\x15\x04", "in Parquet"),
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
        (
            "<!DOCTYPE html>\n<html><title>404</title></html>",
            "online-c.de: the file is a web page",
        ),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:1b\n",
            "online-c.de: .*Git LFS",
        ),
    ],
)
def test_output_that_was_not_downloaded_is_named(content: str, problem: str) -> None:
    texts = {
        "src.en": "Hello.\n",
        "online-a.de": "Hallo.\n",
        "online-b.de": "Guten Tag.\n",
    }
    files = [_stored(name, text) for name, text in texts.items()]
    assert _problem(*files) == ""
    with pytest.raises(FormatError, match=problem):
        raise (
            inspect(recognise("u", [*files, _stored("online-c.de", content)])).error
            or ValueError
        )


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
        (
            '{"source": "Hello.", "outputs": {}},\n',
            "remove the comma at the end of the line",
        ),
    ],
)
def test_objects_over_several_lines_and_commas_between_them_are_explained(
    content: str, remedy: str
) -> None:
    """davidjurgens/potato#41."""
    assert remedy in _problem(_stored("ts.jsonl", content))


def test_score_with_a_decimal_comma_is_read() -> None:
    row = _SCORE.replace(",", ";").replace(";80;", ";72,5;")
    _format, (judgment,), _losses = read_spans_file(
        InputFile("f", io.BytesIO(row.encode()))
    )
    assert judgment.outputs[0].score == 72.5
