"""Recorded states of draws name what they hold as the code does."""

from django.db import migrations

TABLES = ('annotation_hitsequence', 'annotation_planningbatch')


def _renamed(table, plan, new_plan, count, new_count):
    return f"""
        UPDATE {table} SET state = (state - '{plan}') || jsonb_build_object('{new_plan}',
            CASE WHEN jsonb_typeof(state -> '{plan}') = 'object'
            THEN ((state -> '{plan}') - '{count}')
                || jsonb_build_object('{new_count}', state -> '{plan}' -> '{count}')
            ELSE state -> '{plan}' END)
        WHERE jsonb_exists(state, '{plan}')
    """


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0009_plain_names'),
    ]

    operations = [
        migrations.RunSQL(
            _renamed(table, 'ahead', 'planned_cycle', 'calm', 'clean_blocks'),
            _renamed(table, 'planned_cycle', 'ahead', 'clean_blocks', 'calm'),
        )
        for table in TABLES
    ]
