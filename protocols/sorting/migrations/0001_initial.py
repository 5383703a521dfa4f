import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import pgtrigger.compiler
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('campaign', '0002_campaigns'),
    ]

    operations = [
        migrations.CreateModel(
            name='SystemSort',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField(help_text='From 1 in the task.', verbose_name='number')),
                ('systems', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), size=None, verbose_name='systems')),
                ('seed', models.BigIntegerField(verbose_name='seed')),
                ('watermark', models.PositiveIntegerField(help_text='The last judgment before it began, by number.', verbose_name='watermark')),
                ('begun_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='begun')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='sorts', to='campaign.task')),
            ],
            options={
                'verbose_name': 'sort of systems',
                'verbose_name_plural': 'sorts of systems',
                'constraints': [models.UniqueConstraint(fields=('task', 'number'), name='sorting_number_unique_in_task'), models.CheckConstraint(condition=models.Q(('seed__gte', 0)), name='sorting_seed_not_negative')],
            },
        ),
        migrations.CreateModel(
            name='ClosedComparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('step', models.PositiveSmallIntegerField(help_text='From 1 in the sort.', verbose_name='step')),
                ('winner', models.CharField(max_length=200, verbose_name='winner')),
                ('loser', models.CharField(max_length=200, verbose_name='loser')),
                ('wins', models.PositiveIntegerField(help_text='Judgments for the winner.', verbose_name='wins')),
                ('losses', models.PositiveIntegerField(help_text='Judgments for the loser.', verbose_name='losses')),
                ('same', models.PositiveIntegerField(verbose_name='the same')),
                ('is_drawn', models.BooleanField(help_text='Both had as many judgments, and the seed decided.', verbose_name='drawn by lot')),
                ('judgments', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveIntegerField(), help_text='The numbers of those it was computed from.', size=None, verbose_name='judgments')),
                ('watermark', models.PositiveIntegerField(help_text='The last judgment that was known, by number.', verbose_name='watermark')),
                ('closed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False, verbose_name='closed')),
                ('sort', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='sorting.systemsort')),
            ],
            options={
                'verbose_name': 'closed comparison',
                'verbose_name_plural': 'closed comparisons',
                'constraints': [models.UniqueConstraint(fields=('sort', 'step'), name='sorting_step_unique_in_sort'), models.UniqueConstraint(models.F('sort'), django.db.models.functions.comparison.Least('winner', 'loser'), django.db.models.functions.comparison.Greatest('winner', 'loser'), name='sorting_pair_closed_once'), models.CheckConstraint(condition=models.Q(('winner', models.F('loser')), _negated=True), name='sorting_verdict_of_two_systems'), models.CheckConstraint(condition=models.Q(models.Q(('is_drawn', False), ('wins__gt', models.F('losses'))), models.Q(('is_drawn', True), ('wins', models.F('losses'))), _connector='OR'), name='sorting_winner_has_more'), models.CheckConstraint(condition=models.Q(('judgments__len', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('wins'), '+', models.F('losses')), '+', models.F('same')))), name='sorting_judgments_are_those_counted')],
                'triggers': [pgtrigger.compiler.Trigger(name='sorting_verdict_is_of_its_sort', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE asked RECORD; found BIGINT;', func="SELECT s.systems, s.task_id INTO asked FROM sorting_systemsort s WHERE s.id = NEW.sort_id;\nIF NOT ARRAY[NEW.winner, NEW.loser]::text[] <@ asked.systems::text[] THEN\n    RAISE EXCEPTION '% : % is no comparison of sort %', NEW.winner, NEW.loser, NEW.sort_id\n        USING ERRCODE = 'check_violation', CONSTRAINT = 'sorting_verdict_is_of_its_sort';\nEND IF;\n-- What it was computed from is there, and nobody has seen less.\nSELECT count(*) INTO found FROM annotation_judgmentnumber n\nWHERE n.task_id = asked.task_id AND n.number = ANY (NEW.judgments) AND n.number <= NEW.watermark;\nIF found <> cardinality(NEW.judgments) THEN\n    RAISE EXCEPTION 'a verdict of sort % names judgments that its task does not have up to %', NEW.sort_id, NEW.watermark\n        USING ERRCODE = 'check_violation', CONSTRAINT = 'sorting_verdict_from_its_judgments';\nEND IF;\nRETURN NEW;\n", hash='0b2ce3b0bae5af8ef4fcddcf50597c8e0f1cd0c9', operation='INSERT', pgid='pgtrigger_sorting_verdict_is_of_its_sort_b23e5', table='sorting_closedcomparison', when='BEFORE'))],
            },
        ),
    ]
