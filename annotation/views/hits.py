"""Show organisers the HITs and explain why each was drawn, from the numbers in `HIT.why`."""

from collections.abc import Iterator, Sequence
from typing import TypedDict

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.models import HIT, HITPurpose, JudgmentNumber
from annotation.selectors.designs import design_in_force
from annotation.selectors.hits import hit_state, hits_explained
from campaign.texts.joining import semicolon_list, with_full_stop
from campaign.views.access import of_task, organised_task
from campaign.views.decorators import page_view


class ExplainedBlock(TypedDict, total=False):
    """Why a block was drawn, as `HIT.why` records it."""

    segment: int
    texts: int
    size: int
    chosen: str
    met_before: float
    met_before_any: float
    watermark: int
    priority: float
    priority_any: float
    reference: str
    bad_reference: str


class BlockReason(TypedDict):
    """A segment, and how its texts were chosen in words."""

    segment: int
    texts: str


class HITReason(TypedDict):
    """A HIT in words."""

    number: int
    state: str
    reason: str
    blocks: list[BlockReason]


def hit_reason(hit: HIT) -> HITReason:
    """Describe a HIT from `hits_explained` in words."""
    states = {
        "done": pgettext("HIT", "done"),
        "lent": pgettext("HIT", "lent"),
        "available": pgettext("HIT", "available"),
        "waiting": _("waiting for the HIT it repeats"),
        "withdrawn": _("withdrawn before use"),
    }
    explained: Sequence[ExplainedBlock] = hit.why.get("blocks", ())
    blocks: list[BlockReason] = []
    for why in explained:
        texts = with_full_stop(semicolon_list(_chosen(why)))
        blocks.append({"segment": why["segment"], "texts": texts})
    return {
        "number": hit.number,
        "state": states[hit_state(hit)],
        "reason": _reason(hit),
        "blocks": blocks,
    }


def _reason(hit: HIT) -> str:
    if hit.reserved_for:
        judge = hit.reserved_for.pseudonym
    else:
        judge = ""
    first = hit.repeats.number if hit.repeats else 0
    if hit.purpose == HITPurpose.TRAINING:
        return _("Training")
    if hit.purpose == HITPurpose.REDUNDANCY:
        return _(
            "Copy of HIT %(first)d for another judge (judges per block: %(judges)d).",
        ) % {
            "first": first,
            "judges": hit.design.redundancy,
        }
    if hit.purpose == HITPurpose.INTER:
        return _(
            "Repeat of HIT %(first)d by another judge, to measure agreement between judges.",
        ) % {"first": first}
    if hit.purpose == HITPurpose.INTRA:
        return _("Repeat of HIT %(own)d by %(judge)s, to measure self-agreement.") % {
            "own": hit.why.get("repeats", first),
            "judge": judge,
        }
    if "file" in hit.why:
        return _("Imported from “%(file)s” (%(format)s).") % {
            "file": hit.why["file"],
            "format": hit.why["format"],
        }
    if hit.batch_id is None:
        return _("Imported with judgments.")
    if judge:
        return _("Drawn for %(judge)s, who had seen everything in the pool.") % {
            "judge": judge,
        }
    return _("Drawn for all judges (design: %(kind)s).") % {
        "kind": hit.design.get_kind_display(),
    }


def _chosen(why: ExplainedBlock) -> Iterator[str]:
    """Describe in words how the texts of a block were chosen."""
    yield ngettext(
        "%(texts)d distinct text, up to %(size)d shown",
        "%(texts)d distinct texts, up to %(size)d shown",
        why.get("texts", 0),
    ) % {"texts": why.get("texts", 0), "size": why.get("size", 0)}
    if why.get("chosen") == "uniform":
        yield _("all systems equally likely")
    elif why.get("chosen") == "balanced":
        yield _(
            "least compared pairs (%(met)s comparisons before, mean of all pairs: %(any)s)",
        ) % {
            "met": localize(why["met_before"]),
            "any": localize(why["met_before_any"]),
        }
    elif why.get("chosen") == "active":
        yield _(
            "most informative pairs after %(watermark)d judgments (priority %(priority)s, mean of all pairs: %(any)s)",
        ) % {
            "watermark": why["watermark"],
            "priority": localize(why["priority"]),
            "any": localize(why["priority_any"]),
        }
    if "reference" in why:
        yield _("includes the reference")
    if "bad_reference" in why:
        yield _("includes a damaged reference (attention check)")


PAGE = 50


@page_view
def hits_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the HITs of a test set, latest first, and why each was drawn; `?before=` starts below a number."""
    task = organised_task(request, slug, task_id)
    hits = hits_explained(task_id=task.pk).order_by("-number")
    before = request.GET.get("before", "")
    # Numbers of HITs have at most nine digits.
    if before.isascii() and before.isdigit() and len(before) < 10:
        hits = hits.filter(number__lt=int(before))
    rows = list(hits[: PAGE + 1])
    return render(
        request,
        "dashboard/hits.html",
        {
            **of_task(task, "hits"),
            "design": design_in_force(task_id=task.pk),
            "hits": [hit_reason(hit) for hit in rows[:PAGE]],
            "older": rows[PAGE - 1].number if len(rows) > PAGE else None,
        },
    )


@page_view
def hit_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    number: int,
) -> HttpResponse:
    """Show a HIT: why it was drawn, and its judgments."""
    task = organised_task(request, slug, task_id)
    # A number beyond the column's range would be a database error.
    of_number = hits_explained(task_id=task.pk).filter(number=min(number, 2**31 - 1))
    hit = get_object_or_404(of_number)
    judged = JudgmentNumber.objects.filter(judgment__block__hit=hit).order_by("number")
    context = {
        **of_task(task, "hits"),
        "hit": hit_reason(hit),
        "numbers": judged.values_list(
            "number",
            "judgment__judge__pseudonym",
            "judgment__block__segment__number",
        )[:PAGE],
    }
    return render(request, "organiser/hit.html", context)
