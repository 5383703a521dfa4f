"""How an address is opened, and what is sent to it."""

from typing import Any

from tests.permissions.world import World


def opening(route: str) -> str:
    """Return the method by which an address is opened: GET, but where a judge's work is sent."""
    if route.endswith("assignments/"):
        return "POST"
    return "PUT" if "client_id" in route else "GET"


def sent_to(world: World, route: str) -> dict[str, Any]:
    """Return what a request to an address of REST says, so that it is asked for campaign "mine"."""
    if "client_id" in route:
        size = len(world.block.stands_for or world.block.outputs)
        answers: dict[str, dict[str, Any]] = {
            "judgments": {"labels": [1] * size},
            "skips": {"reason": "other"},
            "problem-reports": {"kind": "page"},
        }
        kind = route.split("/")[-3]
        block = world.block
        if kind == "skips":
            # A block that was judged cannot be skipped.
            block = block.hit.blocks.exclude(pk=block.pk).earliest("pk")
        return {"block": block.public_id, **answers[kind]}
    if route.endswith(("<uuid:block>/", "<str:file_name>")):
        return {}
    if route.startswith("api/v1/judging/") or route.endswith("assignments/"):
        return {"campaign": world.campaign.slug}
    return {}
