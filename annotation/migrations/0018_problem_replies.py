import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Problem reports are answered and closed."""

    dependencies = [
        ('annotation', '0017_activity'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='pagechanges',
            name='problems_closed',
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name='problem reports that are closed'),
        ),
        migrations.CreateModel(
            name='ProblemReply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Of the replies to this report, from 1.', verbose_name='number')),
                ('text', models.TextField(blank=True, help_text='The judge reads it.', verbose_name='answer')),
                ('closed', models.BooleanField(help_text='Whether the report is closed from this reply on.', verbose_name='closed')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='created')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('report', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='replies', to='annotation.problemreport')),
                ('takes_back', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='taken_back_by', to='annotation.problemreply')),
            ],
            options={
                'verbose_name': 'reply to a problem report',
                'verbose_name_plural': 'replies to problem reports',
                'constraints': [models.UniqueConstraint(fields=('report', 'number'), name='problem_reply_number_once'), models.CheckConstraint(condition=models.Q(models.Q(('takes_back__isnull', False), ('text', '')), models.Q(models.Q(('closed', True), models.Q(('text', ''), _negated=True), _connector='OR'), ('takes_back__isnull', True)), _connector='OR'), name='problem_reply_says_closes_or_takes_back')],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='problemreply',
            trigger=pgtrigger.compiler.Trigger(name='problem_reply_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='c14625a77e0d01a7fb20b844a877f2fefc9cea04', operation='UPDATE OR DELETE', pgid='pgtrigger_problem_reply_append_only_8dfb1', table='annotation_problemreply', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='problemreply',
            trigger=pgtrigger.compiler.Trigger(name='problem_reply_never_truncated', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'Cannot truncate %: its rows are kept for good', TG_TABLE_NAME;", hash='06da6b3fc46267061f6fb9e1902e25f0a862ba66', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_problem_reply_never_truncated_cb18f', table='annotation_problemreply', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='problemreply',
            trigger=pgtrigger.compiler.Trigger(name='problem_reply_follows_the_last', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NEW.number <> 1 + coalesce(\n    (SELECT max(r.number) FROM annotation_problemreply r WHERE r.report_id = NEW.report_id), 0\n) THEN\n    RAISE EXCEPTION 'reply % does not follow the last one of report %',\n        NEW.number, NEW.report_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'problem_reply_follows_the_last';\nEND IF;\nRETURN NEW;\n", hash='a0baf39ddc4a4be8441d986b7fd6d67eb7d4be85', operation='INSERT', pgid='pgtrigger_problem_reply_follows_the_last_1d20b', table='annotation_problemreply', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='problemreply',
            trigger=pgtrigger.compiler.Trigger(name='problem_reply_takes_back_its_own', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NEW.takes_back_id IS NOT NULL AND NOT EXISTS (\n    SELECT FROM annotation_problemreply r\n    WHERE r.id = NEW.takes_back_id AND r.report_id = NEW.report_id AND r.takes_back_id IS NULL\n) THEN\n    RAISE EXCEPTION 'reply % is none of report % that can be taken back',\n        NEW.takes_back_id, NEW.report_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'problem_reply_takes_back_its_own';\nEND IF;\nRETURN NEW;\n", hash='c7fac3c19cbd20911e327c9a16dab55e1357850d', operation='INSERT', pgid='pgtrigger_problem_reply_takes_back_its_own_c2a9b', table='annotation_problemreply', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='problemreply',
            trigger=pgtrigger.compiler.Trigger(name='problem_reply_changes_pages', sql=pgtrigger.compiler.UpsertTriggerSql(func='UPDATE annotation_pagechanges c\nSET changes = c.changes + 1,\n    problems_closed = c.problems_closed + NEW.closed::integer - coalesce((\n        SELECT r.closed::integer FROM annotation_problemreply r\n        WHERE r.report_id = NEW.report_id AND r.number = NEW.number - 1\n    ), 0)\nFROM annotation_problemreport p\nWHERE p.id = NEW.report_id AND c.test_set_id = p.test_set_id;\nRETURN NULL;\n', hash='902256a15dad3219b4e89fe70290668662c76661', operation='INSERT', pgid='pgtrigger_problem_reply_changes_pages_3d98f', table='annotation_problemreply', when='AFTER')),
        ),
    ]
