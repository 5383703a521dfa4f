import django.db.models.deletion
from django.db import migrations, models

# Of the judgments that have a number; `is_first`: the judge's first of a block that is no control.
_NUMBERED = """
    WITH numbered AS (
        SELECT j.test_set_id, j.judge_id, j.submitted_at, n.number,
            cardinality(j.labels) AS candidates, p.origin = 'person' AS is_by_a_person,
            j.supersedes_id IS NULL AND b.control = '' AS is_first
        FROM annotation_judgmentnumber n
        JOIN annotation_judgment j ON j.id = n.judgment_id
        JOIN annotation_block b ON b.id = j.block_id
        JOIN campaign_judge p ON p.id = j.judge_id
    )
"""
COUNT = f"""
    {_NUMBERED}
    INSERT INTO annotation_judgetally
        (test_set_id, judge_id, judged, first_number, first_at, last_at)
    SELECT test_set_id, judge_id, count(*) FILTER (WHERE is_first),
        min(number) FILTER (WHERE is_first), min(submitted_at) FILTER (WHERE is_first),
        max(submitted_at)
    FROM numbered GROUP BY test_set_id, judge_id;
    {_NUMBERED}
    INSERT INTO annotation_judgedquarterhour (test_set_id, start, judged)
    SELECT test_set_id, date_bin('15 minutes', submitted_at, TIMESTAMPTZ '2000-01-01 00:00+00'),
        count(*)
    FROM numbered WHERE is_first AND is_by_a_person GROUP BY 1, 2;
    {_NUMBERED}
    UPDATE annotation_judgmentsequence s
    SET judged = counted.judged, judges = counted.judges, changes = 1,
        most_candidates = counted.most_candidates
    FROM (
        SELECT test_set_id, count(*) FILTER (WHERE is_first) AS judged,
            count(DISTINCT judge_id) FILTER (WHERE is_first) AS judges,
            max(candidates) AS most_candidates
        FROM numbered GROUP BY test_set_id
    ) counted
    WHERE s.test_set_id = counted.test_set_id;
"""


class Migration(migrations.Migration):
    """What judgments come to is counted as they are numbered, so that pages do not count them."""

    dependencies = [("annotation", "0007_numbers_after_the_commit")]

    operations = [
        migrations.AddField(
            model_name="judgmentsequence",
            name="changes",
            field=models.PositiveBigIntegerField(
                db_default=0,
                default=0,
                help_text="Rises whenever what pages show of the test set has changed.",
                verbose_name="changes",
            ),
        ),
        migrations.AddField(
            model_name="judgmentsequence",
            name="judged",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="First judgments of blocks, controls not among them.",
                verbose_name="blocks judged",
            ),
        ),
        migrations.AddField(
            model_name="judgmentsequence",
            name="judges",
            field=models.PositiveIntegerField(
                db_default=0,
                default=0,
                help_text="With one of these judgments.",
                verbose_name="judges",
            ),
        ),
        migrations.AddField(
            model_name="judgmentsequence",
            name="most_candidates",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="Of those judged.",
                verbose_name="most outputs in a block",
            ),
        ),
        migrations.CreateModel(
            name="JudgeTally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("judged", models.PositiveIntegerField(verbose_name="first judgments")),
                (
                    "first_number",
                    models.PositiveIntegerField(
                        blank=True, null=True, verbose_name="number of the earliest first judgment"
                    ),
                ),
                (
                    "first_at",
                    models.DateTimeField(
                        blank=True, null=True, verbose_name="earliest first judgment"
                    ),
                ),
                (
                    "last_at",
                    models.DateTimeField(
                        help_text="Revisions and controls are among them.",
                        verbose_name="latest judgment",
                    ),
                ),
                (
                    "judge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judge_tallies",
                        to="campaign.judge",
                    ),
                ),
                (
                    "test_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judge_tallies",
                        to="campaign.testset",
                    ),
                ),
            ],
            options={
                "verbose_name": "tally of a judge",
                "verbose_name_plural": "tallies of judges",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("test_set", "judge"), name="judge_tally_once_per_test_set_and_judge"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgedQuarterHour",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("start", models.DateTimeField(verbose_name="start")),
                ("judged", models.PositiveIntegerField(verbose_name="blocks judged")),
                (
                    "test_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judged_quarter_hours",
                        to="campaign.testset",
                    ),
                ),
            ],
            options={
                "verbose_name": "judged quarter of an hour",
                "verbose_name_plural": "judged quarters of an hour",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("test_set", "start"), name="judged_quarter_hour_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(COUNT),
    ]
