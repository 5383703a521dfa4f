"""Spellings of addresses with internationalised domains."""

import pytest

from campaign.texts.addresses import (
    address_canonical,
    address_in_unicode,
    address_key,
    address_spellings,
)

PUNYCODE = "Ada@xn--bcher-kva.example"


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("Ada@bücher.example", PUNYCODE),
        ("Ada@BÜCHER.EXAMPLE", PUNYCODE),
        (PUNYCODE, PUNYCODE),
        (" Ada@XN--BCHER-KVA.example ", PUNYCODE),
        ("Ada@bu\u0308cher.example", PUNYCODE),
        ("ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"),
        # As browsers do, and unlike IDNA 2003: another domain than strasse.example.
        ("ada@straße.example", "ada@xn--strae-oqa.example"),
        ("Ada@Example.ORG", "Ada@example.org"),
        ("ada@a_b.example", "ada@a_b.example"),
        ("ada@-ü-.example", "ada@-ü-.example"),
        ("nothing", "nothing"),
        ("", ""),
    ],
)
def test_domain_is_stored_as_browsers_send_it(typed: str, canonical: str) -> None:
    assert address_canonical(typed) == canonical


def test_all_spellings_have_one_key() -> None:
    spellings = ["ada@bücher.example", PUNYCODE, "ADA@BÜCHER.example"]
    assert len({address_key(spelling) for spelling in spellings}) == 1
    assert address_key("ada@bücher.example") != address_key("ada@bucher.example")


def test_people_read_unicode() -> None:
    assert address_in_unicode(PUNYCODE) == "Ada@bücher.example"
    assert address_in_unicode("ada@xn--99999999.example") == "ada@xn--99999999.example"
    assert address_in_unicode("ada@example.org") == "ada@example.org"


def test_older_rows_are_found_by_either_spelling() -> None:
    both = [PUNYCODE, "Ada@bücher.example"]
    assert (
        address_spellings(PUNYCODE) == address_spellings("Ada@bücher.example") == both
    )
    assert address_spellings("ada@example.org") == ["ada@example.org"]
