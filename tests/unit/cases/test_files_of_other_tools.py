"""Files that users of other tools reported: each is read as it is meant, or refused by its name."""

import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from campaign.formats import FormatError, InputFile, read_five_way_csv
from campaign.formats.inspecting import inspect
from campaign.formats.recognising import opened_set, recognise
from campaign.formats.records import SegmentTexts
from campaign.formats.score_files import read_metric_scores
from campaign.formats.streams import StoredFile
from protocols.frame.scale.rating_records import rating_objects
from protocols.quiz.snippet_rows import snippet_rows
from protocols.spans.files.formats import read_spans_file
from ranking.files.reading import detect_input_format, read_judgments
from tests.media_samples import png

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
        InputFile("f", io.BytesIO(content.encode())),
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
    read: Reading,
    content: str,
    tmp_path: Path,
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
    read: Reading,
    content: str,
    tmp_path: Path,
) -> None:
    """1Panel-dev/MaxKB#6756, simonw/datasette-lite#84: the csv module stops at 131,072 characters."""
    assert read(tmp_path, content) == 1


def _gzipped(data: bytes) -> bytes:
    """Compress without the time of day, so that all test processes name the test alike."""
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (_TABLE.encode("utf-32"), "in UTF-32"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Excel workbook"),
        (b"$FL2@(#) SPSS DATA FILE" + bytes(200), "an SPSS file"),
        (_gzipped(b"X\n\0\0\0\3\0\4\2\0" + bytes(range(99))), "an R object"),
        (_gzipped(b"RDX3\nX\n\0\0\0\3\0\4" + bytes(99)), "R data"),
        (b"ARROW1\0\0" + bytes(256), "an Arrow or Feather file"),
        (b"\x93NUMPY\1\0v\0{'descr': '<f8'}" + bytes(40), "an array of NumPy"),
        (b"\x80\4\x95\x10" + bytes(40), "a pickle"),
        (b"\x89HDF\r\n\x1a\n" + bytes(64), "an HDF5 file"),
        (b"Obj\1\4\x16avro.schema" + bytes(64), "an Avro file"),
        (b"\x04\x22\x4d\x18" + bytes(64), "compressed with lz4"),
    ],
)
def test_binary_file_is_not_called_utf16(data: bytes, name: str) -> None:
    """Half of a workbook of Excel 97 is zeros, UTF-32 begins like UTF-16, and data of statistics have zeros."""
    assert name in _problem(_stored("ts.tsv", data))
    with pytest.raises(FormatError, match=name):
        detect_input_format(InputFile("f", io.BytesIO(data)))


@pytest.mark.parametrize(
    "data",
    [b"unknown" + bytes(99), b"source\ta\tb\nHello.\tHallo.\tGuten" + bytes(16)],
)
def test_runs_of_zeros_are_no_text(data: bytes) -> None:
    """A power cut leaves zeros at the end of a file; other files have them throughout."""
    assert "contains runs of NUL bytes, so it is no text" in _problem(
        _stored("ts.tsv", data),
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "content",
    [_FIVE_WAY + _BLOCK, _VOTES, _MQM + _OUTPUT, _SCORE, _TABLE],
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
    ("end", "mark"),
    [("\r", ""), ("\r\n", "\ufeff"), ("\n", "\ufeff\ufeff")],
)
def test_line_ends_and_byte_order_marks_of_every_system_are_read(
    read: Reading,
    content: str,
    end: str,
    mark: str,
    tmp_path: Path,
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
            (_FIVE_WAY + _BLOCK).replace(",", ";").replace(";j;", ";4,892E+092;"),
            "4,892E.*has rounded",
        ),
        (
            _segments,
            'source;a;b\nHi.;sie sagt "ja;y\n"a; b";"c ""d""";e\n',
            "line 2: the quotation marks .* line 3 has more cells",
        ),
        (
            _segments,
            'source, a, b\n"Hi, you.", "x, y", z\n',
            "line 2: the quotation marks .* line 2 has more cells",
        ),
        (
            _blocks,
            "id,model_a,model_b,winner\n1.72E+18,x,y,tie\n",
            "1.72E.*has rounded",
        ),
        (_scores, _SCORE.replace(",10,20", ",1711467971385,20"), "seconds since 1970"),
        (
            _scores,
            '{"segment": 1, "judge": "j", "outputs": [{"systems": ["A"], "score": 5}], "ended_at": 1711467971385}\n',
            "seconds since 1970",
        ),
    ],
)
def test_table_that_could_be_misread_is_refused(
    read: Reading,
    content: str,
    problem: str,
    tmp_path: Path,
) -> None:
    """netbox-community/netbox#11990 and DiscourseDB#30 (columns twice), promptfoo (line breaks), langgenius/dify#23108
    (numbers as texts), sinking8/x-24-us-election#2 (ids in scientific notation), vmiklos/plees-tracker#583 (milliseconds),
    archimatetool/archi#192 (ids with a decimal comma), OpenRefine/OpenRefine#690 and ljramones/trips#76 (a lone quote shifts other rows).
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
        (_blocks, f"{_VOTES}\ufeff{_VOTES}"),
        (_scores, f"{_MQM}{_OUTPUT}\ufeff{_MQM}{_OUTPUT}"),
        (_segments, f"\ufeff{_TABLE}\ufeff{_TABLE}"),
    ],
)
def test_header_of_a_second_table_below_the_first_is_refused(
    read: Reading,
    content: str,
    tmp_path: Path,
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
        ("x.xlf", "<?xml version='1.0'?>\n<!-- by x -->\n<xliff>", "XLIFF"),
        ("x.xlf", '<?xml version="1.0"?><x:xliff xmlns:x="urn:x">', "XLIFF"),
        ("x.tmx", "<?xml version='1.0'?><!-- a --><!-- b --><tmx>", "TMX"),
        ("x.ts", '<?xml version="1.0"?><!DOCTYPE TS><TS>', "in XML"),
        ("x.srt", "1\n00:00:01,000 --> 00:00:02,000\nHi.\n", "subtitles"),
        ("x.csv", "source|a|b\nHi.|Hallo.|Hu.\n", "separated by |"),
        ("x.json", '{"source":{"0":"Hi."},"a":{"0":"Hu."}}', "for each column"),
        (
            "x.json",
            '{"columns":["source","a"],"index":[0],"data":[["Hi.","Hu."]]}',
            "all rows in one object",
        ),
        (
            "x.csv",
            "src,mt,ref,score\nHi.,Hallo.,Hallo.,0.8\n",
            "without the header of a table",
        ),
    ],
)
def test_single_file_that_is_no_test_set_is_named(
    name: str,
    content: str | bytes,
    problem: str,
) -> None:
    """WeblateOrg/weblate#18087, deepset-ai/haystack#525."""
    assert problem in _problem(_stored(name, content))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("Prodigy", '{"text": "Hi.", "_task_hash": 8, "accept": ["A"]}\n'),
        ("INCEpTION", "#FORMAT=WebAnno TSV 3.3\n#T_SP=a|b\n"),
        ("INCEpTION", '{"%TYPES": {}, "%FEATURE_STRUCTURES": []}'),
        ("LightTag", '{"examples": [{"example_id": "1", "content": "Hi."}]}'),
        ("Mechanical Turk", '"HITId","HITTypeId","Title"\n"3A","3B","Rate"\n'),
        ("Toloka", "INPUT:source\tOUTPUT:rating\tASSIGNMENT:worker_id\nHi.\t4\tw\n"),
        ("AlpacaEval", '[{"generator_1": "a", "generator_2": "b", "preference": 1.0}]'),
        ("separated by |", "system|doc|seg_id\nA|d|1\n"),
        ("for each column", '{"segment": {"0": 1}, "judge": {"0": "ann"}}'),
    ],
)
def test_answers_of_other_tools_are_named_where_answers_are_asked_for(
    name: str,
    content: str,
    tmp_path: Path,
) -> None:
    """HumanSignal/label-studio-converter#59, kororo/excelcy#5, mitcho/turktools#18."""
    for read in (_blocks, _scores):
        with pytest.raises(FormatError, match=re.escape(name)):
            read(tmp_path, content)


def test_subtitles_of_systems_are_refused() -> None:
    texts = {"src.en": "Hello.\n", "online-a.de": "Hallo.\n"}
    files = [_stored(name, text) for name, text in texts.items()]
    subtitles = _stored("b.de.srt", "1\n00:00:01,000 --> 00:00:02,000\nHallo.\n")
    assert "b.de.srt: the file is a file of subtitles" in _problem(*files, subtitles)


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (_blocks, _FIVE_WAY + "1," + _BLOCK),
        (_scores, _MQM + '"1"\t' + _OUTPUT),
        (_segments, '"source"\t"a"\t"b"\n"1"\t"Hi."\t"Hallo."\t"Hu."\n'),
    ],
)
def test_names_of_rows_that_r_writes_are_named(
    read: Reading,
    content: str,
    tmp_path: Path,
) -> None:
    """Rdatatable/data.table#763: the header of write.table has no cell for the names of rows."""
    with pytest.raises(FormatError, match="without names of rows"):
        read(tmp_path, content)


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


@pytest.mark.parametrize("text", ["nan", "NaN", "NULL", "\\N", "<NA>", "NA"])
def test_name_of_a_missing_value_in_place_of_a_text_is_warned_about(text: str) -> None:
    """biolab/orange3-prototypes#177: judges saw "nan" as an output; tidyverse/readr#928: R writes NA."""
    table = _TABLE + f"Bye.\tTschüss.\t{text}\n"
    (warning,) = inspect(recognise("u", [_stored("ts.tsv", table)])).warnings
    assert "the name of a missing value" in warning
    assert "segment 2" in warning
    assert "online-b" in warning


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("TschÃ¼ss.", "letters in a wrong encoding"),
        ("Itâ€™s gone.", "letters in a wrong encoding"),
        ("Ð¿ÑЂ РїСЂ Ð¿Ð¾Ðº", "letters in a wrong encoding"),
        ("ä½\xa0å¥½", "letters in a wrong encoding"),
        ("Tsch\ufffdss.", "replacement characters"),
        ("Tschüss._x000D_", "escapes of a workbook"),
    ],
)
def test_damaged_letters_are_warned_about(text: str, mark: str) -> None:
    """gbif/portal-feedback#3795, clld/grambank#18: UTF-8 that a program read as Windows-1252 and wrote again."""
    table = _TABLE + f"Bye.\tTschüss.\t{text}\n"
    (warning,) = inspect(recognise("u", [_stored("ts.tsv", table)])).warnings
    assert mark in warning
    assert "segment 2" in warning


@pytest.mark.parametrize(
    "text",
    ["INFORMAÇÃO", "«CAFÉ»", "SÃO PAULO", "10 °C – “Ärger”", "Жизнь", "你好", "x_x0_"],
)
def test_letters_of_other_languages_are_not_warned_about(text: str) -> None:
    table = _TABLE + f"Bye.\tTschüss.\t{text}\n"
    assert list(inspect(recognise("u", [_stored("ts.tsv", table)])).warnings) == []


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ('{\n  "source": "Hello."\n}\n', "jq -c"),
        (
            '{"source": "Hello.", "outputs": {}},\n',
            "remove the comma at the end of the line",
        ),
        (
            '{"source": "Hello.", "outputs": {}}\n\ufeff{"source": "Bye.", "outputs": {}}\n',
            "remove the byte order mark",
        ),
    ],
)
def test_objects_over_several_lines_and_commas_between_them_are_explained(
    content: str,
    remedy: str,
) -> None:
    """davidjurgens/potato#41."""
    assert remedy in _problem(_stored("ts.jsonl", content))


def test_score_with_a_decimal_comma_is_read() -> None:
    row = _SCORE.replace(",", ";").replace(";80;", ";72,5;")
    _format, (judgment,), _losses = read_spans_file(
        InputFile("f", io.BytesIO(row.encode())),
    )
    assert judgment.outputs[0].score == 72.5


def test_apostrophes_before_formulas_are_removed_after_a_spreadsheet_with_semicolons() -> (
    None
):
    """woocommerce/woocommerce#25379: "'-" became part of the text. Spreadsheets with a decimal comma separate by semicolons."""
    (segment,) = _read_set("source;a;b\n'- Hi.;'- Hallo.;Guten Tag.\n")
    assert segment.source == "- Hi."
    assert segment.outputs == {"a": "- Hallo.", "b": "Guten Tag."}
    (segment,) = _read_set("source\ta\tb\nHi.\t'-t was.\tGuten Tag.\n")
    assert segment.outputs["a"] == "'-t was."


def _read_set(content: str) -> list[SegmentTexts]:
    recognised = recognise("upload", [_stored("ts.csv", content)])
    with opened_set(recognised) as segments:
        return list(segments)


def test_names_of_files_from_macos_are_composed() -> None:
    """vassalengine/vassal#3248: macOS writes é in names of files as e and an accent, so that tables name another file."""
    texts = {"src.en": "Hello.\n", "e\u0301.de": "Hallo.\n", "b.de": "Guten Tag.\n"}
    found = recognise("u", [_stored(name, text) for name, text in texts.items()])
    assert sorted(file.system or "" for file in found.files) == ["", "b", "\xe9"]


def test_pictures_of_an_archive_from_macos_are_found() -> None:
    """uewepuep/FPVTracksideCore#75: a picture called "é.png" in a table, and "e" with an accent in the archive."""
    table = "source\ta\tb\nHi.\t\xe9.png\t\xe9.png\n"
    files = [_stored("ts.tsv", table), _stored("e\u0301.png", png())]
    assert _problem(*files) == ""


def test_names_that_look_the_same_are_told() -> None:
    table = "source\te\u0301\t\xe9\nHi.\tHallo.\tGuten Tag.\n"
    (warning,) = inspect(recognise("u", [_stored("ts.tsv", table)])).warnings
    assert "look the same but are different names" in warning


@pytest.mark.parametrize(
    ("block", "systems"),
    [
        ("en,de,1,d,1,j,1,A,2,B,NA,2\n", ["A", "B"]),
        ("en,de,1,d,1,j,1,A,NA,NA,1,NA\n", ["A"]),
        ("en,de,1,d,1,j,1,A,2,NA,1,2\n", ["A", "NA"]),
        ("en,de,1,d,1,j,-1,A,-1,PLACEHOLDER,1,-1\n", ["A"]),
        ("en;de;1;d;1;j;1;A;2;B;1,0;2,0\n", ["A", "B"]),
    ],
)
def test_ranks_that_are_missing_or_have_decimals_are_read(
    block: str,
    systems: list[str],
) -> None:
    """tidyverse/readr#928 (R writes NA), cfedermann/Appraise#48 (PLACEHOLDER fills a row), and pandas with a decimal comma."""
    separator = ";" if ";" in block else ","
    table = _FIVE_WAY.replace(",", separator) + block
    (row,) = read_five_way_csv(io.BytesIO(table.encode()), "t.csv")
    assert [name for names in row.candidates for name in names] == systems


def test_votes_of_mt_bench_are_read(tmp_path: Path) -> None:
    """lm-sys/FastChat#3252: a judge with two answers in two orders counts as a tie."""
    vote = '{"question_id": 81, "model_a": "x", "model_b": "y", "winner": "tie (inconsistent)", "judge": ["gpt-4", "pair-v2"], "turn": 1}\n'
    path = tmp_path / "votes"
    path.write_text(vote, encoding="utf-8")
    blocks = read_judgments([str(path)]).blocks
    assert blocks.judges == ("gpt-4 pair-v2",)
    assert blocks.labels.tolist() == [[1, 1]]


def test_columns_of_votes_are_read_in_any_case(tmp_path: Path) -> None:
    assert _blocks(tmp_path, _VOTES.replace("model_a,", "Model_A,")) == 1


@pytest.mark.parametrize(
    ("content", "score", "spans"),
    [
        (_SCORE.replace("False", "FALSE"), 80, []),
        (_SCORE.replace(",", "\t"), 80, []),
        (_SCORE.replace(",80,", ",66.66666666666667,"), 66.66666666666667, []),
        (_SCORE.replace(",10,20", ",NA,NA"), 80, []),
        (
            _SCORE.replace(
                "[]", '"[{""start_i"": 0, ""end_i"": 1, ""severity"": ""Major""}]"',
            ),
            80,
            [(0, 2)],
        ),
        (_MQM.upper() + _OUTPUT.replace("Hallo", "<v>Ha</v>llo"), None, []),
        (
            _MQM.title() + _OUTPUT.replace("No-error", "Major").replace("Ha", "<v>Ha</v>"),
            None,
            [(0, 2)],
        ),
    ],
)  # fmt: skip
def test_scored_files_after_spreadsheets_pandas_and_r_are_read(
    content: str,
    score: float | None,
    spans: list[tuple[int, int]],
) -> None:
    """Spreadsheets write FALSE and tabs, pandas means of scores, R NA; headers and severities may be in capitals."""
    _format, (judgment,), losses = read_spans_file(
        InputFile("f", io.BytesIO(content.encode())),
    )
    (output,) = judgment.outputs
    assert output.score == score
    assert [(span.start, span.end) for span in output.spans or ()] == spans
    assert losses == ()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_positions_of_a_pearmut_log_count_carriage_returns(end: str) -> None:
    """HumanSignal/label-studio#539: labels moved by a place for each line of a text from Windows."""
    shown = f"One{end}two{end}three"
    first = shown.index("three") - shown.count("\n")
    marked = {"start_i": first, "end_i": first + 4, "severity": "minor"}
    entry = {
        "annotation": [{"A": {"score": 5, "error_spans": [marked]}}],
        "actions": [{"time": 1, "action": "load"}, {"time": 2, "action": "submit"}],
        "item": [
            {"item_id": "d_#_0", "src": f"Eins{end}zwei", "tgt": {"A": shown}},
        ],
        "user_id": "j",
        "item_i": 0,
    }  # fmt: skip
    _format, (judgment,), _losses = read_spans_file(
        InputFile("log", io.BytesIO(f"{json.dumps(entry)}\n".encode())),
    )
    (output,) = judgment.outputs
    (span,) = output.spans or ()
    assert output.text == "One\ntwo\nthree"
    assert output.text[span.start : span.end] == "three"
    assert judgment.source == "Eins\nzwei"


@pytest.mark.parametrize(
    ("content", "tool"),
    [
        (
            '[{"id": 1, "annotations": [{"id": 1, "completed_by": 1, "result": []}], "data": {"text": "a"}}]',
            "Label Studio",
        ),
        (
            '[{"text_1": "x", "text_2": "y", "id": 556, "annotator": 1, "annotation_id": 7}]',
            "Label Studio",
        ),
        (
            "annotation_id,annotator,created_at,id,lead_time,ranking\n7,1,2023-08-28,1,6.77,left\n",
            "Label Studio",
        ),
        ('{"id": 1, "text": "abc", "label": [[0, 3, "minor"]]}\n', "doccano"),
        (
            '{"id": "x", "fields": {"text": "a"}, "responses": {"ranking": [{"value": ["a"]}]}}\n',
            "Argilla",
        ),
        (
            '{"id": "1", "displayed_text": "x", "label_annotations": {"pref": {"A": "true"}}}\n',
            "Potato",
        ),
        (
            "user\tinstance_id\tdisplayed_text\tpref:::A\tpref:::B\nu\t1\tx\ttrue\t\n",
            "Potato",
        ),
    ],
)
def test_exports_of_annotation_tools_are_named_where_answers_are_asked_for(
    content: str,
    tool: str,
) -> None:
    """HumanSignal/label-studio#4699 and doccano/doccano#2264 show such files; keys that they lack were named instead."""
    for read in (read_spans_file, detect_input_format):
        with pytest.raises(FormatError, match=tool) as error:
            read(InputFile("f", io.BytesIO(content.encode())))
        assert "docs/formats-judgments.md" in error.value.remedy


_RATING: Final = {
    "segment": 1,
    "systems": ["A"],
    "judge": "j",
    "criterion": "fluency",
    "value": 4,
}


@pytest.mark.parametrize(
    "table",
    [
        "segment,systems,judge,criterion,value,duration_ms,condition\n1,A,j,fluency,4,NA,NA\n",
        "Segment,Systems,Judge,Criterion,VALUE\n1,A,j,fluency,4\n",
        '"";"segment";"systems";"judge";"criterion";"value"\n"1";1;"A";"j";"fluency";4,0\n',
    ],
)
def test_ratings_that_r_and_spreadsheets_saved_are_read(table: str) -> None:
    """tidyverse/readr#928."""
    (row,) = rating_objects(InputFile("r.csv", io.BytesIO(table.encode())))
    assert row[1] == _RATING


def test_column_of_ratings_that_appears_twice_is_refused() -> None:
    """netbox-community/netbox#11990: the second of the two columns counted."""
    table = "segment,systems,judge,criterion,value,Value\n1,A,j,fluency,4,5\n"
    with pytest.raises(FormatError, match="appears twice"):
        list(rating_objects(InputFile("r.csv", io.BytesIO(table.encode()))))


def test_carriage_return_in_a_scored_text_is_refused_with_its_remedy() -> None:
    """Positions would count it, and the text of the test set has none."""
    output = {"systems": ["A"], "score": 5, "text": "a\r\nb"}
    content = json.dumps({"segment": "1", "judge": "j", "outputs": [output]})
    with pytest.raises(FormatError, match="000D") as error:
        read_spans_file(InputFile("f", io.BytesIO(content.encode())))
    assert error.value.remedy == r"write a line break as \n"


def test_results_converted_from_utf16_are_refused_with_their_declaration(
    tmp_path: Path,
) -> None:
    """The remedy for a file in UTF-16 leaves its declaration as it is."""
    path = tmp_path / "results.xml"
    path.write_text('<?xml version="1.0" encoding="utf-16"?>\n<results/>')
    with pytest.raises(FormatError, match="encoding") as error:
        read_judgments([str(path)])
    assert 'encoding="utf-8"' in error.value.remedy


def test_names_of_files_in_capitals_and_locks_of_office_are_recognised() -> None:
    """4teamwork/opengever.core#1702: "~$" begins the name of a file that Office has open."""
    texts = {
        "SOURCE.EN.GZ": "Hello.\n",
        "REF.DE.TXT": "Hallo.\n",
        "ALPHA.DE.TXT": "Hallo.\n",
        "BETA.DE.TXT": "Guten Tag.\n",
        "~$ALPHA.DE.TXT": "\x05Anna",
    }
    found = recognise("u", [_stored(name, text) for name, text in texts.items()])
    roles = {file.name: file.role.value for file in found.files}
    assert roles == {
        "SOURCE.EN.GZ": "source",
        "REF.DE.TXT": "reference",
        "ALPHA.DE.TXT": "system",
        "BETA.DE.TXT": "system",
    }
    assert found.litter == 1


def test_endings_of_score_files_and_snippets_are_read_in_capitals() -> None:
    (metric,) = read_metric_scores([_stored("M.SEG.SCORE", "A\t1\n")])
    assert metric.values.tolist() == [[1]]
    table = (
        "snippet,document,first,last,statement,expected\nn-1,n,1,4,It is new.,TRUE\n"
    )
    ((_line, snippet),) = snippet_rows(_stored("SNIPPETS.CSV", table))
    assert snippet["snippet"] == "n-1"
