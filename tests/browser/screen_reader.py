"""What a screen reader is given to say: the name and role of what has the focus, and live regions."""

import re
from typing import Any

from playwright.sync_api import Page

# Keeps what each live region came to say, in order; what is not rendered is not said.
LISTEN = """(() => {
    const said = [];
    const last = new WeakMap();
    // Of a button with a mark, its name is said.
    const spoken = (region) => {
        let text = region.innerText;
        for (const mark of region.querySelectorAll("[aria-label] > [aria-hidden=true]")) {
            if (mark.checkVisibility()) text = text.replace(mark.innerText, mark.parentElement.ariaLabel);
        }
        return text.trim().replace(/\\s+/g, " ");
    };
    const listen = (region) => {
        const text = region.textContent.trim().replace(/\\s+/g, " ");
        const heard = region.checkVisibility() ? spoken(region) : "";
        if (document.readyState === "loading" || last.get(region) === heard) return;
        last.set(region, heard);
        if (heard && text) said.push(heard);
    };
    // What is there from the start is not said by itself.
    const learn = () => document.querySelectorAll("[role=status]").forEach((region) =>
        last.set(region, (region.innerText.trim() || region.textContent).trim().replace(/\\s+/g, " ")));
    document.addEventListener("readystatechange", () => document.readyState === "interactive" && learn());
    new MutationObserver(() => document.querySelectorAll("[role=status]").forEach(listen)).observe(
        document, { subtree: true, childList: true, characterData: true, attributes: true });
    window.heardUntilNow = () => said.splice(0);
})()"""

_TEXTS = (
    (re.compile(r"(?<=Output [A-E] ).*?(?=, group)"), "‹output›"),
    (re.compile(r"Source sentence \d+ of the story\."), "‹source›"),
    (re.compile(r"Reference \d+ der Geschichte\."), "‹reference›"),
    (re.compile(r"(?<= done\. )Today: [^.]*\. ?"), ""),
    (re.compile(r"(?<=items, )[^.]*(?=\.)"), "‹how long›"),
    (re.compile(r"[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d\s[AP]M\s[A-Z]{3}"), "‹time›"),
)
_AROUND = {
    "dialog": "dialog",
    "radiogroup": "group",
    "group": "group",
    "alertdialog": "dialog",
}
_ROLES = {
    "radio": "radio button",
    "checkbox": "check box",
    "textbox": "edit",
    "combobox": "list",
}


class ScreenReader:
    """Reads one page by Chromium's accessibility tree, as far as every screen reader does alike."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._session = page.context.new_cdp_session(page)
        self._around: list[str] = []
        self._around_before: list[str] = []
        page.add_init_script(LISTEN)

    def said(self) -> list[str]:
        """What live regions came to say since this was asked last."""
        return [
            f"said: {without_texts(each)}"
            for each in self._page.evaluate("heardUntilNow()")
        ]

    def step(self) -> None:
        """From now on what surrounds the focus was said already."""
        self._around_before = self._around

    def focus(self) -> str:
        """What has the focus: what newly surrounds it, its name, its role, its state."""
        found = self._session.send(
            "Runtime.evaluate",
            {"expression": "document.activeElement"},
        )
        nodes = self._session.send(
            "Accessibility.getPartialAXTree",
            {"objectId": found["result"]["objectId"], "fetchRelatives": True},
        )["nodes"]
        by_id = {node["nodeId"]: node for node in nodes}
        own = nodes[0]
        around = []
        node = own
        while node.get("parentId") in by_id:
            node = by_id[node["parentId"]]
            if _value(node, "role") in _AROUND and _value(node, "name"):
                around.append(
                    f"{_value(node, 'name')}, {_AROUND[_value(node, 'role')]}",
                )
        around.reverse()
        new = [each for each in around if each not in self._around_before]
        self._around = around
        return "focus: " + without_texts("; ".join([*new, _spoken(own)]))


def _spoken(node: dict[str, Any]) -> str:
    role = _value(node, "role")
    states = {
        each["name"]: each["value"].get("value") for each in node.get("properties", [])
    }
    parts = [_value(node, "name"), _ROLES.get(role, role)]
    if role in {"radio", "checkbox"}:
        parts.append("checked" if states.get("checked") == "true" else "not checked")
    if "expanded" in states:
        parts.append("expanded" if states["expanded"] else "collapsed")
    if "pressed" in states:
        parts.append("pressed" if states["pressed"] == "true" else "not pressed")
    if node.get("description", {}).get("value"):
        parts.append(node["description"]["value"])
    return ", ".join(part for part in parts if part)


def _value(node: dict[str, Any], name: str) -> str:
    return str(node.get(name, {}).get("value", "")).strip()


def without_texts(spoken: str) -> str:
    """The texts under judgment and the time of day as what they are."""
    for pattern, name in _TEXTS:
        spoken = pattern.sub(name, spoken)
    return re.sub(r"\s+", " ", spoken).strip()
