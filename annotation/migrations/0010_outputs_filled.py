from typing import Any, Final

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# HITs of one transaction: some seconds, and as many row locks as they have blocks.
HITS_AT_ONCE: Final = 20_000

FILL: Final = """
    UPDATE annotation_block b
    SET outputs = shown.outputs,
        stands_for = CASE WHEN shown.candidates < cardinality(shown.outputs) THEN ARRAY(
            SELECT count(*)::smallint
            FROM unnest(shown.positions) position GROUP BY position ORDER BY position
        ) END
    FROM (
        SELECT c.block_id,
            array_agg(co.output_id ORDER BY c.position, co.id) AS outputs,
            array_agg(c.position ORDER BY c.position, co.id) AS positions,
            count(DISTINCT c.position) AS candidates
        FROM annotation_block empty
        JOIN annotation_candidate c ON c.block_id = empty.id
        JOIN annotation_candidateoutput co ON co.candidate_id = c.id
        WHERE empty.hit_id = ANY (%s) AND empty.outputs = '{}'
        GROUP BY c.block_id
    ) shown
    WHERE b.id = shown.block_id
"""

# Blocks say all that the plan of their HIT said.
EMPTY_PLANS: Final = """
    UPDATE annotation_hit h SET plan = NULL
    WHERE h.id = ANY (%s) AND h.plan IS NOT NULL
        AND EXISTS (SELECT FROM annotation_block b WHERE b.hit_id = h.id)
"""


def fill(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Fill in the outputs of all blocks, test set by test set, each chunk of HITs for good."""
    test_sets = apps.get_model("campaign", "TestSet").objects.order_by("pk")
    hits = apps.get_model("annotation", "HIT").objects.order_by("pk").values_list("pk", flat=True)
    for test_set in list(test_sets.values_list("pk", flat=True)):
        ids = list(hits.filter(test_set=test_set))
        for start in range(0, len(ids), HITS_AT_ONCE):
            with schema_editor.connection.cursor() as cursor:
                chunk = [ids[start : start + HITS_AT_ONCE]]
                cursor.execute(FILL, chunk)
                cursor.execute(EMPTY_PLANS, chunk)


class Migration(migrations.Migration):
    """Blocks written before get their outputs. Stopped in the middle, it goes on where it was."""

    atomic = False

    dependencies = [
        ("annotation", "0009_outputs_of_blocks"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=False),
    ]
