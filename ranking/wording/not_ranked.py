"""Why there is no rank, in words."""

from django.utils.translation import gettext as _


def reason_in_words(reason: str) -> str:
    """Return why a system has no rank, or a judge no κ."""
    return {
        "no_comparison": _("not compared yet"),
        "only_ties": _("only ties so far"),
        "chance_is_certain": _("only ties so far"),
        "separated": _("won or lost everything against the others"),
        "not_converged": _("the estimate did not converge"),
    }.get(reason, reason)
