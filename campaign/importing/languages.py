"""Languages as files spell them ("Czech", "ces", "cs") as one BCP 47 tag ("cs")."""

from typing import Final

from django.conf.locale import LANG_INFO

# The three-letter codes of WMT's later files; Django only knows names and tags.
_THREE_LETTERS: Final = {
    "ara": "ar", "ben": "bn", "ces": "cs", "cze": "cs", "deu": "de", "ger": "de", "ell": "el",
    "eng": "en", "est": "et", "eus": "eu", "fas": "fa", "fin": "fi", "fra": "fr", "fre": "fr",
    "guj": "gu", "hau": "ha", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "isl": "is",
    "ita": "it", "jpn": "ja", "kaz": "kk", "khm": "km", "kor": "ko", "lav": "lv", "lit": "lt",
    "nld": "nl", "pol": "pl", "por": "pt", "pus": "ps", "ron": "ro", "rum": "ro", "rus": "ru",
    "spa": "es", "tam": "ta", "tur": "tr", "ukr": "uk", "urd": "ur", "xho": "xh", "zho": "zh",
    "chi": "zh", "zul": "zu",
}  # fmt: skip
_NAMES: Final = {info["name"].lower(): tag for tag, info in LANG_INFO.items() if "name" in info} | {
    "chinese": "zh",
    "farsi": "fa",
    "norwegian": "no",
    "haitian creole": "ht",
}


def language_tag(name: str) -> str:
    """Return the tag of a language given by name, three-letter code or tag; else `name` itself."""
    name = name.strip()
    key = name.lower()
    return _THREE_LETTERS.get(key) or _NAMES.get(key) or name
