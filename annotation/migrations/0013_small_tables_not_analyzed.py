from django.db import migrations

_TABLES = ("assignment", "block", "hit", "judgment", "judgmentnumber")
_THRESHOLDS = ("autovacuum_analyze_threshold", "autovacuum_vacuum_threshold")


class Migration(migrations.Migration):
    """Statistics of tables that grow are first made when they hold a thousand rows.

    Made while they are small, they have PostgreSQL plan anew what each submission asks: to read whole tables,
    which then grow, until statistics are made again, a minute later or more.
    """

    dependencies = [
        ("annotation", "0012_unused_indexes"),
    ]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE annotation_{table} SET ({', '.join(f'{each} = 1000' for each in _THRESHOLDS)})",
            f"ALTER TABLE annotation_{table} RESET ({', '.join(_THRESHOLDS)})",
        )
        for table in _TABLES
    ]
