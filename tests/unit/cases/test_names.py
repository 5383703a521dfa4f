"""Names that hold characters nobody sees."""

import io
import unicodedata

import pytest

from campaign.formats import FormatError, InputFile, read_test_set, system_name_problem

UNSEEN = ["\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\u00ad", "\ufe0f"]


@pytest.mark.parametrize("character", UNSEEN, ids=ascii)
def test_names_of_systems_and_documents_have_no_unseen_character(
    character: str,
) -> None:
    assert system_name_problem("ONLINE-A") is None
    problem = system_name_problem(f"ONLINE{character}-A")
    assert problem is not None
    assert f"U+{ord(character):04X}" in problem
    table = f"document\tsource\tA\nd\ts\ta\nd{character}1\ts\ta\n"
    with pytest.raises(FormatError) as caught:
        list(read_test_set(source=InputFile("t.tsv", io.BytesIO(table.encode()))))
    assert caught.value.line == 3


def test_no_format_character_that_sets_direction_is_in_a_name() -> None:
    controls = [chr(code) for code in range(0x110000) if unicodedata.bidirectional(chr(code)) in
                {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}]  # fmt: skip
    assert controls
    assert all(system_name_problem(f"a{each}b") for each in controls)


def test_unseen_characters_in_texts_are_kept() -> None:
    text = "می\u200cخواهم"
    table = f"source\tA\ns\t{text}\n"
    (found,) = read_test_set(source=InputFile("t.tsv", io.BytesIO(table.encode())))
    assert found.outputs["A"] == text
