"""Part of a campaign file about active quality rules."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from annotation.models import QualityRule
from annotation.services.quality import (
    RuleTerms,
    quality_rule_switch_off,
    rule_terms_check,
)
from campaign.models import Campaign, Protocol, Task, User
from ranking.pages.summary import effects_in_words
from ranking.services.quality_rules import (
    ConfirmationNeededError,
    RulesInForce,
    rule_replace,
    rules_put_in_force,
)
from whole_campaigns.campaign_file.bodies import RuleInFileSerializer
from whole_campaigns.campaign_file.parts import Body, Part
from whole_campaigns.campaign_file.people import paired
from whole_campaigns.campaign_file.settings import Run
from whole_campaigns.campaign_rows import rows_taken

_TERMS: Final = ("measure", "direction", "threshold", "minimum", "action")
#: Keys that identify a rule: one with other numbers is changed, not added.
_KNOWN_BY: Final = ("test_set", "protocol", "measure", "direction", "action")


def rules_read(campaign: Campaign) -> list[Body]:
    """Return the terms of the active rules in order of creation."""
    rules = rows_taken(QualityRule, campaign.pk).select_related("task__test_set")
    return [_rule_read(rule) for rule in rules]


def _rule_read(rule: QualityRule) -> Body:
    terms = {name: getattr(rule, name) for name in _TERMS}
    if rule.task is None:
        return {**terms, "test_set": None}
    task = {"test_set": rule.task.test_set.name, "protocol": rule.task.protocol}
    if rule.task.protocol == Protocol.RANKING:
        del task["protocol"]
    return {**terms, **task}


def _has_values(rule: QualityRule, sent: Body, names: Iterable[str]) -> bool:
    now = {"protocol": Protocol.RANKING, **_rule_read(rule)}
    return all(now[name] == sent[name] for name in names)


def _has_terms(rule: QualityRule, sent: Body) -> bool:
    return _has_values(rule, sent, (*_KNOWN_BY, "threshold", "minimum"))


def _is_replaced(rule: QualityRule, sent: Body) -> bool:
    return not sent.get("switched_off", False) and _has_values(rule, sent, _KNOWN_BY)


def rules_apply(parts: Iterable[Part], run: Run) -> None:
    """Switch off rules, change those with other numbers, and add the others. Rules that are not in the file stay."""
    items = [
        (part, part.validated(RuleInFileSerializer, is_new=True)) for part in parts
    ]
    rules = rows_taken(QualityRule, run.campaign.pk).select_related("task__test_set")
    added: list[tuple[Part, RuleTerms]] = []
    for part, sent, rule in paired(
        items, rules, is_same=_has_terms, is_near=_is_replaced
    ):
        if sent.get("switched_off", False):
            if rule is not None:
                with part.refusals():
                    quality_rule_switch_off(rule=rule, user=_person(part, run))
        elif rule is None:
            added.append((part, _terms(part, sent, run)))
        elif not _has_terms(rule, sent):
            terms = _terms(part, sent, run)
            with _effects_refused(part):
                done = rule_replace(rule=rule, terms=terms, user=_person(part, run))
            _note(done, run)
    if added:
        # Together, so that their effects on judges are counted once.
        every = [terms for _part, terms in added]
        with _effects_refused(added[0][0]):
            done = rules_put_in_force(campaign=run.campaign, terms=every, user=run.by)
        _note(done, run)


def _terms(part: Part, sent: Body, run: Run) -> RuleTerms:
    terms = RuleTerms(
        **{name: sent[name] for name in _TERMS}, task=_task(part, sent, run)
    )
    with part.refusals():
        rule_terms_check(campaign=run.campaign, terms=terms)
    return terms


def _task(part: Part, sent: Body, run: Run) -> Task | None:
    name = sent["test_set"]
    protocol = sent["protocol"]
    if name is None:
        return None
    tasks = Task.objects.of(run.campaign).filter(test_set__name=name)
    task = tasks.filter(protocol=protocol).first()
    if task is not None:
        return task
    if tasks.exists():
        raise part.error(
            f'"{name}" has no task "{protocol}"', "add it under tasks first", "protocol"
        )
    raise part.error(f'test set "{name}" not found', "correct the name", "test_set")


@contextmanager
def _effects_refused(part: Part) -> Iterator[None]:
    """Refuse rules, at this place, whose effects on judges must be confirmed."""
    try:
        with part.refusals():
            yield
    except ConfirmationNeededError as error:
        raise part.error(
            str(error).rstrip("."),
            "activate it on the Rules page or over REST, which show the judges affected",
        ) from error


def _note(done: RulesInForce, run: Run) -> None:
    if done.effects.acts:
        run.notes += effects_in_words(done.effects)


def _person(part: Part, run: Run) -> User:
    if run.by is None:
        raise part.error(
            "switching off a rule requires a user",
            "specify who applies this file with --as EMAIL",
        )
    return run.by
