"""What a campaign's file says: parts of it that know their line."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.core.exceptions import ValidationError

from annotation.services import DesignRefusedError, QualityRefusedError, TrainingRefusedError
from annotation.services.systems import SystemRefusedError
from campaign.formats import FormatError
from campaign.formats.yaml_tree import Path, YamlTree
from campaign.importing.errors import ImportRefusedError
from campaign.services import (
    BadReferenceRefusedError,
    CredentialRefusedError,
    InstructionsRefusedError,
    JudgeGroupRefusedError,
    LinkRefusedError,
    PanelRefusedError,
    PersonRefusedError,
    RulesRefusedError,
    StateRefusedError,
    TaskRefusedError,
)
from campaign.texts.language_tags import LanguageTagError
from ranking.range_choices import RangeChoiceError
from ranking.services import StoppingRuleError

#: What services say to organisers.
_REFUSALS: Final = (
    BadReferenceRefusedError,
    CredentialRefusedError,
    DesignRefusedError,
    InstructionsRefusedError,
    JudgeGroupRefusedError,
    LanguageTagError,
    LinkRefusedError,
    PanelRefusedError,
    PersonRefusedError,
    QualityRefusedError,
    RangeChoiceError,
    RulesRefusedError,
    StateRefusedError,
    StoppingRuleError,
    SystemRefusedError,
    TaskRefusedError,
    TrainingRefusedError,
)
_KEEP: Final = "change it in the file, or leave the key out to keep what is there"
#: By which key the items of a list are known.
NAMED_BY: Final = ("name", "pseudonym", "language", "measure", "segment", "note", "protocol")
#: Of these, several items may have one: each is known by all that it says.
_SHARED: Final = ("measure", "note")
_NAMELESS: Final = "–"


@dataclass(frozen=True, slots=True)
class Said:
    """A part of the file: a value and where it stands."""

    tree: YamlTree
    value: Any
    path: Path = ()

    def __contains__(self, key: str) -> bool:
        """Return whether the file says anything of a key."""
        return key in self.value

    def __getitem__(self, key: str) -> "Said":
        """Return what the file says of a key; KeyError if nothing."""
        return Said(self.tree, self.value[key], (*self.path, key))

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key."""
        return self.value.get(key, default)

    def items(self) -> Iterator["Said"]:
        """Return the items of a list."""
        for place, value in enumerate(self.value):
            yield Said(self.tree, value, (*self.path, place))

    def items_of(self, key: str) -> Iterator["Said"]:
        """Return the items of a list that need not be there."""
        return self[key].items() if key in self else iter(())

    def only(self, names: Mapping[str, Any] | tuple[str, ...]) -> dict[str, Any]:
        """Return the values of those of these keys that the file has."""
        return {name: self.value[name] for name in names if name in self.value}

    def error(self, problem: str, remedy: str, key: str | None = None) -> FormatError:
        """Return an error at this place, or at one of its keys."""
        path = (*self.path, key) if key is not None and key in self.value else self.path
        field = path_in_words(self.tree.value, (*self.path, *([key] if key else [])))
        return FormatError(
            self.tree.name, problem, remedy, line=self.tree.line(path), field=field or None
        )

    @contextmanager
    def refusals(self, key: str | None = None) -> Iterator[None]:
        """Let what services refuse be an error at this place of the file."""
        try:
            yield
        except _REFUSALS as error:
            at = key or getattr(error, "field", None)
            raise self.error(_phrase(str(error)), _KEEP, _known(at, self.value)) from error
        except ImportRefusedError as error:
            raise self.error(error.problem, error.remedy, key) from error
        except ValidationError as error:
            raise self.error(_phrase(" ".join(error.messages)), _KEEP, key) from error


def path_in_words(root: Any, path: Path) -> str:
    """Return a path with the names of items in the place of numbers: `tasks.newstest.design.kind`."""
    words, value = [], root
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
            words.append(name_of(value) or str(step + 1))
        else:
            value = value.get(step) if isinstance(value, dict) else None
            words.append(step)
    return ".".join(words)


def name_of(item: Any) -> str:
    """Return what an item of a list is called; "" if it has no name."""
    key = named_by(item)
    return str(item[key]) or (_NAMELESS if key in _SHARED else "") if key else ""


def is_only_one(item: Any) -> bool:
    """Return whether no other item of its list may have its name."""
    return named_by(item) not in _SHARED


def named_by(item: Any) -> str:
    """Return the key by which an item of a list is known; "" if it has no name."""
    if not isinstance(item, dict):
        return ""
    return next((key for key in NAMED_BY if isinstance(item.get(key), str | int)), "")


def _phrase(sentence: str) -> str:
    return sentence.rstrip(".")


def _known(key: Any, value: Any) -> str | None:
    return key if isinstance(key, str) and isinstance(value, dict) and key in value else None
