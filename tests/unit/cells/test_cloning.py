"""Each model of a campaign is cloned, or named as not cloned with its reason."""

from annotation import models as annotation
from cells.campaign_rows import TABLES
from cells.cloning import CLONED, INSTEAD, NOT_CLONED, ONLY
from ranking import models as ranking


def test_each_model_is_cloned_or_says_why_not() -> None:
    assert set(CLONED) | set(NOT_CLONED) == set(TABLES)
    assert not set(CLONED) & set(NOT_CLONED)
    assert all(NOT_CLONED.values())


def test_what_is_left_out_or_replaced_is_of_cloned_models_and_columns() -> None:
    assert set(ONLY) <= set(CLONED)
    for model, instead in INSTEAD.items():
        assert model in CLONED
        assert set(instead) <= {field.column for field in model._meta.concrete_fields}


def test_no_work_is_cloned() -> None:
    """Whatever a judge did or was lent."""
    assert not {annotation.Judgment, annotation.Assignment, ranking.RankingRun} & set(CLONED)
