"""Lock an assignment until the commit.

Rule: a judge's tabs submit one after the other, each seeing what the one before stored. It is sent
with `judgment_store` in one round trip, as a statement of its own, so that the second statement
sees what the first one waited for. A connection keeps its plans of what foreign keys look up at the commit: made
while the tables are small they would read them whole, all judgments for each answer, so no table is read whole until then.

Test: tests/integration/annotation/test_statements.py::test_tabs_that_send_the_last_blocks_at_once_close_the_hit_once
Earns: with judgment_store
"""

from campaign.database.prepared import Statement

ASSIGNMENT_LOCK = Statement(
    "assignment_lock",
    "bigint",
    "SELECT set_config('enable_seqscan', 'off', true)"
    " FROM annotation_assignment WHERE id = $1 FOR UPDATE",
)
