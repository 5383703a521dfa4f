"""The database refuses nonsense by itself, whoever writes it."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, InternalError, transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Candidate, CandidateOutput, Judgment, Skip
from annotation.selectors import assigned_blocks
from annotation.services import hits_plan, judgment_submit, skip_submit
from campaign.models import Judge, Output, System, TestSet
from campaign.services import conflict_declare
from tests.at_work import assignment_lend, lend
from tests.factories import make_campaign, make_judge, make_test_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def test_set() -> TestSet:
    test_set = make_test_set(make_campaign())
    hits_plan(test_set_id=test_set.pk, count=4)
    # There are blocks once a HIT was lent.
    lend(make_judge(test_set.campaign, "judge00"))
    return test_set


@pytest.fixture
def judge(test_set: TestSet) -> Judge:
    return make_judge(test_set.campaign)


@pytest.fixture
def judgment(test_set: TestSet, judge: Judge) -> Judgment:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    block = assigned_blocks(assignment)[0]
    return judgment_submit(
        assigned=block, client_id=uuid4(), labels=[1, 2, 3, 4, 5][: len(block.candidates)]
    )


def copy_of(judgment: Judgment, **fields: object) -> Judgment:
    values = {
        "test_set_id": judgment.test_set_id,
        "number": judgment.number + 1,
        "client_id": uuid4(),
        "judge_id": judgment.judge_id,
        "block_id": judgment.block_id,
        "labels": judgment.labels,
        "supersedes": judgment,
    }
    return Judgment(**{**values, **fields})


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"labels": [1, 2, 3, 4, 6]}, "judgment_ranks_between_1_and_5"),
        ({"labels": [0, 2, 3, 4, 5]}, "judgment_ranks_between_1_and_5"),
        ({"labels": [None, None, None, None, None]}, "judgment_ranks_between_1_and_5"),
        ({"labels": [1, 2, 3, 4]}, "judgment_labels_aligned_with_candidates"),
        ({"labels": [1, 2, 3, 4, 5, 5]}, "judgment_labels_aligned_with_candidates"),
        ({"supersedes": None}, "judgment_one_first_per_judge_and_block"),
        ({"number": 1}, "judgment_supersedes_its_own_kind|judgment_number_unique"),
    ],
)
def test_a_judgment_that_breaks_a_rule_is_refused(
    judgment: Judgment, fields: dict[str, object], constraint: str
) -> None:
    assert len(judgment.labels) == 5
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        copy_of(judgment, **fields).save(force_insert=True)
    diagnosed = refused.value.__cause__.diag.constraint_name  # type: ignore[union-attr]
    assert any(diagnosed.startswith(name) for name in constraint.split("|"))


def test_the_same_client_id_is_one_judgment(judgment: Judgment) -> None:
    with pytest.raises(IntegrityError, match="client_id"):
        copy_of(judgment, client_id=judgment.client_id).save(force_insert=True)


def test_a_blank_label_is_no_nonsense(judgment: Judgment) -> None:
    copy_of(judgment, labels=[1, None, None, 2, None]).save(force_insert=True)
    assert Judgment.objects.current().get().labels == [1, None, None, 2, None]


def test_a_judgment_is_superseded_once(judgment: Judgment) -> None:
    copy_of(judgment).save(force_insert=True)
    with pytest.raises(IntegrityError, match="supersedes_id"):
        copy_of(judgment, number=judgment.number + 2).save(force_insert=True)


def test_a_judgment_supersedes_only_the_same_judges(judgment: Judgment) -> None:
    other = make_judge(judgment.test_set.campaign, "judge02")
    with pytest.raises(IntegrityError, match="another judge, block or time"):
        copy_of(judgment, judge_id=other.pk).save(force_insert=True)


def test_a_judgment_belongs_to_the_test_set_of_its_block(judgment: Judgment) -> None:
    other = make_test_set(judgment.test_set.campaign, name="other")
    with pytest.raises(IntegrityError, match="not of test set"):
        copy_of(judgment, test_set_id=other.pk).save(force_insert=True)


def test_judgments_are_neither_changed_nor_deleted(judgment: Judgment) -> None:
    with pytest.raises(InternalError, match="Cannot update"), transaction.atomic():
        Judgment.objects.filter(pk=judgment.pk).update(labels=[5, 4, 3, 2, 1])
    with pytest.raises(InternalError, match="Cannot update or delete"), transaction.atomic():
        judgment.delete()
    judgment.refresh_from_db()
    assert judgment.labels == [1, 2, 3, 4, 5]


def test_skips_are_neither_changed_nor_deleted(judgment: Judgment) -> None:
    assignment = Assignment.objects.get(judgments=judgment)
    skip = skip_submit(
        assigned=assigned_blocks(assignment)[1], client_id=uuid4(), reason="bad_source"
    )
    with pytest.raises(InternalError, match="Cannot update"), transaction.atomic():
        Skip.objects.filter(pk=skip.pk).update(reason="other")


def test_a_candidate_stands_for_at_least_one_output(test_set: TestSet) -> None:
    block = Block.objects.all()[0]
    Candidate.objects.create(block=block, position=9)
    with pytest.raises(IntegrityError, match="stands for no output"), transaction.atomic():
        _check_deferred_now()
    Candidate.objects.filter(position=9).delete()


def test_a_candidate_stands_for_outputs_of_its_segment_only(test_set: TestSet) -> None:
    candidate = Candidate.objects.all()[0]
    elsewhere = Output.objects.exclude(segment=candidate.block.segment)[0]
    with pytest.raises(IntegrityError, match="not of the segment"):
        CandidateOutput.objects.create(candidate=candidate, output=elsewhere)


def test_an_output_stands_once_in_a_block(test_set: TestSet) -> None:
    first, second = Candidate.objects.filter(block=Block.objects.all()[0])[:2]
    shown = first.outputs.all()[0]
    with pytest.raises(IntegrityError, match="stands twice"):
        CandidateOutput.objects.create(candidate=second, output=shown)


def test_what_is_written_at_once_is_refused_alike(test_set: TestSet) -> None:
    block = Block.objects.all()[0]
    output, other = Output.objects.filter(segment=block.segment)[:2]
    elsewhere = Output.objects.exclude(segment=block.segment)[0]
    fresh = Block.objects.create(hit=block.hit, segment=block.segment, position=9)
    first = Candidate.objects.create(block=fresh, position=1)
    second = Candidate.objects.create(block=fresh, position=2)
    for rows, said in (
        ([(first, output), (second, output)], "stands twice"),
        ([(first, output), (second, elsewhere)], "not of the segment"),
    ):
        with pytest.raises(IntegrityError, match=said), transaction.atomic():
            CandidateOutput.objects.bulk_create(
                CandidateOutput(candidate=candidate, output=shown) for candidate, shown in rows
            )
    CandidateOutput.objects.bulk_create(
        CandidateOutput(candidate=candidate, output=shown)
        for candidate, shown in ((first, output), (second, other))
    )


def test_what_a_candidate_stands_for_is_never_changed(test_set: TestSet) -> None:
    with pytest.raises(InternalError, match="Cannot update"):
        CandidateOutput.objects.update(output=Output.objects.all()[0])


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"purpose": "other"}, "hit_purpose_is_known"),
        ({"purpose": "inter"}, "hit_repeats_another_exactly_if_a_repeat"),
        ({"purpose": "training"}, "hit_for_one_judge_is_reserved"),
        ({"reserved_until": timezone.now()}, "hit_reserved_for_a_judge_and_a_time"),
        ({"number": 1}, "hit_number_unique_in_test_set"),
        ({"plan": [], "segment_ids": [1]}, "hit_plan_shows_each_of_its_segments"),
    ],
)
def test_a_hit_that_breaks_a_rule_is_refused(
    test_set: TestSet, fields: dict[str, object], constraint: str
) -> None:
    values = {"test_set": test_set, "design": test_set.designs.get(), "number": 900}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        HIT.objects.create(**{**values, **fields})


def test_a_hit_repeats_a_first_one_of_its_test_set(test_set: TestSet) -> None:
    other = make_test_set(test_set.campaign, name="other", planned=1)
    first = HIT.objects.filter(test_set=other).get()
    values = {"design": test_set.designs.get(), "purpose": "inter"}
    with pytest.raises(IntegrityError, match="no first HIT"), transaction.atomic():
        HIT.objects.create(test_set=test_set, number=900, repeats=first, **values)
    copy = HIT.objects.create(test_set=other, number=901, repeats=first, **values)
    with pytest.raises(IntegrityError, match="no first HIT"), transaction.atomic():
        HIT.objects.create(test_set=other, number=902, repeats=copy, **values)


def test_a_conflict_of_interest_is_within_a_campaign(test_set: TestSet) -> None:
    stranger = make_judge(make_campaign("elsewhere"))
    with pytest.raises(IntegrityError, match="two campaigns"):
        conflict_declare(judge=stranger, system=test_set.systems.all()[0])


def test_leases_of_a_hit_never_overlap(judgment: Judgment, judge: Judge) -> None:
    assignment = Assignment.objects.get(judgments=judgment)
    other = make_judge(judge.campaign, "judge02")
    now = timezone.now()
    with pytest.raises(IntegrityError, match="never_overlap"), transaction.atomic():
        Assignment.objects.create(
            hit=assignment.hit,
            judge=other,
            lease=DateTimeTZRange(now, now + timedelta(minutes=1)),
        )
    end = assignment.expires_at
    Assignment.objects.create(
        hit=assignment.hit, judge=other, lease=DateTimeTZRange(end, end + timedelta(minutes=1))
    )


def test_an_empty_output_is_refused(test_set: TestSet) -> None:
    output = Output.objects.all()[0]
    with pytest.raises(IntegrityError, match="output_text_not_empty"):
        Output.objects.filter(pk=output.pk).update(text="")


def test_a_system_name_with_a_comma_is_refused(test_set: TestSet) -> None:
    with pytest.raises(IntegrityError, match="system_name_without_comma"):
        System.objects.create(test_set=test_set, name="a,b")


def _check_deferred_now() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
