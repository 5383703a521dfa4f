"""Write the blocks, candidates and outputs that the plans of HITs show.

Rule: a HIT has exactly the blocks of its plan, in the plan's order: those of an attention check with
the labels expected. The worker writes them ahead, a few HITs at a time, and the trigger
`assignment_writes_the_blocks_of_its_hit` when a HIT is lent that has none.

Test: tests/integration/annotation/test_blocks_of_lent_hits.py::TestLent::test_what_waits_has_no_blocks_and_what_is_lent_has_those_planned
Test: tests/integration/annotation/test_blocks_of_lent_hits.py::TestPrepared::test_the_next_of_the_pool_are_written_as_planned_and_no_others
Test: tests/integration/annotation/test_blocks_of_lent_hits.py::TestPrepared::test_an_attention_check_is_written_with_the_order_it_expects
Earns: with trigger assignment_writes_the_blocks_of_its_hit
"""

from campaign.database.prepared import Statement

# For the HITs, `h`, that `{hits}` holds for.
BLOCKS_OF_PLANS = """
    WITH planned AS MATERIALIZED (
        SELECT h.id, h.plan, h.segment_ids FROM annotation_hit h WHERE {hits}
    ), block AS (
        INSERT INTO annotation_block (hit_id, segment_id, position, control, expected)
        SELECT planned.id, planned.segment_ids[each.place], each.place,
            CASE WHEN each.shown ? 'expected' THEN 'attention' ELSE '' END,
            CASE WHEN each.shown ? 'expected' THEN ARRAY(
                SELECT jsonb_array_elements_text(each.shown -> 'expected')::smallint
            ) END
        FROM planned, jsonb_array_elements(planned.plan) WITH ORDINALITY AS each (shown, place)
        RETURNING id, hit_id, position
    ), candidate AS (
        INSERT INTO annotation_candidate (block_id, position)
        SELECT block.id, each.place
        FROM block JOIN planned ON planned.id = block.hit_id, jsonb_array_elements(
            planned.plan -> block.position - 1 -> 'candidates'
        ) WITH ORDINALITY AS each (outputs, place)
        RETURNING id, block_id, position
    )
    INSERT INTO annotation_candidateoutput (candidate_id, output_id)
    SELECT candidate.id, output::bigint
    FROM candidate JOIN block ON block.id = candidate.block_id
    JOIN planned ON planned.id = block.hit_id, jsonb_array_elements_text(
        planned.plan -> block.position - 1 -> 'candidates' -> candidate.position - 1
    ) AS output
"""

HIT_BLOCKS_WRITE = Statement(
    "hit_blocks_write",
    "bigint[]",
    BLOCKS_OF_PLANS.format(hits="h.id = ANY ($1)"),
)
