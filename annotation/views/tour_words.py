"""The words of the tour. No step's task is longer than two lines of a phone: some 70 letters."""

from django.utils.translation import gettext_lazy as _

# Keys stand in brackets. For whoever has them, and for whoever touches; in order, the last one ends it.
TASKS = {
    "context": (
        _("Read the texts. Press [c] to see the surrounding text."),
        _("Read the texts. Tap “more context” to see the surrounding text."),
    ),
    "differences": (
        _("Press [d] to highlight words that most other outputs do not have."),
        _("Tap “differences” to highlight words that most other outputs do not have."),
    ),
    "rank": (
        _("Rank all outputs: [1] is best, [5] worst. Give two of them the same rank: a tie."),
        _("Rank all outputs: 1 is best, 5 worst. Give two of them the same rank: a tie."),
    ),
    "clear": (
        _("Move to an output with [↑] or [↓], and remove its rank with [0]."),
        _("Tap the chosen rank of an output again to remove it."),
    ),
    "submit": (
        _("Rank what is left, and submit with [Enter]."),
        _("Rank what is left, and tap “Submit”."),
    ),
    "back": (
        _("Changed your mind? [u] opens the previous sentence, [Enter] brings you back."),
        _("Changed your mind? Tap “go back”, look again, and tap “Return”."),
    ),
    "skip": (
        _("Cannot judge a sentence? Press [s], choose a reason, and skip it."),
        _("Cannot judge a sentence? Tap “Skip…”, choose a reason, and skip it."),
    ),
    "end": (
        _("That is all. [?] lists the keys; you can repeat the tour from “more…”."),
        _("That is all. You can repeat the tour from “more…”."),
    ),
}

WORDS = {
    "tour_step": _("Tour: {step} of {steps}"),
    "tour_began": _("Practice sentences: nothing you do here is kept or counts."),
    # After a step.
    "tour_did_context": _("That is the surrounding text. Do the same again to hide it."),
    "tour_did_differences": _("Differences are highlighted. Still read each text in full."),
    "tour_did_rank": _("All ranked, with a tie. The line below shows the order."),
    "tour_did_clear": _("Removed: it has no rank now."),
    "tour_did_back": _("You are back. A change would have replaced your first ranking."),
    "tour_did_skip": _("Skipped, with your reason."),
    # Of the order, which is known here; letters of the sentence just submitted.
    "tour_agrees": _("Correct: {best} was the reference, {worst} belonged to another sentence."),
    "tour_differs": _("Not quite: {best} was the reference, {worst} belonged to another sentence."),
    "tour_agrees_best": _("Correct: {best} was the reference, the others were damaged."),
    "tour_differs_best": _("Not quite: {best} was the reference, the others were damaged."),
    # On the way to the end of a step.
    "tour_ranked": _("Ranked. Now rank the others."),
    "tour_tie_wanted": _("All are ranked. Now give two of them the same rank."),
    "tour_moved": _("It is selected. Now remove its rank."),
    "tour_incomplete": _("Not yet: one output has no rank. You have been taken to it."),
    "tour_went_back": _("Here it is again. Change it if you like, and return."),
    # Something else than the step asks for.
    "tour_other_context": _("That was the context. This step asks for something else."),
    "tour_other_differences": _("Those were the differences. This step asks for something else."),
    "tour_other_rank": _("You ranked an output. This step asks for something else."),
    "tour_other_clear": _("You removed a rank. This step asks for something else."),
    "tour_other_submit": _("You submitted the sentence. This step asks for something else."),
    "tour_other_skip": _("You skipped the sentence. This step asks for something else."),
    "tour_other_back": _("You went back a sentence. This step asks for something else."),
    # In place of what the screen says of real work.
    "done": _("Practice"),
    "reported": _(
        "Nothing is reported during the tour. On the real page, the organisers read your report."
    ),
    "history_none": _("Your real judgments will be listed here. Practice is not kept."),
}


def tour_words() -> dict[str, str]:
    """Return the tour's words in the active language; some replace the screen's own."""
    words = {key: str(text) for key, text in WORDS.items()}
    for name, (keys, touch) in TASKS.items():
        words[f"tour_{name}"] = str(keys)
        words[f"tour_{name}_touch"] = str(touch)
    return words
