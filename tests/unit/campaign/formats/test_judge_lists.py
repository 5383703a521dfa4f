"""Lists of judges, as people paste and export them, and as attackers would."""

import unicodedata

import pytest

from campaign.formats import FormatError
from campaign.formats.judge_lists import (
    MAX_BYTES,
    MAX_ROWS,
    JudgeRow,
    judge_list_decode,
    judge_list_read,
)


def rows(text: str) -> list[JudgeRow]:
    return list(judge_list_read(text).rows)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ada@example.org", [("ada@example.org", "")]),
        (" ada@example.org ; bob@example.org,", [("ada@example.org", ""), ("bob@example.org", "")]),
        ("Ada Lovelace <ada@example.org>", [("ada@example.org", "Ada Lovelace")]),
        ('"Lovelace, Ada" <ada@example.org>; Bob <bob@example.org>', [("ada@example.org", "Lovelace, Ada"), ("bob@example.org", "Bob")]),
        ("Ada Lovelace, ada@example.org", [("ada@example.org", "Ada Lovelace")]),
        ("ada@example.org\tAda Lovelace", [("ada@example.org", "Ada Lovelace")]),
        ("Ada Lovelace ada@example.org", [("ada@example.org", "Ada Lovelace")]),
        ("Ada  Lovelace", [("", "Ada Lovelace")]),
        ("a@example.org, nobody, b@example.org", [("a@example.org", ""), ("nobody", ""), ("b@example.org", "")]),
        # From mail programs, tables and chats.
        ("Lovelace, Ada <ada@example.org>; Babbage, Bob <bob@example.org>", [("ada@example.org", "Lovelace, Ada"), ("bob@example.org", "Babbage, Bob")]),
        ("ada@example.org bob@example.org", [("ada@example.org", ""), ("bob@example.org", "")]),
        ("- ada@example.org", [("ada@example.org", "")]),
        ("12. Ada <ada@example.org>", [("ada@example.org", "Ada")]),
        ("mailto:ada@example.org?subject=Hello", [("ada@example.org", "")]),
        ("'ada@example.org'.", [("ada@example.org", "")]),
        ("\u200bada@example.org\u00a0", [("ada@example.org", "")]),
        ("ada＠example.org", [("ada@example.org", "")]),
        # Chinese, Japanese and Arabic commas and semicolons; google/paco 921, part-up 376.
        (
            "ada@example.org、ben@example.org",
            [("ada@example.org", ""), ("ben@example.org", "")],
        ),
        (
            "ada@example.org، ben@example.org؛ cleo@example.org",
            [
                ("ada@example.org", ""),
                ("ben@example.org", ""),
                ("cleo@example.org", ""),
            ],
        ),
        ("o'brien+wmt@example.org", [("o'brien+wmt@example.org", "")]),
    ],
)  # fmt: skip
def test_addresses_are_read_with_and_without_names(
    line: str,
    expected: list[tuple[str, str]],
) -> None:
    assert [(row.address, row.name) for row in rows("\n" + line)] == expected
    assert {row.line for row in rows("\n" + line)} == {2}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_table_is_read_by_its_header(separator: str) -> None:
    header = separator.join(
        ["Name", "E-Mail address", "Languages", "Groups", "Conflicts", "Phone"],
    )
    cells = [
        "Ada  Lovelace",
        "Ada@Example.org",
        "en de",
        '"panel, experts"',
        '"A;B"',
        "12",
    ]
    found = judge_list_read(f"\ufeff{header}\r\n\r\n{separator.join(cells)}\r\n")
    assert found.ignored == ["Phone"]
    assert found.rows == [
        JudgeRow(
            line=3,
            address="Ada@Example.org",
            name="Ada Lovelace",
            languages=("en", "de"),
            groups=("panel", "experts"),
            conflicts=("A", "B"),
        ),
    ]


@pytest.mark.parametrize(
    "header",
    ["EMAIL", "e_mail", "E-Mail Addresses", "mail", "Address", "emails"],
)
def test_headers_may_be_written_in_many_ways(header: str) -> None:
    [row] = rows(
        f"{header},LANGUAGE,Expertises,group,Conflicts of Interest\na@example.org,en,law,g,S",
    )
    assert (row.languages, row.expertise, row.groups, row.conflicts) == (
        ("en",),
        ("law",),
        ("g",),
        ("S",),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Name;E-Mail-Adresse;Sprachen\nZoë;zoe@example.org;de",
        "Jméno;E-mailová adresa;Jazyky\nZoë;zoe@example.org;de",
        "Nombre;Correo electrónico;Idiomas\nZoë;zoe@example.org;de",
        "الاسم,البريد الإلكتروني,اللغات\nZoë,zoe@example.org,de",
        "姓名,邮箱,语言\nZoë,zoe@example.org,de",
        "Name,E-mail 1 - Value,Language\nZoë,zoe@example.org,de",
    ],
)
def test_headers_are_read_in_the_languages_of_the_interface(text: str) -> None:
    """KAMRONBEK/talim-ai#48: headers of other languages became people; roundcube/roundcubemail#7041."""
    read = [(row.address, row.name, row.languages) for row in rows(text)]
    assert read == [("zoe@example.org", "Zoë", ("de",))]


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "cp1252"],
    ids=str,
)
def test_encodings_are_recognised(encoding: str) -> None:
    text = "email;name\nada@example.org;Zoë Müller\n"
    [row] = rows(judge_list_decode(text.encode(encoding)))
    assert row.name == "Zoë Müller"


def test_a_table_of_names_needs_no_addresses() -> None:
    read = [(row.line, row.address, row.name) for row in rows("name;languages\nAda;de")]
    assert read == [(2, "", "Ada")]


def test_names_come_in_one_form() -> None:
    [row] = rows(unicodedata.normalize("NFD", "Zoë Müller <zoe@example.org>"))
    assert row.name == "Zoë Müller"


def test_non_list_is_refused_with_its_line() -> None:
    for content, said in (
        (b"PK\x03\x04" + bytes(50), "workbook"),
        (b"\x1f\x8b" + bytes(50), "archive"),
        (b"a" * (MAX_BYTES + 1), "larger"),
        ("name,email\n张三,z@example.org".encode("gb18030"), "neither in UTF-8"),
        ("name,email\nИван,i@example.org".encode("cp1251"), "neither in UTF-8"),
    ):
        with pytest.raises(FormatError, match=said):
            judge_list_decode(content)
    for text, said in (
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("email,name\n", "is empty"),
        ("a@example.org\nb\x00@example.org", "line 2: the list contains a control"),
        ('email,name\na@example.org,"open', "invalid CSV"),
        ("email,name\na@example.org,b,c", "line 2: the row has 3 cells"),
        ("email,mail\na@example.org,b@example.org", "two columns"),
        ("a@example.org\n" * (MAX_ROWS + 1), "more than 10,000"),
        ('email\n"' + "a" * 10_001 + '"', "more than 10,000"),
        ("Ism;Pochta\nAda;a@example.org\n", "line 1: no column .* Ism;Pochta"),
        ("BEGIN:VCARD\nFN:Ada\nEMAIL:a@example.org\n", "a vCard"),
        ("dn: cn=Ada,mail=a@example.org\nmail: a@example.org\n", "LDIF"),
    ):
        with pytest.raises(FormatError, match=said):
            judge_list_read(text)


def test_ten_thousand_rows_are_read() -> None:
    text = "email,languages\n" + "".join(
        f"j{n}@example.org,en de\n" for n in range(MAX_ROWS)
    )
    assert len(rows(text)) == MAX_ROWS
