"""Texts and names that look like others, or like what no translation is: told, never changed."""

import io
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.archives import folder_files
from campaign.formats.inspecting import Inspection, inspect
from campaign.formats.recognising import SetReading, recognise
from campaign.formats.streams import StoredFile

CASES = Path(__file__).parents[2] / "data" / "cases" / "files"


def of_case(name: str) -> Inspection:
    return inspect(
        recognise(name, folder_files(CASES / name)),
        SetReading(reference_system="_ref"),
    )


def of_texts(texts: dict[str, list[str]]) -> Inspection:
    def stored(name: str) -> StoredFile:
        content = "".join(f"{line}\n" for line in texts[name]).encode()
        return StoredFile(name, lambda: io.BytesIO(content))

    return inspect(recognise("set", [stored(name) for name in texts]))


@pytest.mark.parametrize(
    ("case", "count"),
    [
        ("19-byte-order-mark-in-the-middle", "1 segment"),
        ("20-nfc-and-nfd", "3 segments"),
    ],
)
def test_outputs_that_look_the_same_are_counted(case: str, count: str) -> None:
    found = of_case(case)
    assert found.error is None
    (warning,) = found.warnings
    assert warning.startswith("alpha and beta look the same")
    assert count in warning


def test_names_that_differ_in_case_only_are_told() -> None:
    (warning,) = of_case("23-systems-differ-in-case").warnings
    assert "ONLINE-A and Online-A" in warning


@pytest.mark.parametrize(
    ("case", "count", "place"),
    [
        ("59-genmt-sources-of-refused-systems", "4 texts", "segment 1 "),
        ("80-tsv-after-a-spreadsheet-with-dates-and-formulas", "1 text", "segment 2 "),
    ],
)
def test_marks_that_no_translation_has_are_told_with_the_first_place(
    case: str,
    count: str,
    place: str,
) -> None:
    found = of_case(case)
    assert found.error is None
    (warning,) = [each for each in found.warnings if "blanks" not in each]
    assert count in warning
    assert place in warning
    assert "the output of" in warning


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("&lt;b&gt;", True),
        ("it&#39;s", True),
        ("&#x27;", True),
        ("R&D; AT&T", False),
        ("```json", True),
        ("#REF!", True),
        ("#DIV/0! here", True),
        ("#N/A", True),
        ("#value & #name", False),
    ],
)
def test_marks_are_told_wherever_they_stand(text: str, is_told: bool) -> None:
    texts = {
        "src.en": ["One.", "Two."],
        "alpha.de": ["Ein.", text],
        "beta.de": ["1.", "2."],
    }
    for name in texts:
        other = texts | {"alpha.de": ["Ein.", "Zwei."]} | {name: ["Eins.", text]}
        assert bool(of_texts(other).warnings) == is_told


SYSTEMS = ("alpha", "beta", "gamma")
# The same to the eye as "Fünf Säcke"; none begins or ends with white space, which readers drop.
LOOKS = ("Fünf Säcke", "Fu\u0308nf Sa\u0308cke", "Fünf\u00a0Säcke", "Fünf\u2009 Säcke", "\ufeffFünf Säcke", "Fünf Säc\u200bke", "Fünf Säcke\u2060")  # fmt: skip


@given(
    st.lists(
        st.tuples(*[st.tuples(st.sampled_from(LOOKS), st.booleans()) for _ in SYSTEMS]),
        min_size=1,
        max_size=8,
    ),
)
def test_invisible_changes_are_counted_by_pair(
    rows: list[tuple[tuple[str, bool], ...]],
) -> None:
    outputs = {
        system: [look if alike else f"{look} {system}" for look, alike in column]
        for system, column in zip(SYSTEMS, zip(*rows, strict=True), strict=True)
    }
    expected = Counter[frozenset[str]]()
    for row in rows:
        for (one, (a, a_alike)), (two, (b, b_alike)) in combinations(
            zip(SYSTEMS, row, strict=True),
            2,
        ):
            expected[frozenset((one, two))] += a_alike and b_alike and a != b
    # A mark at the very beginning of a file is the file's, not the text's.
    files = {f"{name}.de": [f"Von {name}.", *lines] for name, lines in outputs.items()}
    found = of_texts({"source.en": [f"S{n}" for n in range(len(rows) + 1)]} | files)
    assert found.error is None
    words = [warning.split() for warning in found.warnings]
    assert {frozenset((each[0], each[2])): int(each[7]) for each in words} == {
        pair: count for pair, count in expected.items() if count
    }
