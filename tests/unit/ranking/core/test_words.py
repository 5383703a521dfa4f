"""Words that choose what the numeric core computes: each is taken as a word, and no other word is."""

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from enum import StrEnum
from importlib import import_module
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import ranking.core
from ranking.core import (
    BlockRow,
    Blocks,
    Correction,
    blocks_from_rows,
    measure_agreement,
    rank,
)
from ranking.core.agreement.statistics import Chance
from ranking.core.counting.resampling import Resampling
from ranking.core.estimates import estimate
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.methods.method import fit_of_abilities
from ranking.core.ranges import adjusted
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.sorting import SortSettings

Choice = tuple[Callable[..., Any], str, tuple[Any, ...]]


def public_functions() -> Iterator[Callable[..., Any]]:
    for module in pkgutil.walk_packages(ranking.core.__path__, "ranking.core."):
        for name, value in vars(import_module(module.name)).items():
            is_own = getattr(value, "__module__", None) == module.name
            if inspect.isfunction(value) and is_own and not name.startswith("_"):
                yield value


def words_of(annotation: Any) -> tuple[Any, ...]:
    """Return the words of a parameter's type; empty if it is of another type."""
    if get_origin(annotation) in (Union, UnionType):
        return tuple(word for part in get_args(annotation) for word in words_of(part))
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if inspect.isclass(annotation) and issubclass(annotation, StrEnum):
        return tuple(str(member) for member in annotation)
    return ()


def choices() -> Iterator[Choice]:
    options = (RangeOptions, Resampling, SortSettings)
    for function in (*public_functions(), *options):
        for name, annotation in _types(function).items():
            words = words_of(annotation)
            if words and name != "return" and function not in _RESULTS:
                yield function, name, words


def _types(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function)
    except TypeError:  # a type that only type checkers understand
        return {}


def arguments(function: Callable[..., Any], name: str, word: Any) -> dict[str, Any]:
    """Return a word for one parameter, words for the others that need one, and None for the rest."""
    given: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        is_required = parameter.default is inspect.Parameter.empty
        is_single = parameter.kind not in (
            parameter.VAR_KEYWORD,
            parameter.VAR_POSITIONAL,
        )
        if is_required and is_single:
            words = words_of(_types(function).get(parameter.name))
            given[parameter.name] = words[0] if words else None
    return {**given, name: word}


def refusal(function: Callable[..., Any], given: dict[str, Any]) -> str:
    """Return the message of a ValueError; "" if there is none, or if another argument is unusable."""
    try:
        result = function(**given)
        if inspect.isgenerator(result):
            next(result)
    except ValueError as error:
        return str(error)
    except Exception:  # noqa: BLE001  the other arguments are None
        return ""
    return ""


#: Frozen results and descriptions of failures, whose words the core itself chooses.
_RESULTS = frozenset({estimate, fit_of_abilities})
CHOICES = list(choices())


def test_functions_with_words_are_found() -> None:
    assert {measure_agreement, adjusted} <= {
        function for function, _name, _words in CHOICES
    }


@pytest.mark.parametrize(
    ("function", "name", "words"),
    [
        pytest.param(*choice, id=f"{choice[0].__name__}-{choice[1]}")
        for choice in CHOICES
    ],
)
def test_unknown_words_are_refused_and_known_ones_are_not(
    function: Callable[..., Any],
    name: str,
    words: tuple[Any, ...],
) -> None:
    message = refusal(function, arguments(function, name, "nonsense"))
    assert "expected one of" in message
    assert "not 'nonsense'" in message
    for word in words:
        assert "expected one of" not in refusal(
            function,
            arguments(function, name, word),
        )


def judged() -> Blocks:
    random = np.random.default_rng(1)
    rows = (
        BlockRow(
            judge=f"judge {judge}",
            segment=segment,
            candidates=[[name] for name in "abcde"],
            labels=random.integers(1, 6, 5).tolist(),
        )
        for judge in range(4)
        for segment in range(12)
    )
    return blocks_from_rows(rows, "abcde")


@pytest.mark.parametrize("correction", Correction)
def test_a_word_computes_the_correction_it_names(correction: Correction) -> None:
    by_word = rank(judged(), correction=correction.value, resamples=40)
    by_member = rank(judged(), correction=correction, resamples=40)
    assert by_word.correction is correction
    assert by_word.pairs == by_member.pairs
    p = np.array([0.01, 0.02, 0.03])
    expected = {
        Correction.NONE: [0.01, 0.02, 0.03],
        Correction.HOLM: [0.03, 0.04, 0.04],
        Correction.BENJAMINI_HOCHBERG: [0.03, 0.03, 0.03],
    }
    np.testing.assert_allclose(adjusted(p, correction.value), expected[correction])


@pytest.mark.parametrize("chance", Chance)
@pytest.mark.parametrize("pairing", Pairing)
def test_a_word_computes_the_agreement_it_names(
    chance: Chance,
    pairing: Pairing,
) -> None:
    by_word = measure_agreement(judged(), chance=chance.value, pairing=pairing.value)
    by_member = measure_agreement(judged(), chance=chance, pairing=pairing)
    assert by_word.chance is chance
    assert by_word == by_member
