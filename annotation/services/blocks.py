"""Writes the blocks of a planned HIT when it is first lent."""

from django.db import connection

from annotation.models import HIT

# One statement, so that a HIT has all its blocks or none. Those of a HIT that is lent again stay.
# The triggers ask for a setting first and catch the error where there is none, which costs more
# than what they look up: see `campaign.importing.copying.triggers_hasten`.
_WRITE = """
    WITH hit AS MATERIALIZED (
        SELECT h.id, h.plan, h.segment_ids, set_config('pgtrigger.ignore', '{}', true)
        FROM annotation_hit h
        WHERE h.id = %s AND NOT EXISTS (SELECT FROM annotation_block b WHERE b.hit_id = h.id)
    ), block AS (
        INSERT INTO annotation_block (hit_id, segment_id, position, control, expected)
        SELECT hit.id, hit.segment_ids[shown.position], shown.position,
            CASE WHEN shown.block ? 'expected' THEN 'attention' ELSE '' END,
            CASE WHEN shown.block ? 'expected' THEN ARRAY(
                SELECT jsonb_array_elements_text(shown.block -> 'expected')::smallint
            ) END
        FROM hit, jsonb_array_elements(hit.plan) WITH ORDINALITY AS shown (block, position)
        RETURNING id, position
    ), candidate AS (
        INSERT INTO annotation_candidate (block_id, position)
        SELECT block.id, shown.position
        FROM hit, block, jsonb_array_elements(hit.plan -> block.position - 1 -> 'candidates')
            WITH ORDINALITY AS shown (outputs, position)
        RETURNING id, block_id, position
    )
    INSERT INTO annotation_candidateoutput (candidate_id, output_id)
    SELECT candidate.id, shown.output::bigint
    FROM hit, candidate JOIN block ON block.id = candidate.block_id,
        jsonb_array_elements_text(
            hit.plan -> block.position - 1 -> 'candidates' -> candidate.position - 1
        ) AS shown (output)
"""


def blocks_write(*, hit: HIT) -> None:
    """Write the blocks of a HIT by its plan, unless it has them. One query.

    Needs a transaction that holds the lock on the HIT's row. Foreign keys and constraints are
    checked as for any rows: a plan that shows an output of another segment is refused.
    """
    if hit.plan is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, [hit.pk])
