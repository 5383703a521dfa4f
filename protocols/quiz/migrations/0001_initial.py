import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.lookups
import pgtrigger.compiler
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('annotation', '0001_initial'),
        ('campaign', '0002_campaigns'),
    ]

    operations = [
        migrations.CreateModel(
            name='Answer',
            fields=[
                ('judgment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='%(app_label)s_answer', serialize=False, to='annotation.judgment')),
                ('answers', django.contrib.postgres.fields.ArrayField(base_field=models.BooleanField(null=True), help_text='To each statement, null where there is none; empty of a segment that was read on the way.', size=None, verbose_name='answers')),
            ],
            options={
                'verbose_name': 'answers to a quiz',
                'verbose_name_plural': 'answers to quizzes',
                'triggers': [pgtrigger.compiler.Trigger(name='quiz_answer_append_only', sql=pgtrigger.compiler.UpsertTriggerSql(func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;", hash='030d9978eb30b55e439ad7da253ecaf9aac65d9c', operation='UPDATE OR DELETE', pgid='pgtrigger_quiz_answer_append_only_26702', table='quiz_answer', when='BEFORE')), pgtrigger.compiler.Trigger(name='quiz_answer_fits_its_judgment', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE wrong RECORD; scans TEXT;', func="scans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nSELECT n.judgment_id, j.labels, j.protocol <> 'quiz' AS is_of_another,\n    j.labels::integer[] <> '{1}' AS has_other_labels,\n    cardinality(n.answers) AS given, j.asked\nINTO wrong\nFROM new_rows n CROSS JOIN LATERAL (\n    SELECT judgment.labels,\n        (SELECT k.protocol FROM campaign_task k WHERE k.id = judgment.task_id) AS protocol,\n        -- Of statements about a snippet, with its last segment.\n        coalesce((\n            SELECT cardinality(snippet.statements) FROM quiz_snippet snippet\n            WHERE snippet.task_id = judgment.task_id AND snippet.document_id = segment.document_id\n                AND snippet.last = segment.position\n        ), 0) AS asked\n    FROM annotation_judgment judgment, annotation_block block, campaign_segment segment\n    WHERE judgment.id = n.judgment_id AND block.id = judgment.block_id\n        AND segment.id = block.segment_id\n    OFFSET 0\n) j\nWHERE j.protocol <> 'quiz' OR j.labels::integer[] <> '{1}' OR cardinality(n.answers) <> j.asked\nLIMIT 1;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF wrong.judgment_id IS NULL THEN\n    RETURN NULL;\nEND IF;\nIF wrong.is_of_another THEN\n    RAISE EXCEPTION 'judgment % is not of a quiz', wrong.judgment_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quiz_answer_of_its_protocol';\nEND IF;\nIF wrong.has_other_labels THEN\n    RAISE EXCEPTION 'judgment % has the labels %, not those of one output',\n        wrong.judgment_id, wrong.labels\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quiz_labels_are_of_one_output';\nEND IF;\nRAISE EXCEPTION 'judgment % has % answers to % statements',\n    wrong.judgment_id, wrong.given, wrong.asked\n    USING ERRCODE = 'check_violation',\n          CONSTRAINT = 'quiz_answer_to_each_statement';\n", hash='4cb1613e5f86d7713dd99cabdb785288bd825956', level='STATEMENT', operation='INSERT', pgid='pgtrigger_quiz_answer_fits_its_judgment_d7bd0', referencing='REFERENCING NEW TABLE AS new_rows ', table='quiz_answer', when='AFTER'))],
            },
        ),
        migrations.CreateModel(
            name='Snippet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='From 1 in the task.', verbose_name='number')),
                ('name', models.CharField(max_length=200, verbose_name='name')),
                ('first', models.PositiveIntegerField(help_text='By its position in the document, from 1.', verbose_name='first segment')),
                ('last', models.PositiveIntegerField(verbose_name='last segment')),
                ('statements', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None, verbose_name='statements')),
                ('expected', django.contrib.postgres.fields.ArrayField(base_field=models.BooleanField(), help_text='Whether each statement is true.', size=None, verbose_name='expected answers')),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snippets', to='campaign.document', verbose_name='document')),
                ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='snippets', to='campaign.task')),
            ],
            options={
                'verbose_name': 'snippet',
                'verbose_name_plural': 'snippets',
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('task', 'number'), name='quiz_snippet_number_unique_in_task'), models.UniqueConstraint(fields=('task', 'name'), name='quiz_snippet_name_unique_in_task'), models.CheckConstraint(condition=models.Q(('first__gte', 1), ('last__gte', models.F('first')), ('last__lt', django.db.models.expressions.CombinedExpression(models.F('first'), '+', models.Value(50)))), name='quiz_snippet_has_1_to_50_segments'), models.CheckConstraint(condition=models.Q(('statements__len__gte', 1), ('statements__len__lte', 20)), name='quiz_snippet_has_1_to_20_statements'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Exact(models.Func('statements', function='cardinality', output_field=models.IntegerField()), models.Func('expected', function='cardinality', output_field=models.IntegerField()))), name='quiz_snippet_expects_an_answer_to_each_statement')],
                'triggers': [pgtrigger.compiler.Trigger(name='quiz_snippet_before_it_is_read', sql=pgtrigger.compiler.UpsertTriggerSql(declare='DECLARE of_task BIGINT;', func="of_task := CASE TG_OP WHEN 'DELETE' THEN OLD.task_id ELSE NEW.task_id END;\nIF EXISTS (\n    SELECT FROM annotation_assignment a JOIN annotation_hit h ON h.id = a.hit_id\n    WHERE h.task_id = of_task\n) OR EXISTS (\n    -- Imported ones, which nobody was lent.\n    SELECT FROM annotation_judgment j WHERE j.task_id = of_task\n) THEN\n    RAISE EXCEPTION 'task % was read, or judges were lent HITs of it: its snippets stay as they are', of_task\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quiz_snippet_before_it_is_read';\nEND IF;\nRETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;\n", hash='a7f9fcecdf63603670d84ca2c14ce23935b14254', operation='INSERT OR DELETE', pgid='pgtrigger_quiz_snippet_before_it_is_read_4d449', table='quiz_snippet', when='BEFORE')), pgtrigger.compiler.Trigger(name='quiz_snippet_fits_its_task', sql=pgtrigger.compiler.UpsertTriggerSql(func="IF NOT EXISTS (\n    SELECT FROM campaign_task k JOIN campaign_document d ON d.test_set_id = k.test_set_id\n    WHERE k.id = NEW.task_id AND d.id = NEW.document_id AND k.protocol = 'quiz'\n) THEN\n    RAISE EXCEPTION 'document % is not of the test set of quiz %', NEW.document_id, NEW.task_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quiz_snippet_of_a_quiz_and_its_texts';\nEND IF;\nIF (\n    SELECT count(*) FROM campaign_segment s\n    WHERE s.document_id = NEW.document_id AND s.position BETWEEN NEW.first AND NEW.last\n) <> NEW.last - NEW.first + 1 THEN\n    RAISE EXCEPTION 'document % has no segments % to %', NEW.document_id, NEW.first, NEW.last\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'quiz_snippet_of_segments_that_are_there';\nEND IF;\nIF EXISTS (\n    SELECT FROM quiz_snippet other\n    WHERE other.task_id = NEW.task_id AND other.document_id = NEW.document_id\n        AND other.first <= NEW.last AND other.last >= NEW.first\n) THEN\n    RAISE EXCEPTION 'segments % to % of document % are in another snippet',\n        NEW.first, NEW.last, NEW.document_id\n        USING ERRCODE = 'exclusion_violation',\n              CONSTRAINT = 'quiz_snippet_shares_no_segment';\nEND IF;\nRETURN NEW;\n", hash='0a7fc7dd38c8646db2e90b5ad9afe26e8c8e1c93', operation='INSERT', pgid='pgtrigger_quiz_snippet_fits_its_task_2ab03', table='quiz_snippet', when='BEFORE'))],
            },
        ),
    ]
