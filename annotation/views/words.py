"""Strings for the judging page's scripts, which contain none themselves."""

from collections.abc import Iterable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

from annotation.models import SkipReason
from annotation.protocols.answer_kinds import answer_kind

# One sample number for each plural category of integers in any language (CLDR). With
# Intl.PluralRules, the browser finds the sample in the same category as its number, and uses that
# form.
PLURAL_SAMPLES = (0, 1, 2, 3, 5, 6, 11, 100)

WORDS = {
    "sentence": _("Item {position} of {total}"),
    "sentence_revised": _("Back at item {position} of {total}"),
    "new_block": _("Item {position} of {total}. Source:"),
    "languages": _("{source} → {target}"),
    "done_of": _("{done} of {wanted}"),
    "colon": pgettext_lazy("after a label", ": "),
    "semicolon": pgettext_lazy("between phrases", "; "),
    "time_left": _("about {time} left"),
    "not_counted": _("Not counted: {time}"),
    "length_seconds": _("less than a minute"),
    "length_minutes": _("{minutes} min"),
    "length_hours": _("{hours} h {minutes} min"),
    "reference": _("Reference"),
    "reference_numbered": _("Reference {number}"),
    "empty": _("(empty)"),
    "source": _("Source"),
    "image": _("Picture"),
    "audio": _("Recording"),
    "video": _("Video"),
    "media_failed": _(
        "This file could not be loaded. Check your connection and reload the page.",
    ),
    "media_unplayable": _(
        "This browser is too old for this page. Please update it, or open your link in another browser.",
    ),
    "not_loaded": _(
        "Could not be loaded: {letters}. It is loading again. If that fails again, skip the item.",
    ),
    "not_loaded_alone": _(
        "A file could not be loaded. It is loading again. If that fails again, skip the item.",
    ),
    "not_played": _(
        "Not played: {letters}. Press Submit again to send your answer anyway.",
    ),
    "not_played_alone": _(
        "Not played. Press Submit again to send your answer anyway.",
    ),
    "ranked": _("{letter}: {rank}."),
    "cleared": _("{letter}: rank removed."),
    "all_cleared": _("All ranks removed. Press Shift+0 to restore them."),
    "all_back": _("Ranks restored."),
    "order": _("From best to worst: {order}."),
    "tied": _("{letters} tied"),
    "nothing_ranked": _("No ranks yet"),
    "still_to_rank": _("{letters} not ranked yet"),
    "all_ranked": _("All ranked"),
    "rank_two": _("Rank at least two outputs, or skip the item."),
    "submit": _("Submit"),
    "save_revision": _("Save change"),
    "return": _("Return"),
    "page_done": _("Done"),
    "page_answered": _("All items on this page are answered."),
    "answer_begun": _("Not finished"),
    "unsent": _("Change not sent"),
    "unsent_here": _("You have unsaved changes. Save or discard them."),
    "discarded": _("Change discarded."),
    "skipped": _("Skipped: {reason}"),
    "skipped_here": _("You skipped this item: {reason}. Answer it to undo the skip."),
    "document_at": _("Item {number} of {total} in the document."),
    "document_part": _("Items {first}–{last} of {total}."),
    "document_nearby": _("Only nearby items are available."),
    "saved": _("Saved on this device"),
    "sent": pgettext_lazy("judgment", "Sent"),
    "not_kept": _(
        "This browser cannot save your work. Keep this page open until everything is sent.",
    ),
    "first": _("You cannot go back further."),
    "ignored": _("Ignored: this item has only just appeared. Answer again."),
    "done_elsewhere": _("You just answered this item in another tab."),
    "fetched_anew": _("The previous items expired. These are new ones."),
    "signed_out": _(
        "You are signed out. Open your invitation link again or sign in, then return to this page.",
    ),
    "link_wanted": _("Paste the complete link from your invitation."),
    "link_refused": _("This link no longer works. Ask the organisers for a new one."),
    "link_of_another": _(
        "This link belongs to another judge, who is now signed in. Your work stays on this device until you open your own link.",
    ),
    "link_of_newcomers": _(
        "This link is for new judges and cannot sign you in again. Your work stays on this device. Paste your own link, or ask the organisers for a new link for {name}.",
    ),
    "unreachable": _("The server cannot be reached. Try again shortly."),
    "done_on_other_device": _(
        "You answered this item on another device. That answer counts; you can change it under “Your judgments”.",
    ),
    "end_done_title": _("You are done. Thank you."),
    "end_done": _(
        "You have judged all items that the organisers asked of you, and all are saved.",
    ),
    "end_none_left_title": _("No more items for now"),
    "end_none_left": _(
        "Thank you. New items appear here when they are ready. You can also come back later with the same link.",
    ),
    "end_code_title": _("This was your last item"),
    "end_code": _(
        "Thank you. Everything is saved. The next page shows your completion code.",
    ),
    "get_code": _("Get your code"),
    "end_time_over_title": _("The time for this study is over"),
    "end_time_over": _("Everything you submitted is saved."),
    "time_over_here": _(
        "The time for this study is over. You can still submit this item.",
    ),
    "end_returned_title": _("You have left this study"),
    "end_returned": _("Everything you submitted is saved."),
    "end_screened_out_title": _("Your part ends here. Thank you."),
    "end_screened_out": _(
        "Everything you submitted is saved. The next page shows your code.",
    ),
    "go_on": _("Continue"),
    "none_yet": _("No new items yet."),
    "loading": _("Loading your next items …"),
    "loading_offline": _(
        "You are offline. Your next items will load when you are back online.",
    ),
    "loading_server": _("Your next items could not be loaded. Trying again …"),
    "loading_preparing": _("Your next items are being prepared …"),
    "loading_waiting": _(
        "No items are available: the rest are assigned to other judges. Returned items will appear here automatically.",
    ),
    "loading_paused": _("Your judging is paused. The organisers will contact you."),
    "loading_excluded": _(
        "You no longer take part in this campaign. Your judgments are kept. If you have questions, ask the organisers.",
    ),
    "loading_not_begun": _(
        "This campaign has not started yet. Your first items will appear here when it does.",
    ),
    "loading_campaign_paused": _(
        "The organisers paused this campaign. Your judgments are kept. New items will appear here when it resumes.",
    ),
    "loading_campaign_closed": _(
        "This campaign is closed. Your judgments are kept. Thank you!",
    ),
    "loading_instructions": _(
        "The organisers changed the instructions. Read them to continue.",
    ),
    "loading_questions": _(
        "The organisers have a question for you. Answer it to continue.",
    ),
    "loading_outdated": _("Reload this page to load your next items."),
    "loading_declined": _(
        "You declined to take part. Reload this page to take part again.",
    ),
    "practice": _("Practice"),
    "practice_agrees": _("Correct"),
    "practice_differs": _("See the expected answer"),
    "practice_expected": _("Expected order: {order}"),
    "loading_signed_out": _("Your next items will load when you sign in again."),
    "refused": _("The server refused this judgment: {detail}"),
    "differences_on": _("Differences between the outputs highlighted."),
    "differences_off": _("Highlighting off."),
    "columns": _("Side by side"),
    "tiers": _("Drag into tiers"),
    "part_missing": _("You are offline. Try again when you are back online."),
    "part_not_loaded": _(
        "This could not be loaded. Reload the page: your answers are kept.",
    ),
    "layout_back": _("Back to list"),
    "layout_list": _("Outputs in a list."),
    "layout_columns": _("Outputs side by side."),
    "layout_tiers": _(
        "Outputs in tiers. Drag an output by its letter, or press its rank.",
    ),
    "tier": _("Tier {rank}"),
    "tier_best": _("Tier 1, best"),
    "tier_worst": _("Tier 5, worst"),
    "tier_none": _("Not ranked yet"),
    "choice_wanted": _("Select an option."),
    "words_wanted": _("Describe the problem in a few words."),
    "reported": _("Reported to the organisers. Thank you."),
    "history_loading": _("Loading your judgments …"),
    "history_none": _("You haven’t judged anything yet."),
    "history_earlier": _("Older judgments are available when you have finished."),
}

PLURALS = {
    "ratings_wanted": ngettext_lazy(
        "{n} rating is missing. Add it, or skip the item.",
        "{n} ratings are missing. Add them, or skip the item.",
    ),
    "done": ngettext_lazy("{n} done", "{n} done"),
    "waiting": ngettext_lazy(
        "Offline: {n} judgment is kept on this device",
        "Offline: {n} judgments are kept on this device",
    ),
    "server": ngettext_lazy(
        "Server error: {n} judgment is kept on this device and will be sent again shortly",
        "Server error: {n} judgments are kept on this device and will be sent again shortly",
    ),
    "too_fast": ngettext_lazy(
        "Too many requests: {n} judgment is kept on this device and will be sent shortly",
        "Too many requests: {n} judgments are kept on this device and will be sent shortly",
    ),
    "kept": ngettext_lazy(
        "{n} judgment is kept on this device until then.",
        "{n} judgments are kept on this device until then.",
    ),
    "break": ngettext_lazy(
        "You have been judging for {n} minute. Time for a short break?",
        "You have been judging for {n} minutes. Time for a short break?",
    ),
    "worked_today": ngettext_lazy(
        "Today: {n} item, {time}.",
        "Today: {n} items, {time}.",
    ),
    "worked_total": ngettext_lazy(
        "Total: {n} item, {time}.",
        "Total: {n} items, {time}.",
    ),
}

# Hints for judges, each shown once; `static/judge/hints.js` decides when. Keys are in brackets, so
# that touch devices can leave them out. About 70 letters fit into the line.
HINTS = {
    "ranks": (
        _("Press [1] (best) to [5] (worst) to rank the selected output."),
        _("Tap a number: 1 is best, 5 is worst."),
    ),
    "back": (
        _("Changed your mind? [u] opens the previous item."),
        _("Changed your mind? Tap “go back”."),
    ),
    "ties": (
        _("Equally good? Give both outputs the same rank."),
        _("Equally good? Give both outputs the same rank."),
    ),
    "skip": (
        _("Cannot judge an item? [s] skips it."),
        _("Cannot judge an item? Tap “Skip”."),
    ),
    "differences": (
        _("[d] highlights differences between the outputs."),
        _("“differences” highlights differences between the outputs."),
    ),
    "context": (
        _("[c] shows the whole document."),
        _("“document” shows the whole document."),
    ),
    "comment": (
        _("[m] adds a comment to your answer."),
        _("“more…” has comments, your judgments and problem reports."),
    ),
    "keys": (_("[?] lists all shortcuts."), ""),
}


def judging_words(
    reasons: Iterable[tuple[str, str]],
    protocols: Iterable[str],
) -> dict[str, str | dict[str, str]]:
    """Return the page's strings in the active language; plural strings map each sample to its form.

    `reasons` are the reasons that a judge may give for a skip, with labels; `protocols` are those
    with screens on the page.
    """
    texts: dict[str, Promise] = {**WORDS}
    for protocol in protocols:
        texts |= answer_kind(protocol).screen_words
    words: dict[str, str | dict[str, str]] = {
        key: str(text) for key, text in texts.items()
    }
    not_stated = SkipReason.NOT_STATED
    for reason, label in [*reasons, (not_stated.value, str(not_stated.label))]:
        words[f"reason_{reason}"] = label
    for name, (keys, touch) in HINTS.items():
        words |= {f"hint_{name}": str(keys), f"hint_{name}_touch": str(touch)}
    for key, forms in PLURALS.items():
        words[key] = {str(number): forms % number for number in PLURAL_SAMPLES}
    return words
