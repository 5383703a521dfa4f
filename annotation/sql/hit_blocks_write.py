"""Write the blocks that the plans of HITs show.

Rule: a HIT has exactly the blocks of its plan, in the plan's order: those of an attention check with
the labels expected. The plan is emptied, since its blocks say all of it. The worker writes them ahead,
a few HITs at a time, and the trigger `assignment_writes_the_blocks_of_its_hit` when a HIT is lent that
has none.

Test: tests/integration/annotation/test_blocks_of_lent_hits.py::TestLent::test_what_waits_has_no_blocks_and_what_is_lent_has_those_planned
Test: tests/integration/annotation/test_blocks_of_lent_hits.py::TestPrepared::test_the_next_of_the_pool_are_written_as_planned_and_no_others
Earns: with trigger assignment_writes_the_blocks_of_its_hit
"""

from campaign.database.prepared import Statement

# For the HITs, `h`, that `{hits}` holds for.
BLOCKS_OF_PLANS = """
    WITH written AS (
        INSERT INTO annotation_block
            (hit_id, segment_id, position, outputs, stands_for, control, expected)
        SELECT h.id, h.segment_ids[each.place], each.place,
            ARRAY(SELECT jsonb_path_query(each.shown, 'strict $.candidates[*][*]')::bigint),
            CASE WHEN each.shown @? 'strict $.candidates[*] ? (@.size() != 1)' THEN ARRAY(
                SELECT jsonb_path_query(each.shown, 'strict $.candidates[*].size()')::smallint
            ) END,
            CASE WHEN each.shown ? 'expected' THEN 'attention' ELSE '' END,
            CASE WHEN each.shown ? 'expected' THEN ARRAY(
                SELECT jsonb_array_elements_text(each.shown -> 'expected')::smallint
            ) END
        FROM annotation_hit h, jsonb_array_elements(h.plan) WITH ORDINALITY AS each (shown, place)
        WHERE {hits}
    )
    UPDATE annotation_hit h SET plan = NULL WHERE {hits}
"""

HIT_BLOCKS_WRITE = Statement(
    "hit_blocks_write",
    "bigint[]",
    BLOCKS_OF_PLANS.format(hits="h.id = ANY ($1)"),
)
