from django.db import migrations

# What runs of before meant where they say nothing.
CHOICE = {
    "resample": "two_way",
    "ranges": "percentile",
    "correction": "none",
    "sides": 2,
    "confidence": 0.95,
}
SAME = [
    "test_set_id",
    "method",
    "parameters",
    "seed",
    "watermark",
    "code_version",
    "result",
    "started_at",
    "finished_at",
]


def fill_latest_rankings(apps, _schema_editor):
    """Make the newest run of each test set its latest ranking; runs stay as they are."""
    RankingRun = apps.get_model("ranking", "RankingRun")
    LatestRanking = apps.get_model("ranking", "LatestRanking")
    newest = RankingRun.objects.order_by("test_set", "-id").distinct("test_set")
    for run in newest.iterator(chunk_size=100):
        said = {name: run.parameters.get(name) for name in CHOICE}
        LatestRanking.objects.create(
            **{name: getattr(run, name) for name in SAME},
            choice=CHOICE | {name: value for name, value in said.items() if value is not None},
            without=run.parameters.get("excluded_judges") or [],
            last_kept=run,
            is_kept=True,
        )


def fill_judge_measures(apps, _schema_editor):
    """Give each judge a row with what was measured of them."""
    JudgeMeasures = apps.get_model("ranking", "JudgeMeasures")
    Judge = apps.get_model("campaign", "Judge")
    reports = apps.get_model("ranking", "QualityReport").objects.select_related("test_set")
    for report in reports.iterator(chunk_size=100):
        judges = Judge.objects.filter(
            campaign=report.test_set.campaign_id, pseudonym__in=list(report.measures)
        )
        JudgeMeasures.objects.bulk_create(
            JudgeMeasures(
                test_set_id=report.pk, judge=judge, measures=report.measures[judge.pseudonym]
            )
            for judge in judges
        )


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0004_latest_rankings'),
    ]

    operations = [
        migrations.RunPython(fill_latest_rankings, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(fill_judge_measures, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField(
            model_name='qualityreport',
            name='measures',
        ),
    ]
