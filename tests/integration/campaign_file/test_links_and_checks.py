"""Links for anybody, damaged references and training: in the file, without addresses, and the same again does nothing."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from annotation.models import TrainingBlock
from annotation.selectors.training import training_blocks
from campaign.formats.yaml_tree import read_yaml
from campaign.models import BadReference, Campaign, Invitation, Task, User
from campaign.services.invitations import invitation_open, invitation_revoke
from campaign.services.judges import judge_join
from tests.factories import make_campaign, make_task
from tests.integration.campaign_file.test_applying import (
    MUSEUM,
    SET,
    apply,
    refused,
    words,
)
from whole_campaigns.campaign_file.applying import (
    Applied,
    campaign_file,
    campaign_file_apply,
)

pytestmark = pytest.mark.django_db


def links() -> list[Invitation]:
    return list(Invitation.objects.for_anybody().order_by("pk"))


def made(text: str) -> Applied:
    return campaign_file_apply(name="c", content=text.encode(), by=None)


def test_file_names_people_of_links_without_tokens(campaign: Campaign) -> None:
    said = read_yaml("c", campaign_file(campaign=campaign)).value
    assert [each["note"] for each in said["links"]] == ["Poster: no", "", ""]
    assert said["links"][0] == {
        "note": "Poster: no",
        "cap": 7,
        "languages": ["de"],
        "asks_languages": True,
        "expires_at": links()[0]
        .expires_at.astimezone(UTC)
        .isoformat()
        .replace("+00:00", "Z"),
    }
    text = campaign_file(campaign=campaign, people=True).decode()
    for link in links():
        assert bytes(link.token_hash).hex() not in text
    invitation_revoke(invitation=links()[0])
    Invitation.objects.filter(pk=links()[1].pk).update(
        expires_at=datetime(2020, 1, 1, tzinfo=UTC),
    )
    left = read_yaml("c", campaign_file(campaign=campaign)).value["links"]
    assert [each["expires_at"][:4] for each in left] == ["2999"]


def test_new_link_is_shown_once_and_opens(client: Client) -> None:
    campaign = make_campaign()
    text = f"{MUSEUM}links: [{{note: Poster, cap: 2, languages: [DE], asks_languages: true}}]\n"
    checked = campaign_file_apply(
        confirmed="",
        name="c",
        content=text.encode(),
        by=None,
    )
    assert (list(checked.links), links()) == ([], [])
    done = made(text)
    assert words(done)[0].startswith("+ links › Poster: languages: de, cap: 2")
    (new,) = done.links
    assert new.note == "Poster"
    opened = invitation_open(token=new.token)
    assert (opened.campaign, opened.cap, opened.languages) == (campaign, 2, ["de"])
    again = made(text)
    assert (words(again), list(again.links)) == ([], [])


def test_a_link_is_changed_by_its_note_and_keeps_its_address() -> None:
    make_campaign()
    text = f"{MUSEUM}links: [{{note: Poster, cap: 3}}, {{note: Poster, cap: 9}}, {{note: '', cap: 1}}]\n"
    first, *_others = made(text).links
    for browser in (b"1" * 32, b"2" * 32):
        judge_join(invitation=invitation_open(token=first.token), browser=browser)
    before = [each.token_hash for each in links()]
    changed = (
        f"{MUSEUM}links:\n  - {{note: Poster, cap: 9}}\n"
        "  - {note: Poster, cap: 2, expires_at: 2999-05-01T18:00:00+02:00}\n"
    )
    cap, expiry = words(made(changed))
    assert cap == "~ links › Poster › cap: 3 → 2"
    assert expiry.endswith(" → 2999-05-01T16:00:00Z")
    assert [each.token_hash for each in links()] == before
    assert [(each.note, each.cap) for each in links()] == [
        ("Poster", 2),
        ("Poster", 9),
        ("", 1),
    ]
    assert words(made(changed)) == []
    said = refused(changed.replace("cap: 2", "cap: 1"))
    assert "2 judges have joined with this link" in said
    assert "line 5" in said


def test_links_alike_are_links_each() -> None:
    make_campaign()
    text = f"{MUSEUM}links: [{{note: '', cap: 3}}, {{note: '', cap: 3}}]\n"
    assert len(made(text).links) == 2
    again = made(text)
    assert (words(again), len(again.links), len(links())) == ([], 0, 2)
    third = text.replace("]", ", {note: '', cap: 4}]")
    assert len(made(third).links) == 1
    assert sorted(link.cap or 0 for link in links()) == [3, 3, 4]
    once = f"{MUSEUM}links: [{{note: '', cap: 3, withdrawn: true}}, {{note: '', cap: 3}}]\n"
    assert len(words(made(once))) == 1
    assert [link.revoked_at is None for link in links()] == [False, True, True]


def test_a_link_is_withdrawn_only_if_the_file_says_so() -> None:
    make_campaign()
    text = f"{MUSEUM}links: [{{note: Poster, cap: 3}}]\n"
    made(text)
    assert words(made(f"{MUSEUM}links: []\n")) == []
    ended = text.replace("cap: 3", "cap: 3, withdrawn: true")
    (said,) = words(made(ended))
    assert said.startswith("− links › Poster: cap: 3")
    assert links()[0].revoked_at is not None
    assert words(made(ended)) == []
    assert len(links()) == 1
    made(text)
    assert [each.revoked_at is None for each in links()] == [False, True]


def test_a_link_that_is_over_stays_as_the_file_made_it() -> None:
    make_campaign()
    text = (
        f"{MUSEUM}links: [{{note: Poster, cap: 3, expires_at: 2999-05-01T18:00:00Z}}]\n"
    )
    made(text)
    over = text.replace("2999", "2020")
    Invitation.objects.update(expires_at=datetime(2020, 5, 1, 18, tzinfo=UTC))
    assert words(made(over)) == []
    said = refused(over.replace("Poster", "Other"))
    assert "would already be expired" in said
    assert "time zone is missing" in refused(text.replace("18:00:00Z", "18:00:00"))
    assert "line 3" in refused(text.replace("cap: 3", "cap: 3, languages: [klingon]"))


def damaged(number: int) -> BadReference:
    return BadReference.objects.get(output__segment__number=number)


@pytest.mark.thorough
def test_a_damaged_reference_is_changed_until_judges_may_have_seen_it(
    campaign: Campaign,
    user: User,
) -> None:
    kinds = {
        row.output.segment.number: row.damage for row in BadReference.objects.all()
    }

    def text(number: int, more: str) -> str:
        kind = kinds.get(number, "swapped")
        return f"{MUSEUM}{SET}damaged_references: [{{segment: {number}, damage: {kind}, {more}}}]\n"

    at = "~ test_sets › museum en-de › damaged_references › "
    (was,) = {damaged(6).output.text}
    said = words(apply(text(6, "text: Ganz anders., status: approved"), user))
    assert said == [
        f"{at}6 › text: {was} → Ganz anders.",
        f"{at}6 › status: pending → approved",
    ]
    row = damaged(6)
    assert (row.output.text, row.reviewed_by) == ("Ganz anders.", user)
    assert row.approved_at is not None
    assert words(apply(text(6, "text: Ganz anders."), user)) == []
    assert "may have been shown" in refused(text(6, "text: Noch anders."), user)
    assert "been reviewed" in refused(
        text(6, "text: Ganz anders., status: pending"),
        user,
    )
    assert words(apply(text(6, "text: Ganz anders., status: rejected"), user)) == [
        f"{at}6 › status: approved → rejected",
    ]
    assert "permanently" in refused(
        text(6, "text: Ganz anders., status: approved"),
        user,
    )
    reference = damaged(7).output.segment.references.get().text
    assert "reference or another output" in refused(text(7, f"text: {reference}"), user)
    assert "has no reference" in refused(text(99, "text: Neu."), user)
    assert "not a valid choice" in refused(
        text(7, "text: Neu.").replace(damaged(7).damage, "burnt"),
        user,
    )


@pytest.mark.thorough
def test_a_damaged_reference_of_the_file_waits_for_a_review(user: User) -> None:
    campaign = make_campaign()
    task = make_task(campaign, planned=0)
    text = f"{MUSEUM}{SET}damaged_references: [{{segment: 3, damage: swapped, text: Falsch hier.}}]\n"
    (said,) = words(apply(text, user))
    assert said.startswith(
        "+ test_sets › museum en-de › damaged_references › 3: text: Falsch hier.",
    )
    row = BadReference.objects.of(task.test_set_id).get()
    assert (row.status, row.reviewed_at, row.attempt) == ("pending", None, 1)
    assert words(apply(text, user)) == []
    for number, status, approved in ((4, "approved", True), (5, "rejected", False)):
        said_so = text.replace("segment: 3", f"segment: {number}, status: {status}")
        assert len(words(apply(said_so, user))) == 1
        row = damaged(number)
        assert (row.status, row.reviewed_by, row.approved_at is not None) == (
            status,
            user,
            approved,
        )


def training(campaign: Campaign) -> list[tuple[int, int, str, dict[str, int | None]]]:
    task = Task.objects.get(test_set__campaign=campaign, test_set__name="museum en-de")
    return [
        (
            block.segment.number,
            block.position,
            block.explanation,
            {each.output.system.name: each.expected for each in block.candidates.all()},
        )
        for block in training_blocks(task_id=task.pk)
    ]


@pytest.mark.thorough
def test_training_is_added_changed_and_removed(campaign: Campaign, user: User) -> None:
    first, second = training(campaign)
    number = next(n for n in (1, 2, 3, 4) if n not in (first[0], second[0]))
    block = "{{segment: {}, explanation: {}, expected: {}}}"
    new = block.format(number, "Read on.", "{_ref: 1, _badref: 4, cobalt: null}")
    text = f"{MUSEUM}{SET}training: [{new}]\n"
    at = f"+ test_sets › museum en-de › training › {number}"
    assert words(apply(text, user)) == [
        f"{at}: position: 3, explanation: Read on.",
        f"{at} › expected: _ref: 1, _badref: 4",
    ]
    assert training(campaign)[2] == (
        number,
        3,
        "Read on.",
        {"_ref": 1, "_badref": 4, "cobalt": None},
    )
    assert words(apply(text, user)) == []
    changed = text.replace("_badref: 4", "_badref: 3").replace("Read on.", "Read all.")
    assert len(words(apply(changed, user))) == 2
    assert words(
        apply(
            f"{MUSEUM}{SET}training: [{{segment: {first[0]}, removed: true}}]\n",
            user,
        ),
    )
    assert [each[0] for each in training(campaign)] == [second[0], number]
    assert (
        words(
            apply(f"{MUSEUM}{SET}training: [{{segment: {first[0]}, removed: true}}]\n"),
        )
        == []
    )
    moved = f"{MUSEUM}{SET}training: [{{segment: {number}, position: 1}}]\n"
    assert words(apply(moved, user)) == [f"~ {at[2:]} › position: 3 → 1"]
    assert [each[0] for each in training(campaign)] == [number, second[0]]
    for wrong, said in (
        ("expected: {_ref: 1, cobalt: null}", "different ranks"),
        ("expected: {_ref: 1, cobalt: 1}", "different ranks"),
        ("expected: {_ref: 1, nobody: 2}", 'no system "nobody"'),
        ("expected: {_ref: 1}", "different ranks"),
        ("expected: {_ref: 1, cobalt: 6}", "less than or equal to 5"),
        ("explanation: '  '", "may not be blank"),
        ("position: 2", "has this position"),
    ):
        message = refused(
            f"{MUSEUM}{SET}training: [{{segment: {number}, {wrong}}}]\n",
            user,
        )
        assert said in message, message
        assert "line 5" in message
    assert 'the key "expected" is missing' in refused(
        f"{MUSEUM}{SET}training: [{{segment: 7, explanation: a}}]\n",
        user,
    )
    new = block.format(7, "a", "{_ref: 1, _badref: 4}")
    assert "must be approved" in refused(f"{MUSEUM}{SET}training: [{new}]\n", user)
    new = block.format(99, "a", "{_ref: 1, _badref: 4}")
    assert "segment 99 not found" in refused(f"{MUSEUM}{SET}training: [{new}]\n", user)
    assert TrainingBlock.objects.count() == 2
