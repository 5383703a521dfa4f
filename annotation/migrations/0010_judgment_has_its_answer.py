import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    """Check only that a judgment has its answer; Python checks the labels."""

    dependencies = [
        ('annotation', '0009_tallies_of_standing_skips'),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name='judgment',
            name='judgment_has_its_answer',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='judgment',
            trigger=pgtrigger.compiler.Trigger(name='judgment_has_its_answer', sql=pgtrigger.compiler.UpsertTriggerSql(constraint='CONSTRAINT', declare='DECLARE protocol TEXT; is_stored BOOLEAN; scans TEXT;', func="SELECT k.protocol INTO protocol FROM campaign_task k WHERE k.id = NEW.task_id;\nscans := current_setting('enable_seqscan');\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'off', true);\nEND IF;\nCASE protocol\n    WHEN 'rating' THEN is_stored := EXISTS (SELECT FROM protocols_ratinganswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'two_outputs' THEN is_stored := EXISTS (SELECT FROM protocols_twooutputsanswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'spans' THEN is_stored := EXISTS (SELECT FROM protocols_spansanswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'editing' THEN is_stored := EXISTS (SELECT FROM protocols_editinganswer a WHERE a.judgment_id = NEW.id);\n    WHEN 'quiz' THEN is_stored := EXISTS (SELECT FROM protocols_quizanswer a WHERE a.judgment_id = NEW.id);\nELSE is_stored := true;\nEND CASE;\nIF scans = 'on' THEN\n    PERFORM set_config('enable_seqscan', 'on', true);\nEND IF;\nIF NOT is_stored THEN\n    RAISE EXCEPTION 'judgment % has no answer', NEW.id\n        USING ERRCODE = 'integrity_constraint_violation',\n              CONSTRAINT = 'judgment_has_its_answer';\nEND IF;\nRETURN NULL;\n", hash='68feb6e09b4e17b60cdbd860d1b7b28ebae517ea', operation='INSERT', pgid='pgtrigger_judgment_has_its_answer_b8896', table='annotation_judgment', timing='DEFERRABLE INITIALLY DEFERRED', when='AFTER')),
        ),
    ]
