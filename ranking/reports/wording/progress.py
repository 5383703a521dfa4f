"""Sentences on judged blocks that progress or pace does not count."""

from campaign.texts.counted import counted


def not_counted_in_words(excluded: int) -> str:
    """Return a sentence on blocks judged by judges whom the ranking leaves out; empty if there are none."""
    if not excluded:
        return ""
    return counted(
        "Not counted: %(count)s block left out of the results.",
        "Not counted: %(count)s blocks left out of the results.",
        excluded,
    )


def not_in_pace_in_words(not_by_people: int) -> str:
    """Return a sentence on imported and simulated blocks, which pace leaves out; empty if there are none."""
    if not not_by_people:
        return ""
    return counted(
        "Not in pace: %(count)s imported or simulated block.",
        "Not in pace: %(count)s imported or simulated blocks.",
        not_by_people,
    )
