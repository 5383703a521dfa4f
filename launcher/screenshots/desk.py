"""Rooms of the organisers' desk, and what they publish."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page

from launcher.screenshots.shots import ON_PAPER, TWO_VIEWS, Prepare, Shot, follow

# The campaigns of the demo: our own texts, and judgments that WMT released.
OURS = "museum", "Museum English–German"
RELEASED = "wmt12", "newstest2012 Czech–English"
#: The tables of an answer, of which there may be more than fit into a picture.
ANSWER = ".report-table"
# An answer is computed by the worker.
ANSWER_MILLISECONDS = 180_000


def _dashboard(test_set: tuple[str, str]) -> Prepare:
    """Open the dashboard of a test set, of a campaign and with a name, as an organiser."""
    campaign, name = test_set

    def prepare(page: Page, demo: Any) -> None:
        follow(page, demo["organiser"]["url"])
        page.goto(f"{demo['base_url']}/campaigns/{campaign}/test-sets/")
        page.get_by_role("link", name=name).first.click()
        page.get_by_role("table").first.wait_for()

    return prepare


def _of_dashboard(test_set: tuple[str, str], address: str) -> Prepare:
    """Open a page below the dashboard of a test set."""

    def prepare(page: Page, demo: Any) -> None:
        _dashboard(test_set)(page, demo)
        page.goto(f"{page.url}{address}")

    return prepare


def _answered(kind: str, **choice: str) -> Prepare:
    """Open an analysis of the released judgments, and ask for it first where it was not asked yet."""

    def prepare(page: Page, demo: Any) -> None:
        _of_dashboard(RELEASED, f"analyses/{kind}/?{urlencode(choice)}")(page, demo)
        _answer_wait(page)

    return prepare


def _answer_wait(page: Page) -> None:
    """Wait for the answer on a page, and ask for it first where it was not asked yet."""
    answer = page.locator("#answer table").first
    if not answer.count():
        page.locator("main form button.primary").first.click()
    answer.wait_for(timeout=ANSWER_MILLISECONDS)


def _in_view(prepare: Prepare, place: str) -> Prepare:
    """Open a page, and scroll to a place on it."""

    def prepare_and_scroll(page: Page, demo: Any) -> None:
        prepare(page, demo)
        page.locator(place).first.evaluate("place => place.scrollIntoView()")

    return prepare_and_scroll


def _acting(page: Page, demo: Any) -> None:
    """Ask what it would do to let a judge judge again, from an analysis of judges."""
    _answered("judges")(page, demo)
    act = page.locator("details.act")
    act.locator("summary").click()
    act.get_by_role("checkbox").first.check()
    act.locator("input[name=action][value=again]").check()
    act.get_by_label("Why").fill("Asked after the first day.")
    act.get_by_role("button", name="What would it do?").click()
    page.wait_for_url("**/judges/act/")


def _system(page: Page, demo: Any) -> None:
    """Open the results of the first system of the ranking."""
    _dashboard(RELEASED)(page, demo)
    page.goto(page.locator("a[href*='/systems/'][href$='/results/']").first.evaluate("a => a.href"))
    page.get_by_role("heading", name="Where it won most clearly").wait_for(
        timeout=ANSWER_MILLISECONDS
    )


def _version(page: Page, demo: Any, version: int) -> None:
    """Open the room where results of the released judgments are published, and publish up to a version."""
    _of_dashboard(RELEASED, "publish/")(page, demo)
    while page.locator(f"#version-{version}").count() == 0:
        _draft(page)
        page.get_by_role("button", name="Publish version").click()
        page.locator(".published-version-card").first.wait_for()


def _draft(page: Page) -> None:
    """Look at the next version, with how firm first place is, which a worker finds out."""
    page.get_by_role("button", name="Look at version").click()
    again = page.get_by_role("button", name="Look again")
    while again.count():
        page.wait_for_timeout(2_000)
        again.click()


def _drafted(page: Page, demo: Any) -> None:
    """Open what would be published next."""
    _version(page, demo, 1)
    _draft(page)


def _published(version: int, address: str = "") -> Prepare:
    """Open a version of a published result, or what belongs to it."""

    def prepare(page: Page, demo: Any) -> None:
        _version(page, demo, version)
        result = page.locator(f"#version-{version} a").evaluate("a => a.href")
        page.goto(f"{result}{address}")

    return prepare


def _retracted(page: Page, demo: Any) -> None:
    """Open a version that was retracted with a reason."""
    _version(page, demo, 3)
    room = page.url
    page.goto(f"{room}2/retract/")
    retract = page.get_by_role("button", name="Retract", exact=True)
    if retract.count():
        page.locator("main form textarea, main form input[type=text]").first.fill(
            "A reference of document 4 was another sentence’s."
        )
        retract.click()
    page.goto(room)
    page.goto(page.locator("#version-2 a").evaluate("a => a.href"))


def _for_reviewers(page: Page, demo: Any) -> None:
    """Open a version by its link for reviewers, signed out."""
    _version(page, demo, 1)
    card = page.locator("[aria-labelledby=version-1]")
    if not card.get_by_text("Link for reviewers:").count():
        card.get_by_role("button", name="Make a link for reviewers").click()
    link = card.locator("p", has_text="Link for reviewers:").locator("code").inner_text()
    page.context.clear_cookies()
    page.goto(link)


def _embargoed(page: Page, demo: Any) -> None:
    """Publish a result under an embargo of two years, and open its address signed out."""
    _of_dashboard(OURS, "publish/")(page, demo)
    if not page.locator("#version-1").count():
        until = f"{datetime.now(UTC).year + 2}-01-01T12:00"
        page.locator("input[name=embargo_until]").fill(until)
        _draft(page)
        page.get_by_role("button", name="Publish version").click()
        page.locator(".published-version-card").first.wait_for()
    result = page.locator("#version-1 a").evaluate("a => a.href")
    page.context.clear_cookies()
    page.goto(result)


def _first_of(address: str, link: str) -> Prepare:
    """Open the first link of a list below the dashboard of the released judgments."""

    def prepare(page: Page, demo: Any) -> None:
        _of_dashboard(RELEASED, address)(page, demo)
        page.goto(page.locator(link).first.evaluate("a => a.href"))

    return prepare


def _of_campaign(address: str) -> Prepare:
    """Open a page of the demo's own campaign as its organiser."""

    def prepare(page: Page, demo: Any) -> None:
        follow(page, demo["organiser"]["url"])
        page.goto(f"{demo['base_url']}/campaigns/{demo['campaign']}/{address}")

    return prepare


def _table(name: str) -> Prepare:
    """Open a table of the demo's own campaign, asked for where it is not there at once."""

    def prepare(page: Page, demo: Any) -> None:
        _of_campaign(f"tables/{name}/")(page, demo)
        _answer_wait(page)

    return prepare


# A whole page where it is long.
ROOMS: dict[str, Shot] = {
    "dashboard": Shot(_dashboard(OURS), is_whole=True),
    "dashboard-wmt12": Shot(_dashboard(RELEASED)),
    "invitations": Shot(_of_campaign("invitations/")),
    "overview": Shot(_of_campaign(""), is_whole=True, views=TWO_VIEWS),
    "design": Shot(_of_dashboard(OURS, "design/"), is_whole=True, views=TWO_VIEWS),
    "system": Shot(_system, is_whole=True, views=TWO_VIEWS),
    "segment": Shot(_of_dashboard(OURS, "segments/3/"), is_whole=True, views=TWO_VIEWS),
    "ranking": Shot(_answered("ranking"), is_whole=True, views=(*TWO_VIEWS, ON_PAPER)),
    "pairs": Shot(_answered("pairs"), is_whole=True, views=TWO_VIEWS),
    "how-firm": Shot(_answered("firmness"), is_whole=True, views=TWO_VIEWS),
    "can-i-stop": Shot(_answered("stopping"), is_whole=True, views=TWO_VIEWS),
    "diagnosis": Shot(_answered("diagnosis"), is_whole=True, views=TWO_VIEWS),
    "agreement": Shot(_answered("agreement"), is_whole=True, views=TWO_VIEWS),
    "agreement-by": Shot(_in_view(_answered("agreement_by"), ANSWER), views=TWO_VIEWS),
    "methods": Shot(_answered("methods"), is_whole=True, views=TWO_VIEWS),
    "remarks": Shot(_answered("remarks"), is_whole=True, views=TWO_VIEWS),
    "judges": Shot(_in_view(_answered("judges"), ANSWER), views=TWO_VIEWS),
    "judge-pairs": Shot(
        _in_view(_answered("judge_pairs"), "svg[aria-labelledby^=plot-matrix]"), views=TWO_VIEWS
    ),
    "without": Shot(_answered("without", leave_out="judge12"), is_whole=True, views=TWO_VIEWS),
    "acting": Shot(_acting, is_whole=True, views=TWO_VIEWS),
    "side-by-side": Shot(
        _in_view(
            _answered("ranking", method="bradley_terry", resample="blocks", resamples="200"),
            "#beside-title",
        ),
        views=TWO_VIEWS,
    ),
    "ranking-settings": Shot(
        _of_dashboard(RELEASED, "ranking-settings/"), is_whole=True, views=TWO_VIEWS
    ),
    "stopping-rule": Shot(
        _of_dashboard(RELEASED, "stopping-rule/"), is_whole=True, views=TWO_VIEWS
    ),
    "tables": Shot(_of_campaign("tables/clusters/"), is_whole=True, views=TWO_VIEWS),
    **{
        f"tables-{name}": Shot(_table(name), is_whole=True, views=TWO_VIEWS)
        for name in ("collected", "agreement", "methods", "average-ranks")
    },
    "contingency": Shot(
        _in_view(
            _answered("judge_pairs", judge="judge03", other="judge06"),
            "[aria-labelledby=table-contingency]",
        ),
        views=TWO_VIEWS,
    ),
    "judge-results": Shot(
        _first_of("judges/", "main a[href*='/judges/']"), is_whole=True, views=TWO_VIEWS
    ),
    "judgments": Shot(_of_dashboard(RELEASED, "judgments/"), views=TWO_VIEWS),
    "block": Shot(
        _first_of("judgments/", "main table a[href*='/judgments/']"),
        is_whole=True,
        views=TWO_VIEWS,
    ),
    "publish": Shot(_of_dashboard(RELEASED, "publish/"), is_whole=True, views=TWO_VIEWS),
    "publish-draft": Shot(_drafted, is_whole=True, views=TWO_VIEWS),
    "published": Shot(_published(1), is_whole=True, views=(*TWO_VIEWS, ON_PAPER)),
    "published-again": Shot(_published(3), is_whole=True, views=TWO_VIEWS),
    "retracted": Shot(_retracted, is_whole=True, views=TWO_VIEWS),
    "reviewers": Shot(_for_reviewers, views=TWO_VIEWS),
    "embargoed": Shot(_embargoed, views=TWO_VIEWS),
    "embedded": Shot(_published(1, "embed/"), is_whole=True, views=TWO_VIEWS),
}
