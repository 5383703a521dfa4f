from django.db import migrations


class Migration(migrations.Migration):
    """Store the skips of a judge that stand in one column instead of two."""

    dependencies = [
        ('annotation', '0008_machine_answers_of_files'),
    ]

    operations = [
        migrations.RunSQL(
            "UPDATE annotation_judgetally SET skipped = skipped - taken_back WHERE taken_back > 0",
            migrations.RunSQL.noop,
        ),
        migrations.RemoveField(
            model_name='judgetally',
            name='taken_back',
        ),
    ]
