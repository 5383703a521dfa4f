"""What an inspection says of files before anything is stored."""

import gzip
import io
from collections.abc import Iterable

import pytest

from campaign.formats.inspecting import Inspection, SystemFacts, inspect
from campaign.formats.recognising import recognise
from campaign.formats.streams import StoredFile

SOURCE = [f"A sentence with the number {n} in it." for n in range(1, 101)]
AMBER = [f"Ein Satz mit der Nummer {n} darin." for n in range(1, 101)]
BIRCH = [f"Ein Satz, {n} ist seine Nummer." for n in range(1, 101)]


def lines(texts: Iterable[str], end: str = "\n") -> bytes:
    return "".join(text + end for text in texts).encode()


def look(**contents: bytes) -> Inspection:
    """Inspect files that are called as the arguments, with "_" for "."."""

    def stored(name: str, data: bytes) -> StoredFile:
        return StoredFile(name.replace("_", "."), lambda: io.BytesIO(data))

    return inspect(
        recognise("set", [stored(name, data) for name, data in contents.items()]),
    )


def of(system: str, found: Inspection) -> SystemFacts:
    return next(facts for facts in found.systems if facts.name == system)


def test_files_that_fit_have_nothing_against_them() -> None:
    found = look(src_en=lines(SOURCE), amber_de=lines(AMBER), birch_de=lines(BIRCH))
    assert (found.error, found.left_out, found.identical_systems) == (None, (), ())
    assert (found.segments, found.documents, found.references) == (100, 1, 0)
    assert found.languages == ("en", "de")
    amber = of("amber", found)
    assert (amber.outputs, amber.repeated, amber.copied) == (100, 0, 0)
    assert amber.outlier_count == 0
    assert amber.usual_ratio == pytest.approx(len(AMBER[50]) / len(SOURCE[50]))


@pytest.mark.parametrize(
    ("data", "encoding", "ends", "count", "compressed"),
    [
        (lines(SOURCE), "UTF-8", "LF", 100, False),
        (b"\xef\xbb\xbf" + lines(SOURCE, "\r\n"), "UTF-8 with a byte-order mark", "CRLF", 100, False),
        (lines(SOURCE, "\r"), "UTF-8", "CR", 100, False),
        (lines(SOURCE[:50]) + lines(SOURCE[50:], "\r\n"), "UTF-8", "mixed", 100, False),
        (lines(SOURCE)[:-1], "UTF-8", "LF", 100, False),
        (gzip.compress(lines(SOURCE)), "UTF-8", "LF", 100, True),
    ],
)  # fmt: skip
def test_a_file_says_its_encoding_and_lines(
    data: bytes,
    encoding: str,
    ends: str,
    count: int,
    compressed: bool,
) -> None:
    source = look(src_en=data, amber_de=lines(AMBER)).files[0]
    assert (source.encoding, source.line_ends, source.lines) == (encoding, ends, count)
    assert (source.compressed, source.error) == (compressed, None)


def test_line_ends_are_counted_across_chunks() -> None:
    half = b"x" * (256 * 1024 - 1)
    source = look(src_en=half + b"\r\n" + b"y", amber_de=b"a\nb\n").files[0]
    assert (source.line_ends, source.lines) == ("CRLF", 2)


def test_bytes_that_are_not_utf_8_are_placed() -> None:
    found = look(src_en=lines(SOURCE), amber_de=lines(AMBER) + b"\xe9\n")
    amber = found.files[1]
    assert amber.encoding is None
    assert amber.error is not None
    assert (amber.error.line, amber.error.column) == (101, 1)
    assert found.error is not None
    assert found.error.file == "amber.de"


def test_file_refused_by_the_import_is_refused() -> None:
    shifted = [*AMBER[:30], "", *AMBER[30:]]
    found = look(src_en=lines(SOURCE), amber_de=lines(shifted), birch_de=lines(BIRCH))
    assert found.error is not None
    assert (found.error.file, found.error.line) == ("amber.de", 31)
    assert found.segments == 30


def test_a_reference_may_have_gaps() -> None:
    reference = [*AMBER[:10], "", *AMBER[11:]]
    found = look(
        src_en=lines(SOURCE),
        ref_de=lines(reference),
        amber_de=lines(AMBER),
        birch_de=lines(BIRCH),
    )
    assert (found.error, found.references) == (None, 1)


def test_outputs_that_come_again_or_copy_the_source_are_counted() -> None:
    outputs = [*AMBER[:90], *["Nein."] * 6, *SOURCE[96:]]
    amber = of("amber", look(src_en=lines(SOURCE), amber_de=lines(outputs)))
    assert (amber.repeated, amber.repeated_example, amber.copied) == (5, "Nein.", 4)
    # The same source again may have the same output again.
    twice = look(src_en=lines([*SOURCE, *SOURCE]), amber_de=lines([*AMBER, *AMBER]))
    assert of("amber", twice).repeated == 0


def test_outputs_of_another_length_than_this_systems_stand_out() -> None:
    outputs = [*AMBER[:40], AMBER[40] * 9, *AMBER[41:60], "Ja.", *AMBER[61:]]
    amber = of("amber", look(src_en=lines(SOURCE), amber_de=lines(outputs)))
    assert amber.outlier_count == 2
    assert {(each.number, each.output[:3]) for each in amber.outliers} == {
        (41, "Ein"),
        (61, "Ja."),
    }
    assert amber.outliers[0].ratio == pytest.approx(len("Ja.") / len(SOURCE[60]))
    # A system that is long everywhere has no outlier: it is compared with itself.
    long = of(
        "amber",
        look(src_en=lines(SOURCE), amber_de=lines([text * 5 for text in AMBER])),
    )
    assert long.outlier_count == 0
    assert long.usual_ratio is not None
    assert long.usual_ratio > 4


def test_more_outliers_than_are_shown_are_counted() -> None:
    texts = [f"{'x' * 40}{n}" for n in range(1_000)]
    outputs = [
        "z" * 100_000 if n == 5 else "y" if n % 10 == 3 else f"{'z' * 40}{n}"
        for n in range(1_000)
    ]
    amber = of("amber", look(src_en=lines(texts), amber_de=lines(outputs)))
    assert amber.outlier_count == 101
    assert [each.output[:9] for each in amber.outliers] == ["z" * 9, *["y"] * 4]


def test_systems_that_say_the_same_everywhere_are_named() -> None:
    found = look(
        src_en=lines(SOURCE),
        amber_de=lines(AMBER),
        birch_de=lines(BIRCH),
        cedar_de=lines(AMBER),
    )
    assert found.identical_systems == (("amber", "cedar"),)


def test_beginnings_of_plain_texts_are_kept_for_a_guess_of_the_language() -> None:
    inspection = look(
        src_en=lines(SOURCE * 3),
        amber_de=lines(["a" * 30_000, *["b"] * 299]),
    )
    source, output = inspection.files
    assert source.beginning.startswith(f"{SOURCE[0]}\n{SOURCE[1]}\n")
    assert len(source.beginning.split("\n")) == 200
    assert output.beginning == "a" * 20_000
