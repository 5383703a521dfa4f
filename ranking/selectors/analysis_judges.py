"""Judges in the answer of an analysis, with the figures that an organiser may act on."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

from django.db.models import Func, JSONField

from ranking.models import Analysis


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeInAnswer:
    """What an analysis found of a judge.

    Attributes
    ----------
    judge : str
        Pseudonym.
    kappa, low, high : float or None
        κ with the others, or with `other`, and its interval.
    comparable : int or None
        Pairs of comparisons it is of.
    blocks : int or None
        Blocks that count.
    other : str
        The judge that κ is with; "" for all others.
    rules : tuple of str
        Rules by which they stand out.
    below : int
        Pairs with another judge that are below the band.
    stands_out : bool
    """

    judge: str
    kappa: float | None = None
    low: float | None = None
    high: float | None = None
    comparable: int | None = None
    blocks: int | None = None
    other: str = ""
    rules: tuple[str, ...] = ()
    below: int = 0
    stands_out: bool = False

    @property
    def figures(self) -> dict[str, Any]:
        """What is stored as evidence: all that is known, but the name."""
        named = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {
            name: value for name, value in named if name != "judge" and value not in (None, "", ())
        }


def judges_in_answer(analysis: Analysis) -> list[JudgeInAnswer]:
    """Return the judges an answer is about, those who stand out first; none of other kinds."""
    read = _READERS.get(analysis.kind)
    if read is None or analysis.finished_at is None:
        return []
    return sorted(read(analysis), key=lambda row: (not row.stands_out, *_least(row)))


def evidence_of(analysis: Analysis, judges: list[str]) -> dict[str, dict[str, Any]]:
    """Return, for each of these judges, which answer an organiser acted on and its figures."""
    found = {row.judge: row.figures for row in judges_in_answer(analysis)}
    said = {"id": analysis.pk, "kind": analysis.kind, "watermark": analysis.watermark}
    return {name: {**said, "figures": found.get(name, {})} for name in judges}


def _least(row: JudgeInAnswer) -> tuple[float, str]:
    return (2.0 if row.kappa is None else row.kappa, row.judge)


class _FiguresOfJudges(Func):
    """Of each judge of an answer its name, its blocks and four figures of its agreement."""

    template = """(
        SELECT jsonb_agg(jsonb_build_array(
            judge->'judge', judge->'blocks', judge#>'{agreement,kappa}', judge#>'{agreement,low}',
            judge#>'{agreement,high}', judge#>'{agreement,comparable}'
        ))
        FROM jsonb_array_elements(%(expressions)s) judge
    )"""
    output_field = JSONField()


def _of_judges(analysis: Analysis) -> list[JudgeInAnswer]:
    """Read six figures of each, of forty: an answer about a thousand judges has a megabyte."""
    read = Analysis.objects.filter(pk=analysis.pk)
    outliers, judges = read.values_list("data__outliers", _FiguresOfJudges("data__judges")).get()
    rules: dict[str, list[str]] = {}
    for rule in outliers:
        for name in rule["outliers"]:
            rules.setdefault(name, []).append(rule["rule"])
    return [
        JudgeInAnswer(
            judge=judge,
            blocks=blocks,
            kappa=kappa,
            low=low,
            high=high,
            comparable=comparable,
            rules=tuple(rules.get(judge, ())),
            stands_out=judge in rules,
        )
        for judge, blocks, kappa, low, high, comparable in judges or ()
    ]


def _of_pairs(analysis: Analysis) -> list[JudgeInAnswer]:
    """Return each judge with the pair that is farthest below the band, or the first listed."""
    data = analysis.data
    assert data is not None  # noqa: S101  it is finished
    first: dict[str, dict[str, Any]] = {}
    below: dict[str, int] = {}
    # The pairs beside the band come first, the farthest before.
    for each in sorted(data["pairs"], key=lambda each: each["beside"] >= 0):
        for name in each["pair"]["judges"]:
            first.setdefault(name, each["pair"])
            below[name] = below.get(name, 0) + (each["beside"] < 0)
    return [
        JudgeInAnswer(
            judge=name,
            **{key: pair[key] for key in ("kappa", "low", "high", "comparable")},
            other=next(other for other in pair["judges"] if other != name),
            below=below[name],
            stands_out=below[name] > 0,
        )
        for name, pair in first.items()
    ]


def _of_without(analysis: Analysis) -> list[JudgeInAnswer]:
    data = analysis.data
    assert data is not None  # noqa: S101  it is finished
    return [
        JudgeInAnswer(judge=name, blocks=blocks, stands_out=True)
        for name, blocks in data["left_out"].items()
    ]


_READERS: Final = {"judges": _of_judges, "judge_pairs": _of_pairs, "without": _of_without}
