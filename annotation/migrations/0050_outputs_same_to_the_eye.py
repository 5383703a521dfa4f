from django.db import migrations, models


class Migration(migrations.Migration):
    """Outputs count as the same text where nobody sees a difference."""

    dependencies = [("annotation", "0049_triggers_ask_before_they_set")]

    operations = [
        migrations.RemoveConstraint(model_name="design", name="design_normalisation_is_known"),
        migrations.AlterField(
            model_name="design",
            name="normalisation",
            field=models.CharField(
                choices=[
                    ("exact", "exact"),
                    ("nfc_whitespace", "after Unicode NFC, whatever the white space"),
                    ("eye", "same to the eye"),
                ],
                default="exact",
                max_length=14,
                verbose_name="identical texts",
            ),
        ),
        migrations.AddConstraint(
            model_name="design",
            constraint=models.CheckConstraint(
                condition=models.Q(("normalisation__in", ["exact", "nfc_whitespace", "eye"])),
                name="design_normalisation_is_known",
            ),
        ),
    ]
