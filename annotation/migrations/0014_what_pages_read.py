import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


# Skips are never changed, except here.
TEST_SETS = """
    ALTER TABLE annotation_skip DISABLE TRIGGER USER;
    UPDATE annotation_skip k SET test_set_id = h.test_set_id
    FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id WHERE b.id = k.block_id;
    ALTER TABLE annotation_skip ENABLE TRIGGER USER;
"""
# All skips, and the judgments that have a number.
COUNT = """
    INSERT INTO annotation_judgetally AS t (test_set_id, judge_id, judged, skipped, last_at)
    SELECT k.test_set_id, k.judge_id, 0,
        count(*) FILTER (WHERE b.control = '' AND n.judgment_id IS NULL), max(k.created_at)
    FROM annotation_skip k
    JOIN annotation_block b ON b.id = k.block_id
    LEFT JOIN annotation_judgment j ON j.judge_id = k.judge_id AND j.block_id = k.block_id
        AND j.supersedes_id IS NULL
    LEFT JOIN annotation_judgmentnumber n ON n.judgment_id = j.id
    GROUP BY 1, 2
    ON CONFLICT (test_set_id, judge_id) DO UPDATE
    SET skipped = EXCLUDED.skipped, last_at = greatest(t.last_at, EXCLUDED.last_at);

    INSERT INTO annotation_judgmentsequence AS s (test_set_id, skipped)
    SELECT test_set_id, sum(skipped) FROM annotation_judgetally GROUP BY 1
    ON CONFLICT (test_set_id) DO UPDATE SET skipped = EXCLUDED.skipped, changes = s.changes + 1;

    INSERT INTO annotation_workedquarterhour
        (judge_id, test_set_id, start, sentences, active_ms, untimed)
    SELECT judge_id, test_set_id, date_bin('15 minutes', at, TIMESTAMPTZ '2000-01-01 00:00+00'),
        count(*) FILTER (WHERE is_sentence), coalesce(sum(active_ms), 0),
        count(*) FILTER (WHERE active_ms IS NULL)
    FROM (
        SELECT j.judge_id, j.test_set_id, j.submitted_at AS at, j.active_ms,
            j.supersedes_id IS NULL AND (k.id IS NULL OR j.submitted_at < k.created_at)
                AS is_sentence
        FROM annotation_judgment j
        JOIN annotation_judgmentnumber n ON n.judgment_id = j.id
        LEFT JOIN annotation_skip k ON k.judge_id = j.judge_id AND k.block_id = j.block_id
        WHERE j.assignment_id IS NOT NULL
        UNION ALL
        SELECT k.judge_id, k.test_set_id, k.created_at, k.active_ms,
            n.judgment_id IS NULL OR k.created_at <= j.submitted_at
        FROM annotation_skip k
        LEFT JOIN annotation_judgment j ON j.judge_id = k.judge_id AND j.block_id = k.block_id
            AND j.supersedes_id IS NULL
        LEFT JOIN annotation_judgmentnumber n ON n.judgment_id = j.id
        WHERE k.assignment_id IS NOT NULL
    ) done
    GROUP BY 1, 2, 3;

    INSERT INTO annotation_pagechanges (test_set_id, changes, problem_reports)
    SELECT test_set_id, 1, count(*) FROM annotation_problemreport GROUP BY 1;
"""


class Migration(migrations.Migration):
    """Skips and the time of judges are counted too, and what else changes pages leaves a mark."""

    dependencies = [
        ("annotation", "0013_small_tables_not_analyzed"),
        ("campaign", "0008_terms_and_declining"),
    ]

    operations = [
        migrations.CreateModel(
            name="PageChanges",
            fields=[
                (
                    "test_set",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="page_changes",
                        serialize=False,
                        to="campaign.testset",
                    ),
                ),
                (
                    "changes",
                    models.PositiveBigIntegerField(db_default=0, default=0, verbose_name="changes"),
                ),
                (
                    "problem_reports",
                    models.PositiveIntegerField(
                        db_default=0, default=0, verbose_name="problem reports"
                    ),
                ),
            ],
            options={
                "verbose_name": "changes of pages",
                "verbose_name_plural": "changes of pages",
            },
        ),
        migrations.CreateModel(
            name="UncountedSkip",
            fields=[
                (
                    "skip",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="annotation.skip",
                    ),
                ),
            ],
            options={
                "verbose_name": "skip that is not counted",
                "verbose_name_plural": "skips that are not counted",
            },
        ),
        migrations.CreateModel(
            name="WorkedQuarterHour",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("start", models.DateTimeField(verbose_name="start")),
                (
                    "sentences",
                    models.PositiveIntegerField(verbose_name="sentences judged or skipped"),
                ),
                ("active_ms", models.PositiveBigIntegerField(verbose_name="active time, ms")),
                ("untimed", models.PositiveIntegerField(verbose_name="submissions without a time")),
            ],
            options={
                "verbose_name": "worked quarter of an hour",
                "verbose_name_plural": "worked quarters of an hour",
            },
        ),
        migrations.AddField(
            model_name="judgetally",
            name="skipped",
            field=models.PositiveIntegerField(
                db_default=0, default=0, verbose_name="blocks skipped"
            ),
        ),
        migrations.AddField(
            model_name="judgetally",
            name="taken_back",
            field=models.PositiveIntegerField(
                db_default=0, default=0, verbose_name="of these, ranked later"
            ),
        ),
        migrations.AddField(
            model_name="judgmentsequence",
            name="skipped",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="Skips that stand, controls not among them.",
                verbose_name="blocks skipped",
            ),
        ),
        migrations.AddField(
            model_name="skip",
            name="test_set",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                default=0,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="skips",
                to="campaign.testset",
            ),
            preserve_default=False,
        ),
        migrations.RunSQL(TEST_SETS),
        migrations.AlterField(
            model_name="judgetally",
            name="last_at",
            field=models.DateTimeField(
                help_text="Revisions and controls are among them.",
                verbose_name="latest judgment or skip",
            ),
        ),
        migrations.AlterField(
            model_name="judgmentsequence",
            name="changes",
            field=models.PositiveBigIntegerField(
                db_default=0,
                default=0,
                help_text="Rises whenever judgments or skips are counted.",
                verbose_name="changes",
            ),
        ),
        migrations.AlterField(
            model_name="skip",
            name="judge",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="skips",
                to="campaign.judge",
            ),
        ),
        migrations.AddIndex(
            model_name="hit",
            index=models.Index(
                condition=models.Q(("purpose", "training")),
                fields=["reserved_for", "test_set", "number"],
                name="hit_training",
            ),
        ),
        migrations.AddIndex(
            model_name="skip",
            index=models.Index(
                condition=models.Q(("comment", ""), _negated=True),
                fields=["test_set", "-id"],
                name="skip_with_comment",
            ),
        ),
        migrations.AddIndex(
            model_name="skip",
            index=models.Index(fields=["judge", "-created_at"], name="skip_of_a_judge"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="problemreport",
            trigger=pgtrigger.compiler.Trigger(
                name="problem_report_changes_pages",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO annotation_pagechanges AS c (test_set_id, changes, problem_reports)\nSELECT inserted.test_set_id, 1, count(*) FROM inserted GROUP BY 1 ORDER BY 1\nON CONFLICT (test_set_id) DO UPDATE\nSET changes = c.changes + 1, problem_reports = c.problem_reports + EXCLUDED.problem_reports;\nRETURN NULL;\n",
                    hash="1d58a89d0d704405d399230d100987be2eedc385",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_problem_report_changes_pages_99ec0",
                    referencing="REFERENCING NEW TABLE AS inserted ",
                    table="annotation_problemreport",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="qualityaction",
            trigger=pgtrigger.compiler.Trigger(
                name="quality_action_changes_pages",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO annotation_pagechanges AS c (test_set_id, changes, problem_reports)\nSELECT t.id, 1, 0 FROM campaign_testset t WHERE t.campaign_id IN (\n    SELECT p.campaign_id FROM written JOIN campaign_judge p ON p.id = written.judge_id\n) ORDER BY t.id\nON CONFLICT (test_set_id) DO UPDATE SET changes = c.changes + 1;\nRETURN NULL;\n",
                    hash="43cc939a1681e92e223ca28b7aaf8d35d3b5f8a8",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_quality_action_changes_pages_dca3a",
                    referencing="REFERENCING NEW TABLE AS written ",
                    table="annotation_qualityaction",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="qualityreversal",
            trigger=pgtrigger.compiler.Trigger(
                name="quality_reversal_changes_pages",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO annotation_pagechanges AS c (test_set_id, changes, problem_reports)\nSELECT t.id, 1, 0 FROM campaign_testset t WHERE t.campaign_id IN (\n    SELECT p.campaign_id FROM written\n    JOIN annotation_qualityaction a ON a.id = written.action_id\n    JOIN campaign_judge p ON p.id = a.judge_id\n) ORDER BY t.id\nON CONFLICT (test_set_id) DO UPDATE SET changes = c.changes + 1;\nRETURN NULL;\n",
                    hash="fb717a1cda74b1d8ac737bd97a0fd159790fe272",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_quality_reversal_changes_pages_3520d",
                    referencing="REFERENCING NEW TABLE AS written ",
                    table="annotation_qualityreversal",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="qualityrule",
            trigger=pgtrigger.compiler.Trigger(
                name="quality_rule_changes_pages_new",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO annotation_pagechanges AS c (test_set_id, changes, problem_reports)\nSELECT t.id, 1, 0 FROM campaign_testset t WHERE t.campaign_id IN (\n    SELECT written.campaign_id FROM written\n) ORDER BY t.id\nON CONFLICT (test_set_id) DO UPDATE SET changes = c.changes + 1;\nRETURN NULL;\n",
                    hash="702e362d4e07bc01aa5786da83e09856f9afaef6",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_quality_rule_changes_pages_new_52c49",
                    referencing="REFERENCING NEW TABLE AS written ",
                    table="annotation_qualityrule",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="qualityrule",
            trigger=pgtrigger.compiler.Trigger(
                name="quality_rule_changes_pages_off",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO annotation_pagechanges AS c (test_set_id, changes, problem_reports)\nSELECT t.id, 1, 0 FROM campaign_testset t WHERE t.campaign_id IN (\n    SELECT written.campaign_id FROM written\n) ORDER BY t.id\nON CONFLICT (test_set_id) DO UPDATE SET changes = c.changes + 1;\nRETURN NULL;\n",
                    hash="d9ddefe70ab6b8505b526656cd6f7848ba3c8897",
                    level="STATEMENT",
                    operation="UPDATE",
                    pgid="pgtrigger_quality_rule_changes_pages_off_399b0",
                    referencing="REFERENCING NEW TABLE AS written ",
                    table="annotation_qualityrule",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="skip",
            trigger=pgtrigger.compiler.Trigger(
                name="skip_of_its_test_set",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="IF NOT EXISTS (\n    SELECT FROM annotation_block b JOIN annotation_hit h ON h.id = b.hit_id\n    WHERE b.id = NEW.block_id AND h.test_set_id = NEW.test_set_id\n) THEN\n    RAISE EXCEPTION 'block % is not of test set %',\n        NEW.block_id, NEW.test_set_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'skip_of_its_test_set';\nEND IF;\nRETURN NEW;\n",
                    hash="4a643146039a03e69d15a7f9c5b9c6875d6bc332",
                    operation="INSERT",
                    pgid="pgtrigger_skip_of_its_test_set_9814e",
                    table="annotation_skip",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="skip",
            trigger=pgtrigger.compiler.Trigger(
                name="skip_waits_to_be_counted",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO annotation_uncountedskip (skip_id, test_set_id)\nSELECT inserted.id, inserted.test_set_id FROM inserted;\nRETURN NULL;\n",
                    hash="73881cbaad0f04057e19ad681add6d91d199bd07",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_skip_waits_to_be_counted_e7641",
                    referencing="REFERENCING NEW TABLE AS inserted ",
                    table="annotation_skip",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="uncountedskip",
            name="test_set",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="campaign.testset",
            ),
        ),
        migrations.AddField(
            model_name="workedquarterhour",
            name="judge",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="worked_quarter_hours",
                to="campaign.judge",
            ),
        ),
        migrations.AddField(
            model_name="workedquarterhour",
            name="test_set",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="worked_quarter_hours",
                to="campaign.testset",
            ),
        ),
        migrations.AddIndex(
            model_name="uncountedskip",
            index=models.Index(fields=["test_set", "skip"], name="skip_uncounted"),
        ),
        migrations.AddConstraint(
            model_name="workedquarterhour",
            constraint=models.UniqueConstraint(
                fields=("judge", "test_set", "start"), name="worked_quarter_hour_once"
            ),
        ),
        migrations.RunSQL(COUNT),
    ]
