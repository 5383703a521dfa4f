"""Files of ratings, and scores of outputs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    Lose,
    RefuseAnswer,
)
from campaign.models import Task
from protocols.frame.scale.criteria import Criterion, weighted_score, weights_of
from protocols.frame.scale.files import LINES, Item, Rating, Said, csv_lines, scores_of
from protocols.frame.scale.presets import criteria_of
from protocols.frame.scale.rating_records import CSV, rating_records
from protocols.rating.answers import answer_made, rules_complete
from ranking.analyses.kind import ChosenJudgments
from ranking.core.beside import OutputScores


def _of_task(
    task: Task, answers: Iterable[FileAnswer], refuse: RefuseAnswer
) -> Iterator[FileAnswer]:
    """Yield the ratings in the order in which judges are asked, or put together those of each screen."""
    criteria = criteria_of(task.rules)
    if task.rules.get("all_at_once"):
        yield from _screens(answers, criteria, refuse)
        return
    order = {criterion.key: place for place, criterion in enumerate(criteria)}
    yield from sorted(
        answers, key=lambda answer: order.get(answer.said.ratings[0].criterion, len(order))
    )


def _screens(
    answers: Iterable[FileAnswer], criteria: Sequence[Criterion], refuse: RefuseAnswer
) -> Iterator[FileAnswer]:
    screens: dict[tuple[str, int, int | Item], list[FileAnswer]] = defaultdict(list)
    for answer in answers:
        [rating] = answer.said.ratings
        screens[rating.judge, rating.segment, rating.screen or rating.item].append(answer)
    for parts in screens.values():
        first = parts[0]
        ratings = [part.said.ratings[0] for part in parts]
        texts = list(dict.fromkeys(rating.systems for rating in ratings))
        for systems in texts:
            rated = {each.criterion for each in ratings if each.systems == systems}
            for criterion in criteria:
                if criterion.key not in rated:
                    refuse(
                        first,
                        "criterion",
                        f"{first.judge} did not rate {', '.join(systems)} by {criterion.key}",
                        "provide a rating by each criterion of the task for each text",
                    )
        yield replace(
            first,
            candidates=tuple(texts),
            texts=(None,) * len(texts),
            said=replace(first.said, ratings=tuple(ratings)),
        )


def _answer(
    said: Said, _texts: Sequence[str | None], rules: Mapping[str, Any], _lose: Lose
) -> dict[str, Any]:
    criteria = {criterion.key: criterion for criterion in criteria_of(rules)}
    outputs: dict[tuple[str, ...], dict[str, int]] = {}
    for rating in said.ratings:
        _check_criterion(rating, criteria)
        outputs.setdefault(rating.systems, {})[rating.criterion] = rating.value
    if not rules["all_at_once"]:
        _check_pass(said, rules, list(criteria))
    in_order = [
        {key: points[key] for key in criteria if key in points} for points in outputs.values()
    ]
    return answer_made(in_order)


def _check_criterion(rating: Rating, criteria: Mapping[str, Criterion]) -> None:
    if rating.criterion not in criteria:
        raise AnswerRefusedError(
            f"it rates {rating.criterion}, which judges of this task are not asked about",
            f"provide ratings of {' or '.join(criteria)}",
        )
    scale = criteria[rating.criterion].scale
    if rating.scale != scale:
        raise AnswerRefusedError(
            f"its scale is {_scale_in_words(rating)}, but the task rates {rating.criterion} on {scale}"
            f"{', lower is better' if scale.lower_is_better else ''}",
            "import it into a task with this scale",
        )


def _scale_in_words(rating: Rating) -> str:
    return f"{rating.scale}{', lower is better' if rating.scale.lower_is_better else ''}"


def _check_pass(said: Said, rules: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Refuse ratings that the passes of a task do not allow."""
    chosen = rules_complete(rules)
    [rating] = said.ratings
    place = keys.index(rating.criterion)
    if chosen["adequacy_by_others"]:
        if len(said.of_segment) > 1:
            raise AnswerRefusedError(
                "this judge rates the segment by several criteria",
                "import into a task in which the same judges rate all of them (adequacy_by_others: false)",
            )
    elif place and keys[place - 1] not in said.of_text and not chosen["order_free"]:
        raise AnswerRefusedError(
            f"it rates the {rating.criterion} of a text whose {keys[place - 1]} this judge does not rate in this file",
            "provide both in one file, or import into a task in which ratings can be changed in later passes (order_free: true)",
        )


def _part(answer: Mapping[str, Any], rules: Mapping[str, Any]) -> int:
    if rules["all_at_once"]:
        return 0
    keys = [criterion.key for criterion in criteria_of(rules)]
    return 1 + keys.index(answer["criterion"])


def output_scores(task: Task, watermark: int, chosen: ChosenJudgments) -> OutputScores | None:
    """Return the scores of texts from the selected judgments 1…`watermark`; None if nothing is left.

    A score is the weighted mean of a judge's ratings of a text if criteria have weights, otherwise
    the rating by the first criterion. Adequacy and fluency count equally; if different judges rate
    them, each rating is a score, with equally many per text and criterion. Texts that a judge did
    not rate by all criteria that count are left out, because the levels of criteria differ. Lower
    values count as negative if they are better.
    """
    rated = LINES.chosen(task, watermark, chosen).rows
    rules = rules_complete(task.rules)
    criteria = criteria_of(rules)
    by_others = rules["adequacy_by_others"] and not rules["all_at_once"]
    if not rules["criteria"]:
        counted = [replace(criterion, weight=1) for criterion in criteria]
    elif by_others or not weights_of(criteria):
        counted = [criteria[0]]
    else:
        counted = list(criteria)
    if by_others:
        return scores_of(_as_many_of_each(rated, counted))
    return scores_of(_means_of_judges(rated, counted))


def _means_of_judges(
    rated: Iterable[Rating], criteria: Sequence[Criterion]
) -> Iterator[tuple[Item, str, float]]:
    weights = weights_of(criteria)
    counted = [criterion for criterion in criteria if criterion.key in weights]
    said: dict[tuple[Item, str], dict[str, int]] = defaultdict(dict)
    for rating in rated:
        if rating.criterion in weights:
            said[rating.item, rating.judge][rating.criterion] = rating.value
    for (item, judge), values in said.items():
        if len(values) == len(counted):
            yield item, judge, weighted_score(values, counted) / sum(weights.values())


def _as_many_of_each(
    rated: Iterable[Rating], criteria: Sequence[Criterion]
) -> Iterator[tuple[Item, str, float]]:
    """Yield equally many ratings of each text by each criterion: those of the first judges by pseudonym."""
    signs = {each.key: -1 if each.scale.lower_is_better else 1 for each in criteria}
    said: dict[Item, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for rating in rated:
        if rating.criterion in signs:
            said[rating.item][rating.criterion][rating.judge] = rating.value
    for item, values in said.items():
        count = min(len(values[criterion]) for criterion in signs)
        for criterion, sign in signs.items():
            for judge, value in sorted(values[criterion].items())[:count]:
                yield item, judge, float(sign * value)


FILES: Final = AnswerFiles(
    formats=(LINES.name, CSV),
    parse=rating_records,
    content=LINES.content,
    of_task=_of_task,
    answer=_answer,
    part=_part,
    writers={
        LINES.name: LINES.write,
        CSV: lambda task, watermark: LINES.write(task, watermark, csv_lines),
    },
)
