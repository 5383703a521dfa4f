import django.db.models.deletion
from django.db import migrations, models

_NAME = "exposure_once_except_as_a_repeat"
_NEW = "exposure_once_but_for_repeats"
_OF_JUDGE = "annotation_exposure_judge_id_79c2f92f"


class Migration(migrations.Migration):
    """The index is built beside those that hold meanwhile, so that judges go on. Stopped in the middle, it begins anew."""

    atomic = False

    dependencies = [("annotation", "0047_lending_plans_by_index_itself")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    [
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_NEW}",
                        f"""
                        CREATE UNIQUE INDEX CONCURRENTLY {_NEW} ON annotation_exposure
                        (judge_id, segment_id, apart, (CASE WHEN is_repeat THEN id END)) NULLS NOT DISTINCT
                        """,
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_NAME}",
                        f"ALTER INDEX {_NEW} RENAME TO {_NAME}",
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_OF_JUDGE}",
                    ],
                    [
                        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {_OF_JUDGE} ON annotation_exposure (judge_id)",
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_NEW}",
                        f"""
                        CREATE UNIQUE INDEX CONCURRENTLY {_NEW}
                        ON annotation_exposure (judge_id, segment_id, apart) WHERE NOT is_repeat
                        """,
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_NAME}",
                        f"ALTER INDEX {_NEW} RENAME TO {_NAME}",
                    ],
                ),
            ],
            state_operations=[
                migrations.RemoveConstraint(model_name="exposure", name=_NAME),
                migrations.AlterField(
                    model_name="exposure",
                    name="judge",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exposures",
                        to="campaign.judge",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="exposure",
                    constraint=models.UniqueConstraint(
                        models.F("judge"),
                        models.F("segment"),
                        models.F("apart"),
                        models.Case(models.When(is_repeat=True, then="id")),
                        name=_NAME,
                        nulls_distinct=False,
                    ),
                ),
            ],
        ),
    ]
