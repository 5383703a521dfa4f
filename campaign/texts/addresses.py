"""E-mail addresses: an internationalised domain has two spellings, in Unicode and in Punycode, and is one address."""

from typing import Final

import idna

_PUNYCODE: Final = "xn--"


def address_canonical(address: str) -> str:
    """Return an address with its domain in lower case and in Punycode, as browsers send it.

    Domains follow UTS #46 without transitional mappings, so `straße.example` is not `strasse.example`. An address whose
    domain is not valid keeps it, in lower case.
    """
    local, separator, domain = address.strip().rpartition("@")
    return local + separator + _domain(domain)


def _domain(domain: str) -> str:
    if domain.isascii():
        return domain.lower()
    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        return domain.lower()


def address_in_unicode(address: str) -> str:
    """Return an address with its domain in Unicode, for people to read."""
    local, separator, domain = address.rpartition("@")
    if _PUNYCODE not in domain.lower():
        return address
    try:
        return local + separator + idna.decode(domain)
    except idna.IDNAError:
        return address


def address_key(address: str) -> str:
    """Return a text that is equal for all spellings of an address, also in upper and lower case."""
    return address_canonical(address).lower()


def address_spellings(address: str) -> list[str]:
    """Return the spellings under which an address may be stored, the canonical one first.

    Addresses stored before they were made canonical may have their domain in Unicode.
    """
    canonical = address_canonical(address)
    return list(dict.fromkeys([canonical, address_in_unicode(canonical)]))
