"""Settings in a campaign of Pearmut: its protocol, scales, marks of errors, forms and instructions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any, Final, NoReturn

from campaign.formats.errors import FormatError

#: Pearmut's default.
_MISSING: Final = "[missing]"
_KINDS: Final = {"string": "text", "number": "number", "choices": "one"}
_STAGES: Final = {"data_welcome": "start", "data_goodbye": "end"}
_PROTOCOLS: Final = ("DA", "ESA", "cESA", "MQM")
_READ: Final = ("protocol", "sliders", "mqm_categories", "mqm_severities")
_READ_TOO: Final = ("special_tokens", "instructions", "assets")
_ASSIGNMENT: Final = "choose the design, limits and judges in Quintet"
_PAGE: Final = "the judging page has no such option"
_CHECKS: Final = "set up training, quality rules and completion codes in Quintet"
_REASONS: Final = {
    "assignment": _ASSIGNMENT,
    "users": _ASSIGNMENT,
    "docs_per_user": _ASSIGNMENT,
    "dynamic_models": _ASSIGNMENT,
    "dynamic_coldstart": _ASSIGNMENT,
    "dynamic_top": _ASSIGNMENT,
    "dynamic_contrastive_models": _ASSIGNMENT,
    "shuffle": "outputs are always shown in random order",
    "show_model_names": "judges never see which system wrote an output",
    "show_alignment": _PAGE,
    "word_level": _PAGE,
    "slider_colors": _PAGE,
    "show_progress": _PAGE,
    "template": _PAGE,
    "textfield": "judges can comment, but not write texts",
    "validation_threshold": _CHECKS,
    "instructions_goodbye": _CHECKS,
    "data_random_prob": _CHECKS,
    "data_random": _CHECKS,
}
_LINE_END: Final = re.compile(r"<(?:br|/p|/li|/?ul|/?ol|/div|/h[1-6])\b[^>]*>", re.IGNORECASE)
_ITEM: Final = re.compile(r"<li\b[^>]*>", re.IGNORECASE)
_BOLD: Final = re.compile(r"</?(?:b|strong)\b[^>]*>", re.IGNORECASE)
_UNSEEN: Final = re.compile(r"<(style|script)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Slider:
    """A scale from `lowest` to `highest` in steps of one."""

    name: str
    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """A question to judges; `kind` and `stage` are values of `campaign.questions`."""

    kind: str
    stage: str
    text: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """Settings of a campaign of another tool.

    Attributes
    ----------
    protocol : str
        DA, ESA, cESA or MQM; empty if the campaign names none.
    sliders : tuple of Slider
        Scales in place of the score from 0 to 100.
    severities : tuple of str
        In lower case; empty for the defaults.
    categories : tuple of str
        Lines "category: category below, category below"; empty for the defaults.
    marks : tuple of str
        Special marks other than `[missing]`, which `is_missing_marked` stands for.
    """

    protocol: str
    sliders: tuple[Slider, ...]
    severities: tuple[str, ...]
    categories: tuple[str, ...]
    marks: tuple[str, ...]
    is_missing_marked: bool
    instructions: str
    questions: tuple[FormQuestion, ...]


class SettingsReader:
    """Read the settings of a campaign; `left_out` has what is lost, with the reason."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.left_out: list[tuple[str, str]] = []

    def settings(self, campaign: dict[str, Any]) -> CampaignSettings:
        """Return the settings. Raises FormatError, with the key as field, for values that are not Pearmut's."""
        info = campaign.get("info", {})
        if not isinstance(info, dict):
            self._refuse("info", "info is not an object", 'write {"protocol": "ESA"}')
        self._name_losses(info, campaign)
        protocol = info.get("protocol") or ""
        if protocol not in ("", *_PROTOCOLS):
            self._lose("info.protocol", f"{protocol!r} is not a protocol of Pearmut; choose one")
            protocol = ""
        tokens = self._texts("info.special_tokens", info.get("special_tokens", [_MISSING]))
        return CampaignSettings(
            protocol=protocol,
            sliders=tuple(self._sliders(info.get("sliders") or [], protocol)),
            severities=tuple(
                severity.lower()
                for severity in self._texts("info.mqm_severities", info.get("mqm_severities") or [])
            ),
            categories=tuple(self._categories(info.get("mqm_categories") or {})),
            marks=tuple(token for token in tokens if token != _MISSING),
            is_missing_marked=_MISSING in tokens,
            instructions=plain_text(str(info.get("instructions") or "")),
            questions=tuple(
                question
                for key in _STAGES
                for question in self._questions(key, campaign.get(key) or [])
            ),
        )

    def _refuse(self, key: str, problem: str, remedy: str) -> NoReturn:
        raise FormatError(self._file, problem, remedy, field=key)

    def _lose(self, key: str, reason: str) -> None:
        self.left_out.append((f"{self._file}: {key}", reason))

    def _name_losses(self, info: dict[str, Any], campaign: dict[str, Any]) -> None:
        read = ("info", "campaign_id", "data", *_STAGES)
        lost = [f"info.{key}" for key in info if key not in (*_READ, *_READ_TOO)]
        lost += [key for key in campaign if key not in read]
        keys_by_reason: dict[str, list[str]] = {}
        for key in lost:
            reason = _REASONS.get(key.removeprefix("info."), "Quintet has no such setting")
            keys_by_reason.setdefault(reason, []).append(key)
        for reason, keys in keys_by_reason.items():
            self._lose(", ".join(keys), reason)

    def _texts(self, key: str, value: object) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            self._refuse(key, "the value is not a list of texts", 'write ["…", "…"]')
        return [text.strip() for text in value if text.strip()]

    def _sliders(self, value: object, protocol: str) -> Iterator[Slider]:
        if not isinstance(value, list):
            self._refuse("info.sliders", "the sliders are not a list", "write a list of objects")
        if value and protocol != "DA":
            self._lose("info.sliders", "only DA has scales of its own; add a task of ratings")
            return
        for number, slider in enumerate(value):
            key = f"info.sliders[{number}]"
            try:
                name, ends = str(slider["name"]).strip(), (slider["min"], slider["max"])
                step = slider.get("step", 1)
            except (TypeError, KeyError, AttributeError):
                self._refuse(key, "the slider has no name, min and max", "write all three")
            is_short = (
                ends[0] in (0, 1) and isinstance(ends[1], int) and 1 <= ends[1] - ends[0] <= 10
            )
            if not name or step != 1 or not (is_short or ends == (0, 100)):
                self._refuse(
                    key,
                    f"a scale from {ends[0]} to {ends[1]} in steps of {step} cannot be asked",
                    "use 2 to 11 points from 0 or 1, or 0 to 100, in steps of 1",
                )
            yield Slider(name, *ends)

    def _categories(self, value: object) -> Iterator[str]:
        if not isinstance(value, dict):
            self._refuse("info.mqm_categories", "the categories are not an object", "write {…}")
        for name, below in value.items():
            names = self._texts(f"info.mqm_categories.{name}", below)
            if name.strip():
                yield f"{name.strip()}: {', '.join(names)}".removesuffix(": ")

    def _questions(self, key: str, documents: object) -> Iterator[FormQuestion]:
        if not isinstance(documents, list):
            self._refuse(key, "the value is not a list of documents", "write [[{…}]]")
        heading: list[str] = []
        others = scripts = 0
        for item in _items(documents):
            if not isinstance(item, dict) or "form" not in item:
                others += 1
                continue
            text = plain_text(str(item.get("text") or ""))
            kind = _KINDS.get(str(item["form"]))
            if kind is None:
                scripts += item["form"] is not None
                heading.append(text)
                continue
            choices = tuple(
                map(plain_text, self._texts(f"{key}.choices", item.get("choices") or []))
            )
            yield FormQuestion(kind, _STAGES[key], "\n\n".join([*heading, text]), choices)
            heading.clear()
        if others:
            self._lose(f"{others} of {key}", "tutorials: set up training in Quintet")
        if scripts:
            self._lose(f"{scripts} scripts of {key}", "Quintet runs no scripts of a campaign")
        if heading and not scripts:
            self._lose(f"{key}: {heading[-1][:60]}", "a text without a question after it")


def _items(documents: list[Any]) -> Iterator[Any]:
    """Yield the items of documents, which may be in a list for each task."""
    for document in documents:
        if isinstance(document, list):
            yield from _items(document)
        else:
            yield document


def plain_text(html: str) -> str:
    """Return the text of HTML in Markdown: paragraphs, lists and bold."""
    text = _UNSEEN.sub("", html)
    text = _LINE_END.sub("\n", text)
    text = _ITEM.sub("- ", text)
    text = _BOLD.sub("**", text)
    lines = unescape(_TAG.sub("", text)).splitlines()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.strip() for line in lines)).strip()
