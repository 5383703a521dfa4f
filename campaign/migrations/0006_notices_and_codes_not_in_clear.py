from django.db import migrations, models

from campaign.database.sealing import PREFIX, sealed

_SEALED = (
    ("Panel", "completion_code"),
    ("Panel", "screened_out_code"),
    ("Panel", "completion_address"),
    ("Panel", "screened_out_address"),
    ("Participation", "code"),
    ("WebhookEndpoint", "url"),
)


def secrets_seal(apps, _schema_editor):
    """Encrypt the codes and addresses of panels, and the addresses of webhooks; participants share few codes."""
    for model, column in _SEALED:
        rows = apps.get_model("campaign", model).objects
        in_clear = rows.exclude(**{column: ""}).exclude(**{f"{column}__startswith": PREFIX})
        for value in in_clear.order_by().values_list(column, flat=True).distinct():
            rows.filter(**{column: value}).update(**{column: sealed(value)})


class Migration(migrations.Migration):
    """Encrypt codes of panels and addresses of webhooks, and allow notices to former addresses."""

    dependencies = [
        ("campaign", "0005_secrets_not_in_clear"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='mail',
            name='mail_kind_is_known',
        ),
        migrations.RemoveConstraint(
            model_name='mail',
            name='mail_has_what_its_kind_is_about',
        ),
        migrations.RemoveConstraint(
            model_name='panel',
            name='panel_addresses_are_https',
        ),
        migrations.AlterField(
            model_name='mail',
            name='kind',
            field=models.CharField(choices=[('judge', 'Judge'), ('member', 'Member'), ('password', 'Password'), ('address', 'Address'), ('old_address', 'Old Address'), ('alerts', 'Alerts'), ('recorded', 'Erasure Recorded'), ('refused', 'Erasure Refused'), ('carried_out', 'Erasure Carried Out'), ('asked', 'Erasure Asked')], max_length=11),
        ),
        migrations.AlterField(
            model_name='panel',
            name='completion_address',
            field=models.TextField(blank=True, help_text='Participants return here; {id} and {code} are filled in. If empty, they are shown their code. Not used for Prolific.', max_length=2000, verbose_name='Completion URL'),
        ),
        migrations.AlterField(
            model_name='panel',
            name='completion_code',
            field=models.TextField(blank=True, max_length=60, verbose_name='Completion code'),
        ),
        migrations.AlterField(
            model_name='panel',
            name='screened_out_address',
            field=models.TextField(blank=True, help_text='Screened-out participants return here. Not used for Prolific.', max_length=2000, verbose_name='Screen-out URL'),
        ),
        migrations.AlterField(
            model_name='panel',
            name='screened_out_code',
            field=models.TextField(blank=True, max_length=60, verbose_name='Screen-out code'),
        ),
        migrations.AlterField(
            model_name='participation',
            name='code',
            field=models.TextField(blank=True, max_length=60),
        ),
        migrations.AlterField(
            model_name='webhookendpoint',
            name='url',
            field=models.TextField(max_length=1000, verbose_name='Address'),
        ),
        migrations.AddConstraint(
            model_name='mail',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['judge', 'member', 'password', 'address', 'old_address', 'alerts', 'recorded', 'refused', 'carried_out', 'asked'])), name='mail_kind_is_known'),
        ),
        migrations.AddConstraint(
            model_name='mail',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('campaign__isnull', False), ('day__isnull', True), ('erasure__isnull', True), ('judge__isnull', False), ('kind__in', ['judge']), ('user__isnull', True)), models.Q(('campaign__isnull', False), ('day__isnull', True), ('erasure__isnull', True), ('judge__isnull', True), ('kind__in', ['member']), ('user__isnull', False)), models.Q(('campaign__isnull', True), ('day__isnull', True), ('erasure__isnull', True), ('judge__isnull', True), ('kind__in', ['password']), ('user__isnull', True)), models.Q(('campaign__isnull', True), ('day__isnull', True), ('erasure__isnull', True), ('judge__isnull', True), ('kind__in', ['address', 'old_address']), ('user__isnull', False)), models.Q(('campaign__isnull', True), ('day__isnull', False), ('erasure__isnull', True), ('judge__isnull', True), ('kind__in', ['alerts']), ('user__isnull', False)), models.Q(('campaign__isnull', False), ('day__isnull', True), ('erasure__isnull', False), ('judge__isnull', True), ('kind__in', ['recorded', 'refused', 'carried_out']), ('user__isnull', True)), models.Q(('campaign__isnull', False), ('day__isnull', True), ('erasure__isnull', False), ('judge__isnull', True), ('kind__in', ['asked']), ('user__isnull', False)), _connector='OR'), name='mail_has_what_its_kind_is_about'),
        ),
        migrations.RunPython(secrets_seal, migrations.RunPython.noop),
    ]
