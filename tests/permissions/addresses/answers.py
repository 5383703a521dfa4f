"""What several addresses answer to each role by GET."""

ROLES = ("visitor", "judge", "organiser", "analyst", "other judge", "other organiser")
EVERYBODY = dict.fromkeys(ROLES, 200)

# What each role gets of campaign "mine", of which the "other" ones know nothing.
MEMBERS_PAGE = {
    "visitor": 302,
    "judge": 404,
    "organiser": 200,
    # What analysts may not change they read all the same; test_analysts.py opens and sends everything.
    "analyst": 200,
    "other judge": 404,
    "other organiser": 404,
}
# Leads to its section of a page.
TO_SECTION = {**MEMBERS_PAGE, "organiser": 302, "analyst": 302}
MEMBERS_API = {**MEMBERS_PAGE, "visitor": 401}
# To where it is now, with what was sent.
ORGANISERS_API = MEMBERS_API
# What these do to strangers: tests/integration/controls/test_pages.py and arriving/test_organising.py.
ONLY_POST = dict.fromkeys(ROLES, 405)
# Over REST, membership is checked before the method.
ONLY_POST_OF_MEMBERS = {
    **ONLY_POST,
    "judge": 404,
    "other judge": 404,
    "other organiser": 404,
}
# There is none of this name: tests/integration/ranking/test_plot_downloads.py.
NO_PLOT = {**dict.fromkeys(ROLES, 404), "visitor": 302}
# Lists that hold only what is one's own.
OWN_API = {**EVERYBODY, "visitor": 401}
# Strangers are not told that it is there, nor asked who they are.
EMBARGOED = {**MEMBERS_PAGE, "visitor": 404}
JUDGING_API = dict.fromkeys(ROLES, 404) | {"visitor": 401, "judge": 200}

ACCOUNT = {**EVERYBODY, "visitor": 302, "judge": 404, "other judge": 404}
AFTER_THE_PASSWORD = {**ACCOUNT, "organiser": 302, "other organiser": 302}
