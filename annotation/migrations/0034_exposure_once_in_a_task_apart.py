from django.db import migrations, models

_NAME = "exposure_once_except_as_a_repeat"
_NEW = "exposure_once_apart"


class Migration(migrations.Migration):
    """The index is built beside the one that holds meanwhile, so that judges go on. Stopped in the middle, it begins anew."""

    atomic = False

    dependencies = [("annotation", "0033_exposures_apart")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    [
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_NEW}",
                        f"""
                        CREATE UNIQUE INDEX CONCURRENTLY {_NEW}
                        ON annotation_exposure (judge_id, segment_id, apart) WHERE NOT is_repeat
                        """,
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_NAME}",
                        f"ALTER INDEX {_NEW} RENAME TO {_NAME}",
                    ],
                    [
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_NEW}",
                        f"""
                        CREATE UNIQUE INDEX CONCURRENTLY {_NEW}
                        ON annotation_exposure (judge_id, segment_id) WHERE NOT is_repeat
                        """,
                        f"DROP INDEX CONCURRENTLY IF EXISTS {_NAME}",
                        f"ALTER INDEX {_NEW} RENAME TO {_NAME}",
                    ],
                ),
            ],
            state_operations=[
                migrations.RemoveConstraint(model_name="exposure", name=_NAME),
                migrations.AddConstraint(
                    model_name="exposure",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("is_repeat", False)),
                        fields=("judge", "segment", "apart"),
                        name=_NAME,
                    ),
                ),
            ],
        ),
    ]
