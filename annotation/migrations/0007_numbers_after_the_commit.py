import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    """Judgments get their number after their commit, in a table of its own, to which rows are only added."""

    dependencies = [
        ("annotation", "0006_skips_have_a_time"),
        ("campaign", "0008_terms_and_declining"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(model_name="judgment", name="judgment_fits_its_block"),
        migrations.RemoveConstraint(
            model_name="judgment", name="judgment_number_unique_in_test_set"
        ),
        migrations.RemoveIndex(model_name="judgment", name="judgment_with_comment"),
        migrations.CreateModel(
            name="JudgmentNumber",
            fields=[
                (
                    "judgment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="numbered",
                        serialize=False,
                        to="annotation.judgment",
                    ),
                ),
                (
                    "number",
                    models.PositiveIntegerField(
                        help_text="From 1 in the test set.", verbose_name="number"
                    ),
                ),
                (
                    "test_set",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="judgment_numbers",
                        to="campaign.testset",
                    ),
                ),
            ],
            options={
                "verbose_name": "number of a judgment",
                "verbose_name_plural": "numbers of judgments",
            },
        ),
        migrations.CreateModel(
            name="UnnumberedJudgment",
            fields=[
                (
                    "judgment",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="annotation.judgment",
                    ),
                ),
                (
                    "test_set",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="campaign.testset",
                    ),
                ),
            ],
            options={
                "verbose_name": "judgment without a number",
                "verbose_name_plural": "judgments without a number",
                "indexes": [
                    models.Index(fields=["test_set", "judgment"], name="judgment_unnumbered")
                ],
            },
        ),
        migrations.CreateModel(
            name="RankingRequest",
            fields=[
                (
                    "test_set",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="ranking_request",
                        serialize=False,
                        to="campaign.testset",
                    ),
                ),
                (
                    "requested_at",
                    models.DateTimeField(
                        blank=True,
                        help_text="When a ranking of new judgments was requested; empty once it has begun.",
                        null=True,
                        verbose_name="ranking requested",
                    ),
                ),
            ],
            options={
                "verbose_name": "request of a ranking",
                "verbose_name_plural": "requests of rankings",
            },
        ),
        migrations.RunSQL(
            """
            INSERT INTO annotation_judgmentnumber (judgment_id, test_set_id, number)
            SELECT id, test_set_id, number FROM annotation_judgment ORDER BY test_set_id, number;
            INSERT INTO annotation_rankingrequest (test_set_id, requested_at)
            SELECT test_set_id, ranking_requested_at FROM annotation_judgmentsequence;
            """,
        ),
        migrations.AddConstraint(
            model_name="judgmentnumber",
            constraint=models.UniqueConstraint(
                fields=("test_set", "number"), name="judgment_number_unique_in_test_set"
            ),
        ),
        migrations.RemoveField(model_name="judgment", name="number"),
        migrations.RemoveField(model_name="judgmentsequence", name="ranking_requested_at"),
        migrations.AlterField(
            model_name="judgmentsequence",
            name="last_number",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="last number"),
        ),
        migrations.AlterField(
            model_name="judgment",
            name="test_set",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="judgments",
                to="campaign.testset",
            ),
        ),
        migrations.AlterField(
            model_name="judgment",
            name="assignment",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="Empty for judgments that were imported.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="judgments",
                to="annotation.assignment",
            ),
        ),
        migrations.AddIndex(
            model_name="judgment",
            index=models.Index(
                condition=models.Q(("comment", ""), _negated=True),
                fields=["test_set", "-id"],
                name="judgment_with_comment",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="judgment",
            trigger=pgtrigger.compiler.Trigger(
                name="judgment_fits_its_block",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE own_hit BIGINT; own_test_set BIGINT; shown INTEGER;",
                    func="SELECT b.hit_id INTO own_hit\nFROM annotation_block b WHERE b.id = NEW.block_id;\nSELECT h.test_set_id INTO own_test_set\nFROM annotation_hit h WHERE h.id = own_hit;\nSELECT count(*) INTO shown\nFROM annotation_candidate c WHERE c.block_id = NEW.block_id;\nIF own_test_set <> NEW.test_set_id THEN\n    RAISE EXCEPTION 'block % is not of test set %',\n        NEW.block_id, NEW.test_set_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_of_its_test_set';\nEND IF;\nIF cardinality(NEW.labels) <> shown THEN\n    RAISE EXCEPTION '% labels for % candidates of block %',\n        cardinality(NEW.labels), shown, NEW.block_id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_labels_aligned_with_candidates';\nEND IF;\nIF NEW.supersedes_id IS NOT NULL AND NOT EXISTS (\n    SELECT FROM annotation_judgment j\n    WHERE j.id = NEW.supersedes_id\n        AND j.judge_id = NEW.judge_id AND j.block_id = NEW.block_id\n        AND j.id < NEW.id\n) THEN\n    RAISE EXCEPTION\n        'judgment % supersedes one of another judge, block or time', NEW.id\n        USING ERRCODE = 'check_violation',\n              CONSTRAINT = 'judgment_supersedes_its_own_kind';\nEND IF;\nRETURN NEW;\n",
                    hash="28c8d241e69f63a8045621f7b3c9b0b1075374d5",
                    operation="INSERT",
                    pgid="pgtrigger_judgment_fits_its_block_05c49",
                    table="annotation_judgment",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="judgment",
            trigger=pgtrigger.compiler.Trigger(
                name="judgment_waits_for_its_number",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="INSERT INTO annotation_unnumberedjudgment (judgment_id, test_set_id)\nSELECT inserted.id, inserted.test_set_id FROM inserted;\nRETURN NULL;\n",
                    hash="f410350d26781b4fd7c005f20f4008929f942329",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_judgment_waits_for_its_number_d505d",
                    referencing="REFERENCING NEW TABLE AS inserted ",
                    table="annotation_judgment",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="judgmentnumber",
            trigger=pgtrigger.compiler.Trigger(
                name="judgment_number_append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="ecaf8aadeacdbccb2dfd2694c81a3bc5924028e5",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_judgment_number_append_only_0a0ba",
                    table="annotation_judgmentnumber",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="judgmentnumber",
            trigger=pgtrigger.compiler.Trigger(
                name="judgment_number_never_truncated",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'Cannot truncate %: its rows are kept for good', TG_TABLE_NAME;",
                    hash="a6158fd4e168b312631d593e465e2d65a59ca7ef",
                    level="STATEMENT",
                    operation="TRUNCATE",
                    pgid="pgtrigger_judgment_number_never_truncated_0a541",
                    table="annotation_judgmentnumber",
                    when="BEFORE",
                ),
            ),
        ),
    ]
