"""The method of a published result, in sentences generated from its record."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.models.task import Protocol
from campaign.texts.by_language import text_in_active_language
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, semicolon_list, sentence_list
from campaign.texts.studies import study_name
from ranking.core.ranges import Correction
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.reports.wording.methods import (
    METHOD_SOURCES,
    METHOD_WORDS,
    LiveMethod,
    score_words,
)
from ranking.reports.wording.numbers import percent
from ranking.reports.wording.published_content import (
    FirstPlace,
    PublishedAnytime,
    PublishedContent,
    PublishedCriterion,
    PublishedReason,
    PublishedSettings,
    RuleOfHistory,
)
from ranking.reports.wording.ranges import (
    RangesFrom,
    ranges_in_words,
    rank_range,
    score_tests_in_words,
)
from ranking.reports.wording.stopping_rules import (
    rule_in_words,
    rule_state,
    rule_with_progress,
)

_EXPECTED_WINS: Final = "expected_wins"
_BRADLEY_TERRY: Final = "bradley_terry"


def method_sentences(content: PublishedContent) -> list[str]:
    """Return sentences on the judging, the ranking method, and its uncertainty."""
    sentences = [
        _judging(content),
        *_question(content),
        *_ranking_sentences(content),
        *_stopping(content),
        *filter(None, [rewording_in_words(content)]),
    ]
    return [*sentences, _again(content)]


def has_ranking(content: PublishedContent) -> bool:
    """Return whether a result ranks systems.

    Judges of its task may have seen one output at a time, or their answers may imply no order, such as ratings by criteria
    without weights: then all comparisons are ties, and the tables of answers say what was found.
    """
    ranking = content["ranking"]
    counted = ranking["input"]
    implies_no_order = counted["comparisons"] == counted["ties"]
    if implies_no_order and "answers" in content["sections"]:
        return False
    return bool(ranking["systems"])


def _ranking_sentences(content: PublishedContent) -> list[str]:
    """Return sentences on the ranking method and its uncertainty; none without a ranking."""
    if not has_ranking(content):
        return []
    method = content["method"]
    parameters = method["parameters"]
    ranges = ranges_in_words(
        RangeOptions.from_record(parameters),
        resamples=parameters["resamples"],
        limits=content["ranking"]["limits"],
        counts=content["ranking"]["input"],
    )
    return [
        _("Identical outputs were shown once and count as ties."),
        _method_sentence(method["name"]),
        *ranges,
        *pair_sentences(content),
        *_settings_sentences(content),
    ]


def method_name(name: str) -> str:
    """Return the name of a method for sentences."""
    names = {
        _EXPECTED_WINS: _("Expected Wins"),
        _BRADLEY_TERRY: _("Bradley–Terry ability"),
    }
    return names.get(name) or str(METHOD_WORDS.get(name, name))


def _judging(content: PublishedContent) -> str:
    criteria = content.get("sections", {}).get("criteria")
    task = content["task"]
    if criteria and has_ranking(content):
        return _rating_sentence(criteria)
    if criteria:
        names = [text_in_active_language(criterion["name"]) for criterion in criteria]
        return _("Judges rated outputs by %(criteria)s.") % {
            "criteria": comma_list(names),
        }
    # Results of older versions do not name the protocol.
    protocol = Protocol(task.get("protocol", Protocol.RANKING))
    if protocol != Protocol.RANKING:
        name = study_name(protocol, task.get("rules"))
        sentences = [_("Protocol: %(protocol)s.") % {"protocol": name}]
        weights: Any = task.get("rules", {}).get("weights")
        if weights:
            # Lines such as “major: 5”, without which scores from errors say nothing.
            sentences.append(
                _("Weights of errors: %(weights)s.")
                % {"weights": semicolon_list(weights)},
            )
        return sentence_list(sentences)
    if task["shows_source"] and task["shows_reference"]:
        sentence = _(
            "Judges saw a source sentence, its reference and up to five outputs, and ranked the "
            "outputs from 1 to 5, ties allowed.",
        )
    elif task["shows_source"]:
        sentence = _(
            "Judges saw a source sentence and up to five outputs, and ranked the outputs from 1 "
            "to 5, ties allowed.",
        )
    else:
        sentence = _(
            "Judges saw a reference and up to five outputs, and ranked the outputs from 1 to 5, "
            "ties allowed.",
        )
    if not task["allows_partial_ranking"]:
        return sentence
    return sentence_list([sentence, _("Outputs could be left unranked.")])


def _question(content: PublishedContent) -> Iterator[str]:
    question = content.get("sections", {}).get("question")
    if question:
        yield _("The question was: “%(question)s”") % {
            "question": text_in_active_language(question),
        }


def _rating_sentence(criteria: Sequence[PublishedCriterion]) -> str:
    """Return the sentence on a task whose outputs compare by points, with the weights of its criteria."""
    names = []
    weighted = []
    for criterion in criteria:
        name = text_in_active_language(criterion["name"])
        weight = criterion["weight"] if len(criteria) > 1 else 1
        names.append(name)
        if weight:
            weighted.append(f"{name} ({number_format(weight)})")
    return _(
        "Judges rated outputs by %(criteria)s. Outputs compare by the sum of their points with these weights: %(weights)s.",
    ) % {"criteria": comma_list(names), "weights": comma_list(weighted)}


def _method_sentence(name: str) -> str:
    if name == _EXPECTED_WINS:
        return _(
            "Systems are ranked by Expected Wins: the share of decided comparisons a system wins, "
            "averaged over its opponents (Koehn 2012).",
        )
    if name == _BRADLEY_TERRY:
        return _(
            "Systems are ranked by Bradley–Terry ability, with ties as in Davidson (1970).",
        )
    named = _("Systems are ranked by “%(method)s”.") % {"method": method_name(name)}
    meaning = score_words(name)
    if not meaning:
        return named
    return sentence_list([named, f"{meaning} ({METHOD_SOURCES[name]})"])


def _settings_sentences(content: PublishedContent) -> Iterator[str]:
    """Yield sentences on when method and ranges were set, and on changes after the first judgment."""
    changes = content.get("sections", {}).get("ranking_settings")
    if changes is None:
        return
    before = [change for change in changes if change["judgments"] == 0]
    if before:
        message = _(
            "The method and rank ranges were set on %(day)s, before the first judgment.",
        )
        yield _sentence_with_reason(message % {"day": _day(before[-1])}, before[-1])
    elif not changes:
        yield _("The method and rank ranges are Quintet’s defaults.")
    for change in changes:
        if change["judgments"] == 0:
            continue
        yield _sentence_with_reason(_changed_to(change), change)


def _changed_to(change: PublishedSettings) -> str:
    settings = {
        "day": _day(change),
        "method": LiveMethod(change["method"]).label,
        "ranges": RangesFrom(change["ranges"]).label,
    }
    if change["judgments"] is None:
        return _("They were changed on %(day)s to %(method)s, %(ranges)s.") % settings
    return counted(
        "They were changed on %(day)s, after %(count)s judgment, to %(method)s, %(ranges)s.",
        "They were changed on %(day)s, after %(count)s judgments, to %(method)s, %(ranges)s.",
        change["judgments"],
        **settings,
    )


def _stopping(content: PublishedContent) -> Iterator[str]:
    """Yield sentences on the stopping rule, its progress, and earlier rules."""
    section = content.get("sections", {}).get("stopping_rule")
    if section is None:
        return
    *earlier, now = section["history"]
    for rule in earlier:
        yield _("Stopping rule until %(day)s: %(rule)s") % {
            "day": _day(now),
            "rule": rule_in_words(rule) or _("None."),
        }
    if section["rule"] is None:
        yield _sentence_with_reason(_("The stopping rule was removed."), now)
        return
    state = rule_state(
        section["rule"],
        progress=section["found"],
        met=section["met"],
        judgments=content["input"]["blocks"],
        today=datetime.fromisoformat(content["published_at"]).date(),
    )
    rule_text = rule_with_progress(state)
    yield _("Stopping rule: %(rule)s") % {"rule": rule_text.rule}
    yield _sentence_with_reason(rule_text.since, now)
    yield from filter(None, [*rule_text.state, rule_text.caution])
    if section["anytime"] is not None:
        yield _anytime_ranges(section["anytime"])


def _anytime_ranges(anytime: PublishedAnytime) -> str:
    ranges = []
    for row in anytime["systems"]:
        if not row.get("shortage"):
            ranges.append(f"{row['system']} {rank_range(row)}")
    return _("Anytime ranges tell %(apart)s pairs apart: %(ranges)s.") % {
        "apart": number_format(anytime["pairs_apart"]),
        "ranges": comma_list(ranges) or _("not estimable yet"),
    }


def _day(change: PublishedSettings | RuleOfHistory) -> str:
    return date_format(datetime.fromisoformat(change["at"]), "DATE_FORMAT")


def _sentence_with_reason(sentence: str, change: PublishedReason) -> str:
    """Return a sentence on a change, followed by its reason, if any."""
    reason = reason_published(change)
    if not reason:
        return sentence
    return sentence_list([sentence, _("Reason: %(reason)s") % {"reason": reason}])


def pair_sentences(content: PublishedContent) -> list[str]:
    """Return the tests that tell pairs of systems apart; nothing without pairs."""
    ranking = content["ranking"]
    method = content["method"]
    if not ranking["pairs"]:
        return []
    return score_tests_in_words(
        RangeOptions.from_record(method["parameters"]),
        Correction(method["correction_of_pairs"]),
        limits=ranking["limits"],
        counts=ranking["input"],
    )


def _again(content: PublishedContent) -> str:
    method = content["method"]
    return _(
        "Computed by Quintet %(version)s with seed %(seed)s from judgments 1 to %(watermark)s.",
    ) % {
        "version": method["code_version"],
        "seed": method["seed"],
        "watermark": number_format(method["watermark"]),
    }


def reason_published(row: PublishedReason) -> str:
    """Return the reason in a row of a result's content; empty if there is none."""
    reason = str(row["reason"])
    if not row.get("is_reworded"):
        return reason
    return _("%(reason)s (reworded for publication)") % {"reason": reason}


def rewording_in_words(content: PublishedContent) -> str:
    """Return the numbers of reasons in a result and of reworded ones; empty if none is reworded.

    Repeated reasons are counted each time, because readers cannot tell which ones were equal before rewording.
    """
    rows = [row for row in _rows(content) if row["reason"]]
    reworded = sum(bool(row.get("is_reworded")) for row in rows)
    if not reworded:
        return ""
    return _(
        "Reasons in this result: %(count)s; reworded for publication: %(reworded)s.",
    ) % {
        "count": number_format(len(rows)),
        "reworded": number_format(reworded),
    }


def _rows(content: PublishedContent) -> Iterator[PublishedReason]:
    """Yield the parts of a result that may have a reason."""
    sections = content.get("sections", {})
    yield from sections.get("ranking_settings", ())
    yield from sections.get("stopping_rule", {}).get("history", ())
    yield from content["left_out"]["judges"]


def firmness_in_words(firmness: FirstPlace) -> list[str]:
    """Return sentences about the section `firmness` of a published result, with bounds in words."""
    first = firmness["first"]
    deciding = firmness["deciding"]
    is_proven = firmness["proof"] != "none"
    if not first:
        return [_("No system has a score.")]
    if len(first) > 1:
        return [_("Tied for first: %(systems)s.") % {"systems": comma_list(first)}]
    if deciding is None:
        if is_proven:
            return [_("First place holds no matter which judgments are removed.")]
        return [_("No judgments found whose removal changes first place.")]
    numbers = {
        "size": number_format(deciding),
        "judgments": number_format(firmness["judgments"]),
        "share": percent(round(deciding / firmness["judgments"], 3)),
        "first": first[0],
        "new": firmness["new_first"],
    }
    if is_proven:
        message = ngettext(
            "%(size)s of %(judgments)s judgments (%(share)s) decides first place: without it, %(new)s is ahead of %(first)s. This is proven to be the minimum.",
            "%(size)s of %(judgments)s judgments (%(share)s) decide first place: without them, %(new)s is ahead of %(first)s. This is proven to be the minimum.",
            deciding,
        )
        return [message % numbers]
    message = _(
        "At most %(size)s of %(judgments)s judgments (%(share)s) decide first place: without them, %(new)s is ahead of %(first)s.",
    )
    least = _("Fewer may be enough.")
    if firmness["at_least"] > 1:
        least = _("At least %(least)s are needed (proven).") % {
            "least": number_format(firmness["at_least"]),
        }
    return [message % numbers, least]
