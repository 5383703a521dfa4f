"""What ranking methods are called, and where they are from."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

#: Names of the methods of `ranking.core.methods.registry.METHODS`.
METHOD_WORDS: Mapping[str, Promise | str] = MappingProxyType(
    {
        "expected_wins": _("Expected Wins"),
        "bradley_terry": _("Bradley–Terry with ties"),
        "davidson_judges": _("Bradley–Terry with judges’ own ties"),
        "hopkins_may": _("Hopkins and May"),
        "trueskill_wmt": _("TrueSkill as WMT ran it"),
        "trueskill": _("TrueSkill"),
        "bojar": _("> others, ties left out"),
        "geq_others": _("≥ others"),
        "gt_others": _("> others"),
        "geq_all_in_block": _("≥ all in block"),
        "gt_all_in_block": _("> all in block"),
        "lopez": _("Lopez: fewest violated comparisons"),
    }
)
#: Where each is described.
METHOD_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "expected_wins": "Koehn (2012)",
        "bradley_terry": "Davidson (1970)",
        "davidson_judges": "Davidson (1970)",
        "hopkins_may": "Hopkins & May (2013)",
        "trueskill_wmt": "Sakaguchi et al. (2014)",
        "trueskill": "Herbrich et al. (2007)",
        "bojar": "Bojar et al. (2011)",
        "geq_others": "Callison-Burch et al. (2007)",
        "gt_others": "Bojar et al. (2011)",
        "geq_all_in_block": "Bojar et al. (2011)",
        "gt_all_in_block": "Bojar et al. (2011)",
        "lopez": "Lopez (2012)",
    }
)
