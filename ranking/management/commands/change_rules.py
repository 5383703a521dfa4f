"""`change_rules`: what rules would do to judges, putting them in force, and undoing what they did."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.judge_measures import JudgeMeasure, ThresholdError, threshold_from_text
from annotation.models import QualityRule
from annotation.models.quality import ACTIONS
from annotation.services import (
    QualityRefusedError,
    RuleTerms,
    quality_rule_switch_off,
    quality_rule_undo,
    suggested_terms,
)
from campaign.management.arguments import (
    campaign_named,
    protocol_option_add,
    task_named,
    user_named,
)
from campaign.models import Campaign, Task
from ranking.pages.effects import effects_in_words
from ranking.pages.judge_measures import rule_in_words
from ranking.selectors.quality import quality_rules
from ranking.selectors.rule_effects import RuleEffects, effects_held, rule_effects
from ranking.services import rule_release, rule_replace, rules_preview, rules_put_in_force

_THRESHOLD = (
    "shares with their sign (55%%), probabilities from 0 to 1, κ from −1 to 1, times in seconds"
)


class Command(BaseCommand):
    help = (
        "List the quality rules of a campaign, add the suggested ones or one of your own, switch one "
        "off, undo what one did, or let one act that waits for you. What a rule would do is said "
        "first; more than one judge in five it meets only with --yes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parts = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
        _part(parts, "list", "the rules in force, and whether one waits", by=False)
        add = _part(parts, "add", "a rule; it acts at once on judges it is about")
        _add_terms(add)
        add.add_argument("--replaces", type=int, metavar="RULE", help="switch this rule off")
        _add_undo(add)
        for asks in (add, _part(parts, "suggest", "the suggested rules, which only warn")):
            asks.add_argument(
                "--dry-run", action="store_true", help="say what it would do, no more"
            )
            asks.add_argument("--yes", action="store_true", help="also to more than one in five")
        off = _part(parts, "off", "switch a rule off, and keep or undo what it did", rule=True)
        _add_undo(off)
        _part(parts, "undo", "revert all that a rule did; the history keeps it", rule=True)
        act = _part(parts, "act", "let a rule act that waits for an organiser", rule=True)
        act.add_argument("--yes", action="store_true", help="do it; otherwise only said")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        parts: dict[str, Callable[[Campaign, dict[str, Any]], None]] = {
            "list": self._list,
            "add": self._add,
            "suggest": self._suggest,
            "off": self._off,
            "undo": self._undo,
            "act": self._act,
        }
        try:
            parts[options["what"]](campaign, options)
        except (QualityRefusedError, ThresholdError) as error:
            raise CommandError(str(error)) from error

    def _list(self, campaign: Campaign, _options: dict[str, Any]) -> None:
        held = {effects.acts[0].rule.pk: effects for effects in effects_held(campaign=campaign)}
        for rule in quality_rules(campaign=campaign).filter(switched_off_at__isnull=True):
            self._rule(rule)
            if rule.pk in held:
                self.stdout.write("  " + _("It waits for you:"))
                self._effects(held[rule.pk])

    def _add(self, campaign: Campaign, options: dict[str, Any]) -> None:
        terms = _terms(campaign, options)
        user = user_named(options["by"])
        replaced = _rule(campaign, options["replaces"]) if options["replaces"] else None
        undo = _undo_asked(replaced, options) if replaced else False
        effects = rules_preview(campaign=campaign, terms=[terms])
        self._effects(effects)
        if options["dry_run"]:
            return
        code = _confirmed(effects, options)
        if replaced is None:
            done = rules_put_in_force(campaign=campaign, terms=[terms], user=user, confirmed=code)
        else:
            done = rule_replace(rule=replaced, terms=terms, user=user, undo=undo, confirmed=code)
        self._in_force(done.rules)

    def _suggest(self, campaign: Campaign, options: dict[str, Any]) -> None:
        user = user_named(options["by"])
        terms = suggested_terms(campaign=campaign)
        effects = rules_preview(campaign=campaign, terms=terms)
        self._effects(effects)
        if options["dry_run"]:
            return
        code = _confirmed(effects, options)
        done = rules_put_in_force(campaign=campaign, terms=terms, user=user, confirmed=code)
        self._in_force(done.rules)

    def _off(self, campaign: Campaign, options: dict[str, Any]) -> None:
        rule = _rule(campaign, options["rule"])
        undo = _undo_asked(rule, options)
        quality_rule_switch_off(rule=rule, user=user_named(options["by"]), undo=undo)
        self.stdout.write(
            _("The rule has been switched off, and all it did is undone.")
            if undo
            else _("The rule has been switched off; its earlier actions stay.")
        )

    def _undo(self, campaign: Campaign, options: dict[str, Any]) -> None:
        rule = _rule(campaign, options["rule"])
        count = quality_rule_undo(rule=rule, user=user_named(options["by"]))
        said = ngettext(
            "%(count)d action of the rule was undone; the history keeps it.",
            "%(count)d actions of the rule were undone; the history keeps them.",
            count,
        )
        self.stdout.write(said % {"count": count})

    def _act(self, campaign: Campaign, options: dict[str, Any]) -> None:
        rule, user = _rule(campaign, options["rule"]), user_named(options["by"])
        rules = [] if rule.switched_off_at else [rule]
        effects = rule_effects(rules, campaign=campaign)
        if effects.acts:
            self._effects(effects)
        if effects.acts and not options["yes"]:
            raise CommandError(_("Nothing was changed. If this is what you want, add --yes."))
        rule_release(rule=rule, user=user, confirmed=effects.code)
        self.stdout.write(_("The rule has acted."))

    def _rule(self, rule: QualityRule) -> None:
        self.stdout.write(f"{rule.pk}: {rule_in_words(rule)}")

    def _in_force(self, rules: list[QualityRule]) -> None:
        self.stdout.write(_("In force:"))
        for rule in rules:
            self._rule(rule)

    def _effects(self, effects: RuleEffects) -> None:
        for words in effects_in_words(effects):
            self.stdout.write(words)


def _part(parts: Any, name: str, words: str, *, by: bool = True, rule: bool = False) -> Any:
    part = parts.add_parser(name, help=words, description=words)
    if rule:
        part.add_argument("rule", type=int, metavar="RULE", help="its number, as `list` shows it")
    part.add_argument("--campaign", required=True, metavar="SLUG")
    if by:
        part.add_argument(
            "--by", required=True, metavar="EMAIL", help="who does it, for the record"
        )
    return part


def _add_terms(add: Any) -> None:
    add.add_argument("--action", required=True, choices=[name for name, _words in ACTIONS])
    add.add_argument("--measure", required=True, choices=JudgeMeasure.values)
    sides = add.add_mutually_exclusive_group(required=True)
    for side in ("below", "above"):
        sides.add_argument(f"--{side}", metavar="THRESHOLD", help=_THRESHOLD)
    add.add_argument(
        "--minimum", type=int, required=True, metavar="N", help="comparisons, blocks or segments"
    )
    add.add_argument("--test-set", metavar="NAME", help="default: each of the campaign")
    protocol_option_add(add)


def _add_undo(part: Any) -> None:
    which = part.add_mutually_exclusive_group()
    which.add_argument("--undo", action="store_true", help="revert what the rule did, too")
    which.add_argument("--keep", action="store_true", help="what the rule did stays in force")


def _terms(campaign: Campaign, options: dict[str, Any]) -> RuleTerms:
    direction = "above" if options["below"] is None else "below"
    return RuleTerms(
        action=options["action"],
        measure=options["measure"],
        direction=direction,
        threshold=threshold_from_text(options["measure"], options[direction]),
        minimum=options["minimum"],
        task=_task(campaign, options),
    )


def _task(campaign: Campaign, options: dict[str, Any]) -> Task | None:
    name = options["test_set"]
    if not name:
        return None
    return task_named(campaign=campaign.slug, name=name, protocol=options["protocol"])


def _rule(campaign: Campaign, rule_id: int) -> QualityRule:
    rule = quality_rules(campaign=campaign).filter(pk=rule_id).first()
    if rule is None:
        raise CommandError(
            _("The campaign “%(slug)s” has no rule %(id)d; `change_rules list` shows them.")
            % {"slug": campaign.slug, "id": rule_id}
        )
    return rule


def _undo_asked(rule: QualityRule, options: dict[str, Any]) -> bool:
    """Return whether to undo what the rule did; it must be said if it did anything."""
    standing: int = rule.standing  # type: ignore[attr-defined]  # annotated by `quality_rules`
    if standing and not (options["undo"] or options["keep"]):
        said = ngettext(
            "%(count)d action of this rule is in force: say --undo or --keep.",
            "%(count)d actions of this rule are in force: say --undo or --keep.",
            standing,
        )
        raise CommandError(said % {"count": standing})
    return bool(options["undo"])


def _confirmed(effects: RuleEffects, options: dict[str, Any]) -> str:
    """Return the code of these effects if they are confirmed; raise a CommandError if they must be."""
    if effects.is_large and not options["yes"]:
        raise CommandError(
            _(
                "That is more than one judge in five. Nothing was changed. If this is what you "
                "want, add --yes."
            )
        )
    return effects.code
