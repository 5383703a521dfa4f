"""Lock the judgment sequence of a test set until the commit; make it where there is none yet.

Rule: one at a time gives numbers to the judgments of a test set. It is sent with `judgments_number` in
one round trip, as a statement of its own, so that the second statement sees what the first one waited for.

Test: tests/integration/annotation/test_numbers.py::test_numbers_follow_the_commits_whatever_happens
Earns: with judgments_number
"""

from campaign.database.prepared import Statement

# The update is of no row: it only takes the lock of the one that is there.
JUDGMENT_SEQUENCE_LOCK = Statement(
    "judgment_sequence_lock",
    "bigint",
    """
    INSERT INTO annotation_judgmentsequence AS s (task_id) VALUES ($1)
    ON CONFLICT (task_id) DO UPDATE SET last_number = s.last_number WHERE false
    """,
)
