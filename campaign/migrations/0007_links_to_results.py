from django.db import migrations, models


class Migration(migrations.Migration):
    """Allow links to the results of a campaign, which belong to nobody and create no judges."""

    dependencies = [
        ('campaign', '0006_notices_and_codes_not_in_clear'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='invitation',
            name='invitation_role_is_known',
        ),
        migrations.RemoveConstraint(
            model_name='invitation',
            name='invitation_for_anybody_is_for_judges_and_capped',
        ),
        migrations.AlterField(
            model_name='invitation',
            name='role',
            field=models.CharField(choices=[('owner', 'owner'), ('organiser', 'organiser'), ('analyst', 'analyst'), ('judge', 'judge'), ('results', 'results'), ('anonymous', 'results, systems anonymised')], max_length=9, verbose_name='Role'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'organiser', 'analyst', 'judge', 'results', 'anonymous'])), name='invitation_role_is_known'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('cap__gte', 1), ('cap__isnull', False), ('role', 'judge'), ('user__isnull', True)), models.Q(('arrived', 0), ('cap__isnull', True), ('role__in', ('results', 'anonymous')), ('user__isnull', True)), models.Q(models.Q(('role__in', ('results', 'anonymous')), _negated=True), ('arrived', 0), ('cap__isnull', True), ('user__isnull', False)), _connector='OR'), name='invitation_for_anybody_is_to_judge_and_capped_or_to_results'),
        ),
    ]
