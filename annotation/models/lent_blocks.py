"""The blocks of a planned HIT, as rows: written ahead by the worker, or when the HIT is lent."""

import pgtrigger

from campaign.database.copy import IGNORED_TRIGGERS_SET
from campaign.database.triggers import trigger_from_file

# Writes what the plans of the HITs show that `{hits}` holds for, in one statement.
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

# In the database, so that no HIT is ever lent without its blocks, whoever lends it, and none gets
# them twice.
#
# `pgtrigger.ignore` is set until the transaction ends, to what it was or to nothing: the triggers of
# what is written ask for it and catch the error where it is not set, which costs more than what they
# look up. `enable_seqscan` is off for what is planned in here: a connection keeps the plans of
# foreign keys and triggers, and made while the tables are small, they would read them whole for every
# row; after five hundred HITs a lending would take ten times as long, until autovacuum has been there.
BLOCKS_WRITE = trigger_from_file(
    "annotation",
    "assignment_writes_the_blocks_of_its_hit",
    parts={
        "ignored_triggers_set": IGNORED_TRIGGERS_SET,
        "blocks_of_plans": BLOCKS_OF_PLANS.format(hits="h.id = NEW.hit_id"),
    },
    operation=pgtrigger.Insert,
    when=pgtrigger.After,
    declare=[("lent", "RECORD"), ("scans", "TEXT")],
)

# Foreign keys are checked at the commit, those of a lending after this: planned as above, for the
# same reason. Nothing else of the transaction follows.
CHECKED_BY_INDEX = trigger_from_file(
    "annotation",
    "assignment_is_checked_by_index",
    operation=pgtrigger.Insert,
    when=pgtrigger.After,
    timing=pgtrigger.Deferred,
)
