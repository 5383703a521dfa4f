"""What a bundle says is computed again from it: the same bits, on another machine."""

import json
from pathlib import Path
from typing import Any

import pytest

from campaign.models import Task
from ranking.pages.published_results import pairs_table, published_page
from ranking.services.runs import ranking_run_compute
from tests.integration.publishing.bundled import (
    Command,
    bundled,
    files_of,
    packed,
    said,
    told,
)
from tests.integration.ranking.writing import (
    TestSetWriter,
    documents_of,
    settings_change,
)

pytestmark = pytest.mark.django_db


@pytest.mark.thorough
def test_released_judgments_give_their_published_table_on_another_machine(
    wmt12: Task,
    tmp_path: Path,
    command: Command,
) -> None:
    result, zipped = bundled(wmt12)
    path = tmp_path / "bundle.zip"
    path.write_bytes(zipped)

    done = command("reproduce", path, "--digest", result.address, "--format", "json")

    assert (done.returncode, done.stderr) == (0, "")
    again = json.loads(done.stdout)
    assert again["is_same"] is True
    assert again["digest"] == result.digest
    assert again["made_by"] == result.content["method"]["code_version"]
    # Without an anonymous system, the frozen ranking is the one that was shown.
    assert result.content["ranking"]["systems"] == json.loads(
        json.dumps(result.run.result["systems"]),
    )


def test_last_digits_of_another_processor_are_no_difference(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    content = json.loads(files["result.json"])
    first, second, *_others = content["ranking"]["systems"]
    score = first["score"]
    path = tmp_path / "bundle.zip"

    def reproduced() -> tuple[int, Any]:
        changed = files | {"result.json": json.dumps(content).encode()}
        return said(packed(path, changed))

    first["score"] = score * (1 + 4e-16)
    assert first["score"] != score
    status, again = reproduced()
    assert (again["is_same"], again["last_digits"]) == (True, 1)
    # It was changed, all the same.
    assert status == 1
    assert {"file": "result.json", "problem": "changed"} in again["findings"]
    assert "which depend on the processor (1 numbers)" in told(path)[1]
    first["score"] = score * (1 + 1e-11)
    status, again = reproduced()
    assert (status, again["is_same"], again["last_digits"]) == (1, False, 0)
    assert [each["where"] for each in again["differences"]] == [
        f"ranking.systems[{first['system']}].score",
    ]
    first["score"] = score
    # Whole numbers are exact on every processor.
    second["wins"] += 1
    assert [each["computed"] for each in reproduced()[1]["differences"]] == [
        second["wins"] - 1,
    ]


@pytest.mark.thorough
def test_missing_parts_and_uncompared_systems_are_reported(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    content = json.loads(files["result.json"])
    path = tmp_path / "bundle.zip"
    assert said(packed(path, files))[1]["not_compared"] == []
    assert "match the published result bit for bit" in told(path)[1]
    for row in content["ranking"]["systems"]:
        del row["rank_low"], row["rank_high"], row["wins"]
    # Null is there, and is not the same as nothing.
    assert content["agreement"]["inter"].pop("no_interval") is None
    not_recomputed = ["firmness", "metrics", "predicted_ranking", "stopping_rule"]
    content["sections"] |= {name: {} for name in not_recomputed}

    status, again = said(
        packed(path, files | {"result.json": json.dumps(content).encode()}),
    )

    assert status == 1
    found = {each["where"]: each for each in again["differences"]}
    assert set(found) == {
        "agreement.inter.no_interval",
        *(
            f"ranking.systems[{name}].{column}"
            for name in ("amber", "birch", "cobalt", "dune")
            for column in ("rank_low", "rank_high", "wins")
        ),
    }
    where = "agreement.inter.no_interval"
    assert found[where] == {"where": where, "computed": None}
    assert found["ranking.systems[amber].rank_low"]["computed"] == 1
    names = [f"sections.{name}" for name in not_recomputed]
    assert again["not_compared"] == names
    text = told(path)[1]
    assert f"Not compared: {', '.join(names)}." in text
    assert "is missing" in text


@pytest.mark.thorough
def test_anonymous_systems_of_released_judgments_give_the_same_bits(
    wmt12: Task,
    tmp_path: Path,
) -> None:
    _result, zipped = bundled(wmt12, anonymous=["onlineA", "cu-bojar", "uk-dan-moses"])
    status, again = said(packed(tmp_path / "bundle.zip", files_of(zipped)))
    assert (status, again["differences"]) == (0, [])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "settings",
    [{"resample": "judges"}, {"ranges": "anytime"}, {"ranges": "confidence_set"}],
)
def test_any_kind_of_ranges_is_computed_again(
    judged: TestSetWriter,
    tmp_path: Path,
    settings: dict[str, Any],
) -> None:
    documents_of(judged, 2)
    settings_change(judged, **settings)
    ranking_run_compute(task_id=judged.task.pk)
    _result, zipped = bundled(judged.task, anonymous=["amber"])
    status, again = said(packed(tmp_path / "bundle.zip", files_of(zipped)))
    assert (status, again["differences"]) == (0, [])


@pytest.mark.thorough
def test_other_code_is_named_and_other_formats_are_refused(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    content = json.loads(files["result.json"])
    method = content["method"]
    parameters = method["parameters"]

    def with_parameters(**changes: Any) -> dict[str, Any]:
        return {"method": method | {"parameters": parameters | changes}}

    def with_result(**changes: Any) -> Path:
        changed = json.dumps(content | changes).encode()
        return packed(tmp_path / "bundle.zip", files | {"result.json": changed})

    deep: Any = []
    for _level in range(400):
        deep = [deep]
    older = with_result(method=method | {"code_version": "0.0.1"})
    assert "published with 0.0.1" in told(older)[1]
    for changes, words in (
        ({"format": 9}, "format 9"),
        ({"method": method | {"name": "guess"}}, "no method “guess”"),
        (
            {"method": method | {"content_key_version": 99}},
            "content keys of version 99",
        ),
        (with_parameters(resamples=10**12), "more than 100000 resamples"),
        (with_parameters(method_parameters={"runs": 10**6}), "above 1000, too large"),
        (
            with_parameters(systems=[f"s{n}" for n in range(200_000)]),
            "more than 1000 systems",
        ),
        (
            with_parameters(left_out=[f"s{n}" for n in range(1_000)]),
            "more than 1000 systems",
        ),
        ({"ranking": deep}, "not a published result"),
    ):
        status, text = told(with_result(**changes))
        assert status == 1
        assert words in text


def test_results_of_older_versions_lack_tests_of_own_comparisons_and_stay_readable(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    result, zipped = bundled(judged.task)
    files = files_of(zipped)
    content = json.loads(files["result.json"])
    del content["ranking"]["own_limits"]
    for pair in content["ranking"]["pairs"]:
        del pair["own_p"], pair["own_adjusted_p"]

    page = published_page(content)
    table = pairs_table(content)
    _status, again = said(
        packed(
            tmp_path / "older.zip",
            files | {"result.json": json.dumps(content).encode()},
        ),
    )

    assert page["pairs"]
    assert "own_p" not in [column.key for column in table.columns]
    # Their marks are of the difference of scores, and say so.
    assert any("difference of scores" in note for note in table.notes)
    assert any("own comparisons" in note for note in pairs_table(result.content).notes)
    assert again["differences"] == []
