"""Test sets whose texts name pictures, recordings and videos: where names may be, and which are refused."""

import gzip
import io
import json
import struct
from base64 import b64encode, encodebytes
from collections.abc import Mapping
from functools import partial
from urllib.parse import quote

import pytest

from campaign.formats.errors import FormatError
from campaign.formats.inspecting import inspect
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import opened_set, recognise
from campaign.formats.records import MediaFile, SegmentTexts
from campaign.formats.streams import StoredFile
from campaign.importing.inspection_report import inspection_report, language_guess
from campaign.texts.media import marked_text
from tests.media_samples import SAMPLES, png, wav

LOW, HIGH = wav(220), wav(880)
Files = dict[str, bytes | str]


def stored(files: Mapping[str, bytes | str]) -> list[StoredFile]:
    return [
        StoredFile(
            name,
            partial(
                io.BytesIO,
                content.encode() if isinstance(content, str) else content,
            ),
        )
        for name, content in files.items()
    ]


def read(
    files: Mapping[str, bytes | str],
    omissions: Omissions | None = None,
) -> tuple[list[SegmentTexts], list[MediaFile]]:
    media: list[MediaFile] = []
    with opened_set(
        recognise("set", stored(files)),
        omissions=omissions,
        media=media.append,
    ) as segments:
        return list(segments), media


def kinds(text: str) -> list[str]:
    return [name.rpartition(".")[2] for name in marked_text(text).media]


TABLE = "source\talpha\tbeta\nSay this.\taudio/alpha/1.wav\taudio/beta/1.wav\n"
SOUNDS = {"audio/alpha/1.wav": LOW, "audio/beta/1.wav": HIGH}


def test_cells_of_a_table_name_recordings() -> None:
    [segment], media = read({"set.tsv": TABLE, **SOUNDS})
    assert segment.source == "Say this."
    assert [marked_text(text).media for text in segment.outputs.values()] == [
        [file.name] for file in media
    ]
    assert len(media) == 2


def test_equal_recordings_are_one_text() -> None:
    files: Files = {"set.tsv": TABLE, "audio/alpha/1.wav": LOW, "audio/beta/1.wav": LOW}
    [segment], _media = read(files)
    assert len(set(segment.outputs.values())) == 1


def test_name_may_lack_folders() -> None:
    table = "source\talpha\tbeta\nSay this.\tlow.wav\t./data/audio/high.wav\n"
    [segment], _media = read(
        {"set.tsv": table, "audio/low.wav": LOW, "audio/high.wav": HIGH},
    )
    assert [kinds(text) for text in segment.outputs.values()] == [["wav"], ["wav"]]


def test_capital_letters_may_differ() -> None:
    files = {**SOUNDS, "audio/Alpha/1.WAV": HIGH}
    [segment], media = read(
        {"set.tsv": TABLE.replace("beta/1.wav", "Beta/1.WAV"), **files},
    )
    assert marked_text(segment.outputs["alpha"]).media == [media[0].name]
    assert marked_text(segment.outputs["beta"]).media == [media[1].name]
    with pytest.raises(FormatError, match="not among"):
        read({"set.tsv": TABLE.replace("alpha/1.wav", "ALPHA/1.WAV"), **files})


def test_line_of_a_text_names_a_picture() -> None:
    line = {
        "source": "What is on this picture?\npictures/1.png",
        "outputs": {"alpha": "A grey square.", "beta": "Nothing."},
    }
    [segment], _media = read({"set.jsonl": json.dumps(line), "pictures/1.png": png()})
    assert marked_text(segment.source).words == "What is on this picture?"
    assert kinds(segment.source) == ["png"]
    assert segment.outputs == line["outputs"]


def test_folders_hold_recordings_by_system() -> None:
    files: Files = {
        "source.txt": "One.\nTwo.\n",
        "alpha/2.wav": LOW,
        "alpha/10.wav": HIGH,
        "beta/2.wav": HIGH,
        "beta/10.wav": LOW,
    }
    segments, _media = read(files)
    assert [segment.source for segment in segments] == ["One.", "Two."]
    # 2 comes before 10.
    assert segments[0].outputs["alpha"] == segments[1].outputs["beta"]
    assert segments[0].outputs.keys() == {"alpha", "beta"}


def test_sources_may_be_recordings() -> None:
    files: Files = {
        "source/1.wav": LOW,
        "alpha/1.mp3": SAMPLES["mp3"],
        "beta/1.flac": SAMPLES["flac"],
    }
    omissions = Omissions()
    [segment], _media = read(files, omissions)
    assert kinds(segment.source) == ["wav"]
    assert any("types" in warning for warning in omissions.warnings)


def pearmut(source: str) -> str:
    item = {"item_id": "1", "src": source, "tgt": {"alpha": "One.", "beta": "Two."}}
    return json.dumps({"campaign_id": "study", "info": {}, "data": [[[item]]]})


def test_pearmut_shows_local_assets() -> None:
    tags = (
        "Look.<br><img src='assets/my%20picture.png' width=3>"
        '<video controls><source src="assets/1.mp4" type="video/mp4"></video>'
    )
    files: Files = {
        "study.json": pearmut(tags),
        "assets/my picture.png": png(),
        "assets/1.mp4": SAMPLES["mp4"],
    }
    [segment], _media = read(files)
    assert kinds(segment.source) == ["png", "mp4"]
    assert "<img" not in segment.source
    assert "<video" not in segment.source


def test_pearmut_serves_assets_under_another_name() -> None:
    campaign = json.loads(pearmut("<img src='assets/mine/1.png'>"))
    campaign["info"]["assets"] = {"source": "pictures", "destination": "assets/mine"}
    [segment], _media = read(
        {"study.json": json.dumps(campaign), "pictures/1.png": png()},
    )
    assert kinds(segment.source) == ["png"]


WMT = {
    "doc_id": "en-de_#_speech_#_talk_#_1",
    "src_lang": "en",
    "tgt_lang": "de",
    "src_text": "Welcome.",
    "video": "assets/talk.mp4",
    "screenshot": None,
}


def test_lines_of_wmt_name_videos() -> None:
    files: Files = {
        "wmt.jsonl": json.dumps(WMT),
        **{
            f"{system}.jsonl": json.dumps(
                {"doc_id": WMT["doc_id"], "hypothesis": f"{system}."},
            )
            for system in ("alpha", "beta")
        },
    }
    [segment], _media = read(files)
    assert segment.source == "Welcome."
    [segment], _media = read({**files, "assets/talk.mp4": SAMPLES["mp4"]})
    assert marked_text(segment.source).words == "Welcome."
    assert kinds(segment.source) == ["mp4"]


def test_exported_texts_are_read_with_their_files() -> None:
    [segment], media = read({"set.tsv": TABLE, **SOUNDS})
    exported = json.dumps({"source": segment.source, "outputs": segment.outputs})
    files: Files = {f"media/{file.name}": file.content for file in media}
    [again], _media = read({"texts.jsonl": exported, **files})
    assert again.outputs == segment.outputs
    with pytest.raises(FormatError, match="not among the files"):
        read({"texts.jsonl": exported})


def test_file_that_no_text_names_is_reported() -> None:
    omissions = Omissions()
    read({"set.tsv": TABLE, **SOUNDS, "logo.png": png()}, omissions)
    assert omissions.left_out == [("logo.png", "no text names it")]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            {"set.tsv": TABLE, "audio/alpha/1.wav": LOW},
            'the output of beta of segment 1 names "audio/beta/1.wav", which is not among',
        ),
        ({"set.tsv": TABLE}, "which is not among the files"),
        (
            {
                "set.tsv": TABLE.replace("audio/beta", "https://example.org/beta"),
                "audio/alpha/1.wav": LOW,
            },
            "remote address https://example.org/beta/1.wav",
        ),
        (
            {"set.tsv": TABLE, **SOUNDS, "audio/beta/1.wav": b"No sound."},
            "the file is text",
        ),
        (
            {
                "set.tsv": TABLE.replace(".wav", ".wav.gz"),
                "audio/alpha/1.wav.gz": gzip.compress(LOW),
            },
            "compressed with gzip",
        ),
        (
            {"study.json": pearmut("<img src='https://example.org/1.png'>")},
            "remote address",
        ),
        (
            {"set.tsv": TABLE.replace("1.wav", "1.wav#t=2,1.5"), **SOUNDS},
            "the output of alpha of segment 1 shows seconds 2.000 to 1.500",
        ),
        (
            {"study.json": pearmut("<audio src='assets/1.mp3'></audio>")},
            "not among the files",
        ),
        (
            {
                "source/1.wav": LOW,
                "source/2.wav": LOW,
                "alpha/1.wav": LOW,
                "beta/1.wav": LOW,
            },
            'there is no recording or picture "2", which source has',
        ),
    ],
)
def test_set_is_refused(files: Mapping[str, bytes | str], problem: str) -> None:
    with pytest.raises(FormatError) as refused:
        read(files)
    assert problem in str(refused.value)


SEGMENTS = (
    "- {duration: 0.25, offset: 0.1, rW: 9, speaker_id: spk.1, uW: 0, wav: talk.wav}\n"
)
TEXTS: Files = {
    "tst.en": "One.\nTwo.\n",
    "tst.alpha.de": "Eins.\nZwei.\n",
    "tst.beta.de": "Ein.\nZwo.\n",
    "talk.wav": LOW,
}


def test_segmentation_of_iwslt_cuts_recordings_into_clips() -> None:
    segmentation = SEGMENTS + SEGMENTS.replace("0.1,", "0.2,")
    omissions = Omissions()
    segments, media = read({**TEXTS, "tst.yaml": segmentation}, omissions)
    assert [marked_text(segment.source).words for segment in segments] == [
        "One.",
        "Two.",
    ]
    assert [kinds(segment.source) for segment in segments] == [["wav"], ["wav"]]
    assert [file.seconds for file in media] == [0.25, 0.25]
    assert media[0] != media[1]
    assert not omissions.left_out


@pytest.mark.parametrize(
    ("segments", "problem"),
    [
        (SEGMENTS, "tst.en: it has 2 segments, but the segmentation has 1"),
        (SEGMENTS * 3, "tst.en: it has 2 segments, but the segmentation has 3"),
        (SEGMENTS.replace("offset: 0.1, ", "") * 2, "no segmentation"),
        (SEGMENTS.replace("0.25", "soon") * 2, "no segmentation"),
        (
            SEGMENTS.replace("0.1", "9.5") * 2,
            "the source of segment 1 shows seconds 9.500 to 9.750, but the recording ends at",
        ),
        (SEGMENTS.replace("0.25", "0") * 2, "a part must end after its beginning"),
        (SEGMENTS.replace("0.25", "-0.05") * 2, "a part must end after its beginning"),
        (SEGMENTS.replace("0.1", "-0.1") * 2, "a part cannot begin before"),
        (SEGMENTS.replace("0.1", "0.5") * 2, "the recording ends at 0.500 s"),
        (
            SEGMENTS + SEGMENTS.replace("0.25", "30"),
            "of segment 2 shows seconds 0.100 to 30.100, but the recording ends at 0.500 s",
        ),
        (SEGMENTS.replace("0.25", ".nan") * 2, "no segmentation"),
        (
            SEGMENTS.replace("talk", "other") * 2,
            'names "other.wav", which is not among',
        ),
        ("name: talk\n", "no segmentation"),
    ],
)
def test_segmentation_is_refused(segments: str, problem: str) -> None:
    with pytest.raises(FormatError) as refused:
        read({**TEXTS, "tst.yaml": segments})
    assert problem in str(refused.value)


def test_segmentation_may_name_recordings_with_spaces() -> None:
    segmentation = SEGMENTS.replace("talk.wav", "the talk.wav") * 2
    files = {**TEXTS, "the talk.wav": LOW, "tst.yaml": segmentation}
    segments, _media = read(files)
    assert [marked_text(segment.source).words for segment in segments] == [
        "One.",
        "Two.",
    ]


def test_part_may_end_a_little_after_its_recording() -> None:
    table = TABLE.replace("1.wav", "1.wav#t=0.1,0.54")
    _segments, media = read({"set.tsv": table, **SOUNDS})
    assert media[0].seconds == pytest.approx(0.4, abs=0.001)


@pytest.mark.parametrize(
    ("fragment", "seconds"),
    [
        ("0.1,0.3", 0.2),
        ("npt:0.1,0.3", 0.2),
        (",0.3", 0.3),
        ("0.3", 0.2),
        ("0:00.1,00:00:00.3", 0.2),
        ("npt:0.1s,0.3s", 0.2),
    ],
)
def test_times_of_media_fragments_are_read(fragment: str, seconds: float) -> None:
    table = TABLE.replace("1.wav", f"1.wav#t={fragment}")
    _segments, media = read({"set.tsv": table, **SOUNDS})
    assert media[0].seconds == pytest.approx(seconds, abs=0.001)


@pytest.mark.parametrize(
    "fragment",
    [
        "t=",
        "t=-0.1,0.3",
        "t=0.1,",
        "t=0.1,0.2,0.3",
        "t=smpte:0:0:1",
        "t=0:75,2:00",
        "t=a",
        "track=1",
    ],
)
@pytest.mark.parametrize("words", ["", "Listen to "])
def test_other_fragments_of_recordings_are_refused(words: str, fragment: str) -> None:
    table = TABLE.replace("audio/alpha/1.wav", f"{words}audio/alpha/1.wav#{fragment}")
    with pytest.raises(FormatError, match="the output of alpha of segment 1"):
        read({"set.tsv": table, **SOUNDS})


def test_file_may_have_the_sign_of_a_fragment_in_its_name() -> None:
    table = TABLE.replace("1.wav", "a#1.wav")
    sounds = {name.replace("1.wav", "a#1.wav"): sound for name, sound in SOUNDS.items()}
    _segments, media = read({"set.tsv": table, **sounds})
    assert len(media) == 2


@pytest.mark.parametrize(
    ("code", "bits", "extension"),
    [
        (1, 16, b""),
        (1, 24, b""),
        (0xFFFE, 16, b"\1"),
        (0xFFFE, 24, b"\1"),
        (3, 32, b""),
        (0xFFFE, 32, b"\3"),
    ],
)
def test_parts_of_any_wav_are_cut(code: int, bits: int, extension: bytes) -> None:
    size = bits // 8
    form = struct.pack("<HHIIHH", code, 1, 8000, 8000 * size, size, bits)
    if extension:
        guid = extension + bytes.fromhex("00000000001000800000aa00389b71")
        form += struct.pack("<HHI", 22, bits, 4) + guid
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", 8000 * size) + bytes(8000 * size)
    whole = b"RIFF" + struct.pack("<I", len(body)) + body
    table = TABLE.replace("1.wav", "1.wav#t=0.25,0.75")
    _segments, media = read({"set.tsv": table, **dict.fromkeys(SOUNDS, whole)})
    assert {file.seconds for file in media} == {0.5}


def test_part_of_another_recording_than_wav_is_refused() -> None:
    table = "source\talpha\tbeta\nSay this.\t1.mp3#t=0,1\t1.mp3\n"
    with pytest.raises(FormatError, match="use WAV"):
        read({"set.tsv": table, "1.mp3": SAMPLES["mp3"]})


EMBEDDED = b64encode(png()).decode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"data:image/png;base64,{EMBEDDED}", ""),
        (f"data:image/png;base64,{quote(EMBEDDED)}", ""),
        (f"![](data:image/png;base64,{EMBEDDED})", ""),
        (f'Look: <img src="data:image/png;base64,{EMBEDDED}"/>', "Look:"),
        (EMBEDDED, ""),
        (encodebytes(png()).decode(), ""),
        (f"data:image/png;base64,{encodebytes(png()).decode()}", ""),
    ],
)
def test_files_in_base64_are_shown(text: str, words: str) -> None:
    line = json.dumps({"source": text, "outputs": {"alpha": "A cat", "beta": "A dog"}})
    [segment], media = read({"set.jsonl": line})
    assert segment.source.replace(f"[media:{media[0].name}]", "").strip() == words
    assert kinds(segment.source) == ["png"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"data:image/png;base64,{EMBEDDED[:-7]}", "not complete base64"),
        ("data:image/svg+xml;utf8,%3Csvg/%3E", "not complete base64"),
        (f"data:image/png;base64,{EMBEDDED[:40]}", "of segment 1"),
    ],
)
def test_incomplete_base64_is_refused_by_its_text(text: str, problem: str) -> None:
    line = json.dumps({"source": text, "outputs": {"alpha": "A cat", "beta": "A dog"}})
    with pytest.raises(FormatError, match=problem):
        read({"set.jsonl": line})


def test_words_about_data_stay() -> None:
    text = "See data:image/ and photo.jpg in the report."
    line = json.dumps({"source": text, "outputs": {"alpha": "A", "beta": "B"}})
    [segment], media = read({"set.jsonl": line})
    assert (segment.source, media) == (text, [])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("manifest.csv", "source,alpha,beta\nSay.,1.wav,1.wav\n"),
        ("MANIFEST.tsv", "source\talpha\tbeta\nSay.\t1.wav\t1.wav\n"),
        (
            "manifest.jsonl",
            '{"source": "Say.", "outputs": {"alpha": "1.wav", "beta": "1.wav"}}',
        ),
    ],
)
def test_manifest_with_sources_is_a_table(name: str, content: str) -> None:
    [segment], _media = read({name: content, "1.wav": LOW})
    assert kinds(segment.outputs["alpha"]) == ["wav"]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"talk.wav": LOW}, "no text beside talk.wav"),
        (
            {"talk.wav": LOW, "manifest.json": '{"audio_filepath": "talk.wav"}'},
            "its first line has audio_filepath",
        ),
        ({"talk.wav": LOW, "manifest.txt": "talk.wav\n"}, "header of a table"),
    ],
)
def test_recordings_without_a_table_are_refused(files: Files, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        read(files)


def test_picture_in_base64_in_a_line_of_wmt_is_shown_below_its_source() -> None:
    line = {
        "doc_id": "en-de_DE_#_news_#_visit",
        "src_text": "Look",
        "image": f"data:image/png;base64,{EMBEDDED}",
        "tgt_text": {"alpha": "A", "beta": "B"},
    }
    [segment], _media = read({"set.jsonl": json.dumps(line)})
    assert segment.source.startswith("Look\n[media:")


def test_source_that_is_a_remote_picture_is_refused_without_files() -> None:
    table = "source\talpha\tbeta\nhttps://example.org/1.png\tA cat\tA dog\n"
    with pytest.raises(FormatError, match="remote address"):
        read({"set.tsv": table})


@pytest.mark.parametrize("is_list", [True, False])
def test_tasks_of_label_studio_are_named(is_list: bool) -> None:
    task = {"id": 1, "data": {"image": f"data:image/png;base64,{EMBEDDED}"}}
    content = json.dumps([task] if is_list else task)
    with pytest.raises(FormatError, match="Label Studio"):
        read({"tasks.json": content})


def test_check_names_the_files_of_sample_segments() -> None:
    table = TABLE.replace("alpha/1.wav", "alpha/1.wav#t=0,0.25")
    [segment] = inspect(recognise("set", stored({"set.tsv": table, **SOUNDS}))).sample
    assert segment.outputs == {
        "alpha": "[recording audio/alpha/1.wav, 0.000 to 0.250 s]",
        "beta": "[recording audio/beta/1.wav]",
    }


def test_recordings_have_no_length_to_compare() -> None:
    inspection = inspect(recognise("set", stored({"set.tsv": TABLE, **SOUNDS})))
    assert [(system.outputs, system.usual_ratio) for system in inspection.systems] == [
        (1, None),
        (1, None),
    ]


def test_names_of_pictures_have_no_language() -> None:
    files: Files = {"source.txt": "What is this?\n" * 6}
    for number in range(1, 7):
        for system in ("gen-a", "gen-b"):
            files[f"{system}/my picture {number}.png"] = png(number)
    recognised = recognise("set", stored(files))
    report = inspection_report(recognised, inspect(recognised))
    languages = {file["name"]: file["language"] for file in report["files"]}
    assert languages == {"source.txt": "en", "gen-a.txt": None, "gen-b.txt": None}


def test_marks_have_no_language() -> None:
    assert language_guess(f"[media:{'c20a0a13' * 4}.png]\n" * 20) is None
