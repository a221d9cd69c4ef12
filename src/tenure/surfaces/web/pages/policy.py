"""Every value of the policy in force, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenure.surfaces.web.pages import Ask, Page

if TYPE_CHECKING:
    from tenure.workspace import Workspace


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return the settings by section, and those that wait for an agreement."""
    sections: dict[str, list[dict[str, Any]]] = {}
    for setting in workspace.settings:
        name, _, key = setting.key.rpartition(".")
        row = {"key": key or setting.key, "value": setting.value, "origin": setting.origin}
        sections.setdefault(name, []).append(row)
    ignored = [{"key": each.key, "value": each.value, "origin": each.origin} for each in workspace.ignored]
    origins = [setting.origin for setting in workspace.settings]
    return {
        "sections": sections,
        # Where most values come from, so that only the others need to be named.
        "packaged": max(set(origins), key=origins.count, default=""),
        "ignored": ignored,
        "why_ignored": workspace.why_ignored if ignored else "",
    }


PAGES = [Page("/policy", "Policy", "policy.html", read, "/policy.json")]
ACTS: list[Any] = []
