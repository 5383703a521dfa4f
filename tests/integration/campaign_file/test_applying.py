"""What a file changes, what it leaves, and what it is refused for: all of it or nothing."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Design, TrainingBlock
from annotation.selectors.designs import design_in_force
from campaign.formats import FormatError
from campaign.models import Campaign, Judge, System, Task, User
from campaign.services.instructions import instructions_accept
from campaign.services.judge_groups import (
    judge_groups_set,
)
from ranking.models import RankingSettings
from tests.at_work import judge_all_of, lend
from tests.factories import make_campaign, make_judge
from tests.integration.campaign_file.conftest import NEW
from tests.integration.campaign_file.test_round_trip import rows
from tests.integration.ranking.twelve_judges import judges_judge
from tests.integration.ranking.writing import TestSetWriter
from whole_campaigns.campaign_file.applying import (
    Applied,
    campaign_file,
    campaign_file_apply,
)
from whole_campaigns.campaign_file.parts import TextFolders

pytestmark = pytest.mark.django_db

MUSEUM = "slug: museum\nname: Museum\n"


def apply(text: str, user: User | None = None, folder: Path | None = None) -> Applied:
    folders = TextFolders.of(folder / "campaign.yaml") if folder else None
    return campaign_file_apply(
        name="c.yaml",
        content=text.encode(),
        by=user,
        folders=folders,
    )


def refused(text: str, user: User | None = None, folder: Path | None = None) -> str:
    before = rows()
    with pytest.raises(FormatError) as error:
        apply(text, user, folder)
    assert rows() == before
    return str(error.value)


def words(applied: Applied) -> list[str]:
    return [change.words for change in applied.changes]


def test_a_file_makes_a_campaign(folder: Path, user: User) -> None:
    made = apply(NEW, user, folder)
    campaign = Campaign.objects.get(slug="tour")
    task = Task.objects.of(campaign).get()
    assert (campaign.lease_minutes, campaign.state) == (45, "draft")
    assert task.test_set.segments.count() == 12
    assert task.blocks_wanted == 90
    assert task.test_set.systems.get(name="amber").team == "Ours"
    design = design_in_force(task_id=task.pk)
    assert design is not None
    assert (design.kind, design.seed, design.changed_by) == ("balanced", 7, user)
    assert RankingSettings.objects.get(task=task).confidence == 0.9
    assert Judge.objects.get(campaign=campaign).conflicts.get().system.name == "birch"
    said = words(made)
    assert "+ lease_minutes: 45" in said
    assert any(line.startswith("+ test_sets › en-de: ") for line in said)
    assert any(
        line.startswith("+ test_sets › en-de › systems › amber: ") for line in said
    )
    assert not any("closed" in line for line in said)
    assert made.notes == ["Ada: add_judge Ada --campaign tour --new-link"]
    assert words(apply(NEW, user, folder)) == []


def test_a_check_says_the_same_and_changes_nothing(folder: Path, user: User) -> None:
    before = rows()
    given: dict[str, Any] = {"name": "c", "content": NEW.encode(), "by": user}
    folders = TextFolders.of(folder / "campaign.yaml")
    found = campaign_file_apply(confirmed="", **given, folders=folders)
    assert not found.is_done
    assert rows() == before
    assert campaign_file_apply(**given, folders=folders, confirmed=found.code).is_done


@pytest.mark.thorough
def test_sections_missing_in_the_file_stay(campaign: Campaign, user: User) -> None:
    """A line each for what differs, and nothing for what is the same."""
    text = f"""\
{MUSEUM}lease_minutes: 20
pay: "€15 an hour: “fair”"
blocks_per_judge: null
test_sets:
  - name: museum en-de
    expertise: [Law]
    closed: true
    systems:
      - name: dune
        withdrawn: true
      - name: ember
        team: Theirs
    design:
      reference_rate: 0
quality_rules:
  - {{measure: seconds, direction: below, threshold: 4, minimum: 5, action: warn}}
  - {{measure: one_label, direction: above, threshold: 0.5, minimum: 20, action: warn, switched_off: true}}
instructions:
  - {{language: de, text: Ordne neu.}}
panels:
  - {{name: P, kind: prolific, minutes_allowed: 50}}
state: paused
"""
    assert words(apply(text, user)) == [
        "~ blocks_per_judge: 30 → –",
        "~ lease_minutes: 17 → 20",
        "~ state: open → paused",
        "− test_sets › museum en-de › closed: false → true",
        "~ instructions › de › text: Ordne. → Ordne neu.",
        "~ test_sets › museum en-de › expertise: law, no → law",
        "− test_sets › museum en-de › systems › dune › withdrawn: false → true",
        "~ test_sets › museum en-de › systems › ember › team: – → Theirs",
        "~ test_sets › museum en-de › design › reference_rate: 0.25 → 0.0",
        "~ test_sets › museum en-de › design › rank_shown_reference: true → false",
        "~ quality_rules › seconds › threshold: 5.0 → 4.0",
        "~ quality_rules › seconds › minimum: 30 → 5",
        "~ panels › P › minutes_allowed: 40 → 50",
        "− quality_rules › one_label: direction: above, threshold: 0.5, minimum: 20, action: warn → –",
    ]
    assert campaign.panels.get().completion_code
    assert words(apply(text, user)) == []


def test_the_command_asks_first(
    campaign: Campaign,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(f"{MUSEUM}lease_minutes: 20\n")
    with (
        patch("builtins.input", return_value="n"),
        pytest.raises(CommandError, match="No changes"),
    ):
        call_command("apply_campaign", str(file))
    call_command("apply_campaign", str(file), check=True)
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 17
    with patch("builtins.input", return_value="y"):
        call_command("apply_campaign", str(file))
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 20
    call_command("apply_campaign", str(file))
    out = capsys.readouterr().out
    assert out.count("~ lease_minutes: 17 → 20") == 3
    assert out.endswith("No changes: the campaign matches the file.\n")


SET = "test_sets:\n  - name: museum en-de\n    "


def test_refused_file_changes_nothing(campaign: Campaign, user: User) -> None:
    cases: list[tuple[str, int, str]] = [
        ("lease_minutes: 0", 3, "greater than or equal to 1"),
        ("lease_minuets: 9", 3, 'write "lease_minutes"'),
        ("version: 2", 3, "does not read version 2"),
        ("test_sets: 5", 3, "5 is not a list"),
        ("panels: [{name: P, completion_code: X}]", 3, "use only the keys name, kind"),
        (
            "judges: [{pseudonym: Ada, conflicts: [{}]}]",
            3,
            'the key "system" is missing',
        ),
        (
            "instructions: [{language: de, text: a}, {language: DE, text: b}]",
            3,
            '"DE" means the same as "de"',
        ),
        ("state: bin", 3, "choose one of: draft, open, paused, closed, archived"),
        ("lease_minutes: ten", 3, "valid integer"),
        (
            "show_source: false\nshow_reference: false",
            4,
            "Show the source, the reference, or both",
        ),
        ("name: Other", 2, "already appears on line 2"),
        ("state: draft", 3, "open and cannot change to draft"),
        ("closes_at: 2020-01-01T00:00:00Z", 3, "This time is in the past"),
        ("closes_at: tomorrow", 3, "wrong format"),
        ("closes_at: 2999-05-01T18:00:00", 3, "time zone is missing"),
        ("instructions: [{language: xx-xx, text: a}]", 3, "xx"),
        (f"{SET}target_language: zxx", 5, "not a language tag"),
        (f"{SET}design: {{documents: [9]}}", 5, "not in the test set: 9"),
        (f"{SET}design: {{redundancy: 50, inter_share: 0.95}}", 5, "0.9"),
        (f"{SET}design: {{reference_rate: 0.5}}", 5, "see the reference"),
        (f"{SET}systems: [{{name: nobody}}]", 5, 'has no system "nobody"'),
        (f"{SET}systems: [{{name: _ref, kind: system}}]", 5, "remove the key"),
        (
            f"{SET}ranking_settings: {{ranges: sign_test, resample: judges}}",
            5,
            "sign_test",
        ),
        (
            f"{SET}closed: true\n  - name: museum en-de\n",
            6,
            "already appears on line 4",
        ),
        ("test_sets: [{name: other}]", 3, 'requires "texts"'),
        ("panels: [{name: Q, kind: generic}]", 3, 'the key "blocks_asked" is missing'),
        ("panels: [{name: P, kind: generic}]", 3, "belongs to prolific"),
        (
            "judges: [{pseudonym: Eve, conflicts: [{system: nobody}]}]",
            3,
            'system "nobody" not found',
        ),
        (
            "quality_rules: [{measure: ties, direction: above, threshold: 4, minimum: 9, action: warn}]",
            3,
            "threshold",
        ),
        (
            (
                "quality_rules: [{measure: ties, direction: above, threshold: 0.5, minimum: 9, "
                "action: warn, test_set: none}]"
            ),
            3,
            'test set "none" not found',
        ),
    ]
    before = rows()
    for text, line, said in cases:
        with pytest.raises(FormatError) as error:
            apply(f"{MUSEUM}{text}\n", user)
        message = str(error.value)
        assert f"line {line}" in message
        assert any(part in message for part in said.split("|")), message
        assert "What to do:" in message
    assert rows() == before


def test_a_campaign_in_the_bin_is_left_there(campaign: Campaign, user: User) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state="bin")
    assert "restore it from the bin first" in refused(
        f"{MUSEUM}lease_minutes: 20\n",
        user,
    )


def judged(campaign: Campaign) -> None:
    judge = make_judge(campaign, "second", expertise=["law", "no"])
    judge_groups_set(judge=judge, groups=campaign.judge_groups.all())
    for each in campaign.instructions.all():
        instructions_accept(judge=judge, instructions=each)
    TrainingBlock.objects.all().delete()
    judge_all_of(lend(judge))


def test_file_sets_options_of_the_ranking_method(
    campaign: Campaign,
    user: User,
) -> None:
    text = f"{MUSEUM}{SET}ranking_settings: {{method: bradley_terry, method_options: {{prior: "
    assert "method_options" in refused(f"{text}-1}}}}\n", user)
    apply(f"{text}2}}}}\n", user)
    settings = RankingSettings.objects.latest()
    assert settings.method_options == {"prior": 2.0}
    assert b"method_options" in campaign_file(campaign=campaign)
    assert words(apply(f"{text}2}}}}\n", user)) == []


@pytest.mark.thorough
def test_after_the_first_judgment_another_ranking_needs_a_reason(
    campaign: Campaign,
    user: User,
) -> None:
    judged(campaign)
    text = f"{MUSEUM}{SET}ranking_settings: {{method: bradley_terry"
    assert "Enter a reason" in refused(f"{text}}}\n", user)
    # As it is, it needs none.
    assert (
        words(apply(f"{MUSEUM}{SET}ranking_settings: {{method: bojar}}\n", user)) == []
    )
    assert words(apply(f"{text}, reason: Ties count.}}\n", user))


@pytest.mark.thorough
def test_languages_stay_after_the_first_judgment(
    campaign: Campaign,
    user: User,
) -> None:
    judged(campaign)
    said = refused(f"{MUSEUM}{SET}source_language: fr\n", user)
    assert "line 5" in said
    assert "source_language" in said


@pytest.mark.thorough
def test_texts_of_a_task_stay(folder: Path, user: User) -> None:
    apply(NEW, user, folder)
    file = folder / "texts/en-de.tsv"
    file.write_text(file.read_text().replace("Not again", "Never again"))
    assert "segment 3 differs in these files" in refused(NEW, user, folder)
    file.unlink()
    assert words(apply(NEW, user, folder)) == []


def test_name_of_a_test_set_in_another_case_is_refused(
    folder: Path,
    user: User,
) -> None:
    apply(NEW, user, folder)
    renamed = NEW.replace("- name: en-de", "- name: EN-DE")
    assert 'already has a test set "en-de"' in refused(renamed, user, folder)


@pytest.mark.thorough
def test_one_more_system_brings_its_file(folder: Path, user: User) -> None:
    apply(NEW, user, folder)
    (folder / "more.txt").write_text("".join(f"Ausgabe {n}\n" for n in range(12)))
    text = NEW.replace(
        "      - name: amber",
        "      - name: more\n        outputs: more.txt\n      - name: amber",
    )
    assert words(apply(text, user, folder)) == [
        "+ test_sets › en-de › systems › more: kind: system",
    ]
    assert System.objects.get(name="more").outputs.count() == 12
    assert words(apply(text, user, folder)) == []
    assert "page" in refused(text.replace("name: more", "name: most"), user)


def test_files_outside_the_folder_are_refused(
    folder: Path,
    user: User,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    cases: list[str] = [
        "../secret.tsv",
        "/etc/passwd",
        "texts/../../secret.tsv",
        "link.tsv",
        "a\\0b",
    ]
    outside = tmp_path_factory.mktemp("outside")
    (folder.parent / "secret.tsv").write_text("x")
    (outside / "secret.tsv").write_text((folder / "texts/en-de.tsv").read_text())
    (folder / "link.tsv").symlink_to(outside / "secret.tsv")
    for name in cases:
        said = refused(
            NEW.replace("texts/en-de.tsv", f'"{name}"' if "\\" in name else name),
            user,
            folder,
        )
        assert "outside the folder" in said or "control character" in said


def test_a_hidden_reference_is_shown_after_the_designs(
    campaign: Campaign,
    user: User,
) -> None:
    assert words(apply(f"{MUSEUM}show_reference: false\n", user))[0].endswith(
        "true → false",
    )
    shown = f"{MUSEUM}show_source: false\nshow_reference: true\n"
    assert "line 4" in refused(shown, user)
    asked = f"{shown}{SET}design: {{rank_shown_reference: true}}\n"
    apply(asked, user)
    campaign.refresh_from_db()
    assert (campaign.show_source, campaign.show_reference) == (False, True)


_RULE = "measure: reference, direction: below, minimum: 10, action: exclude"


def test_a_rule_that_meets_more_than_one_in_five_is_left_to_its_page(
    user: User,
) -> None:
    campaign = make_campaign()
    judges_judge(TestSetWriter(campaign, "judged", ["A", "B", "C"]))
    said = refused(f"{MUSEUM}quality_rules: [{{{_RULE}, threshold: 1.0}}]\n", user)
    assert "more than one in five judges" in said
    assert "the Rules page" in said
    few = apply(f"{MUSEUM}quality_rules: [{{{_RULE}, threshold: 0.3}}]\n", user)
    assert "j11" in few.notes[0]


@pytest.mark.thorough
def test_switching_a_rule_off_needs_an_author(campaign: Campaign, user: User) -> None:
    rule = "measure: seconds, direction: below, threshold: 5, minimum: 30, action: warn"
    text = f"{MUSEUM}quality_rules: [{{{rule}, switched_off: true}}]\n"
    assert "--as EMAIL" in refused(text)
    assert len(words(apply(text, user))) == 1
    assert words(apply(text)) == []


@pytest.mark.thorough
def test_a_group_that_is_not_there_is_refused_at_its_key(
    folder: Path,
    user: User,
) -> None:
    file = folder / "campaign.yaml"
    file.write_text(
        NEW.replace("      seed: 7\n", "      seed: 7\n      judge_group: experts\n"),
    )
    with pytest.raises(CommandError) as caught:
        call_command("apply_campaign", str(file), yes=True, by=user.email, verbosity=0)
    said = str(caught.value)
    assert "“experts” not found" in said
    assert "test_sets.en-de.design.judge_group" in said
    assert not Campaign.objects.filter(slug="tour").exists()
    file.write_text(
        f"{file.read_text()}    groups: [experts]\njudge_groups:\n  - name: Experts\n",
    )
    call_command("apply_campaign", str(file), yes=True, by=user.email, verbosity=0)
    (design,) = Design.objects.filter(task__test_set__campaign__slug="tour")
    assert design.judge_group is not None
    assert [each.judge.pseudonym for each in design.judge_group.members.all()] == [
        "Ada",
    ]


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ("judge_groups: [{name: g}, {name: G}]", '"G" means the same as "g" on line 3'),
        ("judge_groups: [{name: Zo\u00eb}, {name: Zoe\u0308}]", "means the same as"),
        ("judge_groups: [{name: a b}, {name: a  b}]", "means the same as"),
        ("judges: [{pseudonym: Eve}, {pseudonym: ' Eve'}]", "means the same as"),
        ("panels: [{name: Q}, {name: 'Q '}]", "means the same as"),
        ("instructions: [{language: de, text: a}, {language: DE, text: b}]", '"de"'),
        (f"{SET}systems: [{{name: dune}}, {{name: 'dune '}}]", "means the same as"),
        (f"{SET}training: [{{segment: 1}}, {{segment: 01}}]", "means the same as"),
        (f"{SET}training: [{{segment: 1}}, {{segment: 1.0}}]", "means the same as"),
    ],
)
def test_two_items_that_mean_one_thing_are_refused(
    campaign: Campaign,
    user: User,
    items: str,
    said: str,
) -> None:
    assert said in refused(f"{MUSEUM}{items}\n", user)


def test_judges_whose_names_differ_in_case_are_two(
    campaign: Campaign,
    user: User,
) -> None:
    apply(f"{MUSEUM}judges: [{{pseudonym: eve}}, {{pseudonym: Eve}}]\n", user)
    assert campaign.judges.filter(pseudonym__iexact="eve").count() == 2


def test_name_of_a_group_in_another_form_means_it(
    campaign: Campaign,
    user: User,
) -> None:
    apply(f"{MUSEUM}judge_groups: [{{name: Zo\u00eb}}]\n", user)
    text = f"{MUSEUM}judge_groups: [{{name: ZOE\u0308, blocks_asked: 5}}]\njudges: [{{pseudonym: Eve, groups: [zoe\u0308, Zo\u00eb]}}]\n"
    apply(text, user)
    assert campaign.judge_groups.get(name="Zo\u00eb").blocks_asked == 5
    eve = campaign.judges.get(pseudonym="Eve")
    assert eve.group_members.count() == 1
    assert words(apply(text, user)) == []
