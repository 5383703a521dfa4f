"""Tasks of a campaign, whether they are judged, and languages without work."""

from collections.abc import Collection
from itertools import chain
from typing import Any, Final, cast

from django.dispatch import Signal
from django.utils.translation import gettext as _

from campaign.models import Campaign, Judge, Protocol, Task, TestSet
from campaign.selectors.media import media_in_words, media_of_test_sets
from campaign.texts.joining import comma_list
from campaign.texts.languages import language_name, language_pair_name, reads_languages


def tasks_in_order(campaign: Campaign) -> list[Task]:
    """Return all tasks of a campaign with their test sets, in order of test set creation. One query."""
    tasks = Task.objects.of(campaign).named()
    return list(tasks.order_by("test_set__created_at", "test_set", "pk"))


def ranking_task(*, test_set: TestSet) -> Task:
    """Return the five-way ranking of a test set that has one."""
    return Task.objects.select_related("test_set__campaign").get(
        test_set=test_set,
        protocol=Protocol.RANKING,
    )


def first_task(*, test_set: TestSet) -> Task:
    """Return the task that a test set was created with."""
    return (
        Task.objects.select_related("test_set__campaign")
        .filter(test_set=test_set)
        .earliest("pk")
    )


def campaign_of_address(kwargs: dict[str, Any]) -> int | None:
    """Return the ID of the campaign in an address: 0 if it does not exist, None if the address contains none."""
    if "slug" in kwargs:
        campaigns = Campaign.objects.filter(slug=kwargs["slug"]).values_list(
            "pk",
            flat=True,
        )
        return campaigns.first() or 0
    if "task_id" in kwargs:
        tasks = Task.objects.filter(pk=kwargs["task_id"])
        return tasks.values_list("test_set__campaign", flat=True).first() or 0
    if "test_set_id" in kwargs:
        test_sets = TestSet.objects.filter(pk=kwargs["test_set_id"])
        return test_sets.values_list("campaign", flat=True).first() or 0
    return None


def work_on(task: Task, media: Collection[str]) -> list[str]:
    """Return what a task asks of judges, in sentences for them: what they do, its own question, and the media of its texts."""
    lines = [str(task.study.work), task.question, *media_in_words(media)]
    return [line for line in lines if line]


def work_of_judges(*, campaign: Campaign, judge: Judge | None = None) -> list[str]:
    """Return the work that a campaign asks of judges, in sentences in the reader's language, each once.

    If the judge chose a task, only its sentences are returned; none if the campaign has no task yet. Two queries, and two
    more if the campaign has media.
    """
    tasks = Task.objects.of(campaign).order_by("pk")
    if judge and judge.chosen_task_id:
        chosen = tasks.filter(pk=judge.chosen_task_id)
    else:
        chosen = tasks
    media = media_of_test_sets(campaign)
    lines: list[str] = []
    for task in chosen:
        lines += work_on(task, media.of(task.test_set_id))
    return list(dict.fromkeys(lines))


#: Sent with `test_set`; each receiver returns True if it has judgments of the test set.
judgments_requested: Final = Signal()


def has_judgments(*, test_set: TestSet) -> bool:
    """Return True if a block of the test set has been judged."""
    return any(
        answer
        for _receiver, answer in judgments_requested.send(
            sender=TestSet,
            test_set=test_set,
        )
    )


def is_judged(*, campaign: Campaign) -> bool:
    """Return True if a block of the campaign has been judged. At most two queries per test set."""
    return any(
        has_judgments(test_set=test_set) for test_set in campaign.test_sets.all()
    )


def languages_settled_in_words(*, test_set: TestSet) -> str:
    """Return the reason why the languages of a test set can no longer be corrected; empty if they can."""
    if not has_judgments(test_set=test_set):
        return ""
    return _(
        "“%(name)s” has been judged (%(languages)s), so its languages cannot be changed. Import "
        "the texts as a new test set with the correct languages.",
    ) % {
        "name": test_set.name,
        "languages": language_pair_name(
            test_set.source_language,
            test_set.target_language,
        ),
    }


#: Sent with `campaign`; each receiver returns sentences, a list of str.
deletion_requested: Final = Signal()


def goes_with(campaign: Campaign) -> list[str]:
    """Return the other data deleted permanently with a campaign, in words."""
    answers = deletion_requested.send(sender=Campaign, campaign=campaign)
    sentences = []
    for _receiver, answer in answers:
        for sentence in answer or ():
            sentences.append(str(sentence))
    return sentences


#: Sent with `campaign` and `is_shown`; each receiver returns sentences, as a list of str.
reference_use_requested: Final = Signal()


def reference_use_in_words(*, campaign: Campaign, is_shown: bool) -> list[str]:
    """Return notes for organisers on the campaign's references, depending on whether judges see them.

    If shown, the notes name references that judges would also rank; if hidden, those that could be ranked as a
    hidden control but are not.
    """
    answers = reference_use_requested.send(
        sender=Campaign,
        campaign=campaign,
        is_shown=is_shown,
    )
    sentences: list[str] = []
    for _receiver, answer in answers:
        sentences += cast("list[str]", answer)
    return sentences


def languages_without_work(
    *,
    campaign: Campaign,
    languages: Collection[str],
    judge: str = "",
) -> str:
    """Return a warning about the languages that organisers chose; empty if there is work in them.

    `judge` is the pseudonym of the judge who reads them. For a link or a panel, the warning only names
    languages without a test set. An empty list means all languages of the campaign. One query.
    """
    if not languages:
        return ""
    pairs = Task.objects.of(campaign).language_pairs()
    used = set(chain.from_iterable(pairs))
    unused = comma_list(language_name(tag) for tag in languages if tag not in used)
    has_work = not judge or any(reads_languages(languages, pair) for pair in pairs)
    warning = ""
    if unused and has_work:
        warning = _("No test set uses %(languages)s.")
    elif unused:
        warning = _(
            "No test set uses %(languages)s. %(judge)s will receive no work until one does.",
        )
    elif not has_work:
        warning = _(
            "%(judge)s does not read both languages of any test set and will receive no work until one matches.",
        )
    return warning % {"languages": unused, "judge": judge}
