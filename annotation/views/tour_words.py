"""The words of the tour. No step's task is longer than two lines of a phone: some 70 letters."""

from django.utils.translation import gettext_lazy as _

# Keys stand in brackets. For whoever has them, and for whoever touches; in order, the last one ends it.
TASKS = {
    "context": (
        _("Read the texts. Press [c] to see more of the story around them."),
        _("Read the texts. Tap “more context” to see more of the story."),
    ),
    "differences": (
        _("Press [d]: words that few of the outputs share are marked."),
        _("Tap “differences”: words that few of the outputs share are marked."),
    ),
    "rank": (
        _("Rank all: [1] is best, [5] worst. Give two of them the same: a tie."),
        _("Rank all: 1 is best, 5 worst. Give two of them the same: a tie."),
    ),
    "clear": (
        _("Move to an output with [↑] or [↓], and take its rank back with [0]."),
        _("Tap the chosen rank of an output once more: it is taken back."),
    ),
    "submit": (
        _("Rank what is left, and submit with [Enter]."),
        _("Rank what is left, and tap “Submit”."),
    ),
    "back": (
        _("Second thoughts? [u] goes back to the last sentence, [Enter] returns."),
        _("Second thoughts? Tap “go back”, look again, and tap “Return”."),
    ),
    "skip": (
        _("Cannot judge one? Press [s], choose a reason, and skip this one."),
        _("Cannot judge one? Tap “Skip…”, choose a reason, and skip this one."),
    ),
    "end": (
        _("That is all. [?] lists the keys, and the tour waits under “more…”."),
        _("That is all. The tour waits for you under “more…”."),
    ),
}

WORDS = {
    "tour_step": _("Tour: {step} of {steps}"),
    "tour_began": _("Practice sentences: nothing you do here is kept or counts."),
    # After a step.
    "tour_did_context": _("There is the story. The same once more folds it away."),
    "tour_did_differences": _("Marked. It helps to compare; read the whole text all the same."),
    "tour_did_rank": _("All ranked, with a tie. The line below shows the order."),
    "tour_did_clear": _("Taken back: it has no rank now."),
    "tour_did_back": _("Back where you were. A change would have replaced your first ranking."),
    "tour_did_skip": _("Skipped, with your reason."),
    # Of the order, which is known here; letters of the sentence just submitted.
    "tour_agrees": _(
        "Just as expected: {best} was the reference itself, and {worst} of another sentence."
    ),
    "tour_differs": _(
        "Not quite as expected: {best} was the reference itself, and {worst} of another sentence."
    ),
    "tour_agrees_best": _("Just as expected: {best} was the reference itself, the others damaged."),
    "tour_differs_best": _(
        "Not quite as expected: {best} was the reference itself, the others damaged."
    ),
    # On the way to the end of a step.
    "tour_ranked": _("Ranked. Go on with the others."),
    "tour_tie_wanted": _("All are ranked. Now give two of them the same rank."),
    "tour_moved": _("Here you are. Now take its rank back."),
    "tour_incomplete": _("Not yet: one is still without a rank, and you were taken to it."),
    "tour_went_back": _("Here it is again. Change it if you like, and return."),
    # Something else than the step asks for.
    "tour_other_context": _("That was the context. This step asks for something else."),
    "tour_other_differences": _("Those were the differences. This step asks for something else."),
    "tour_other_rank": _("You ranked an output. This step asks for something else."),
    "tour_other_clear": _("You took a rank back. This step asks for something else."),
    "tour_other_submit": _("You submitted the sentence. This step asks for something else."),
    "tour_other_skip": _("You skipped the sentence. This step asks for something else."),
    "tour_other_back": _("You went back a sentence. This step asks for something else."),
    # In place of what the screen says of real work.
    "done": _("Practice"),
    "reported": _("In the tour nothing is reported. On the real page the organisers read it."),
    "history_none": _("Your real judgments will be listed here. Practice is not kept."),
}


def tour_words() -> dict[str, str]:
    """Return the tour's words in the active language; some replace the screen's own."""
    words = {key: str(text) for key, text in WORDS.items()}
    for name, (keys, touch) in TASKS.items():
        words[f"tour_{name}"] = str(keys)
        words[f"tour_{name}_touch"] = str(touch)
    return words
