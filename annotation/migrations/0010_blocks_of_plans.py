import pgtrigger.migrations
from django.db import migrations

# A plan was emptied when its blocks were written. The constraints are checked before tables change.
BLOCKS_WRITE = """
INSERT INTO annotation_block (hit_id, segment_id, position, outputs, stands_for, control, expected)
SELECT hit.id, hit.segment_ids[block.position], block.position,
    ARRAY(SELECT jsonb_path_query(block.plan, 'strict $.candidates[*][*]')::bigint),
    CASE WHEN block.plan @? 'strict $.candidates[*] ? (@.size() != 1)' THEN ARRAY(
        SELECT jsonb_path_query(block.plan, 'strict $.candidates[*].size()')::smallint
    ) END,
    CASE WHEN block.plan ? 'expected' THEN 'attention' ELSE '' END,
    CASE WHEN block.plan ? 'expected' THEN ARRAY(
        SELECT jsonb_array_elements_text(block.plan -> 'expected')::smallint
    ) END
FROM annotation_hit hit, jsonb_array_elements(hit.plan) WITH ORDINALITY AS block (plan, position);
SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):
    """Write the blocks of HITs that were planned but not lent yet; drop their plans."""

    dependencies = [
        ('annotation', '0009_tallies_of_standing_skips'),
    ]

    operations = [
        migrations.RunSQL(BLOCKS_WRITE, migrations.RunSQL.noop),
        pgtrigger.migrations.RemoveTrigger(
            model_name='assignment',
            name='assignment_writes_the_blocks_of_its_hit',
        ),
        migrations.RemoveConstraint(
            model_name='hit',
            name='hit_plan_shows_each_of_its_segments',
        ),
        migrations.RemoveField(
            model_name='hit',
            name='plan',
        ),
    ]
