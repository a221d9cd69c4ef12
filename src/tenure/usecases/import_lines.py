"""What one line of an import may say: what was sealed or is trusted, its whole life; anything else, its words.

A seal is made with the user's own key. Without one the line could come from anybody, so what it says of states and
counters does not count.
"""

from __future__ import annotations

from typing import Any

import msgspec

from tenure.files import strict_json
from tenure.model.decoding import convert
from tenure.model.errors import InvalidInput, StoreDamaged
from tenure.model.events import Life
from tenure.model.evolve import fold
from tenure.text.redact import redact_value
from tenure.usecases import export_file, export_lines, intake
from tenure.usecases.export_lines import ExportLine, Seal

# What a line nobody vouches for may say; who said it and in which run is known better here.
SAID = ("kind", "title", "text", "content", "tags", "files", "scope", "domain", "agent")
# What a proposal may say besides, which does not count here.
ABOUT_A_RUN = ("source", "run", "event", "evidence")


def opened(raw: bytes, seal: Seal, trusted: bool) -> Life | None:
    """Return what a line holds when its seal is this user's, or it is trusted; None when nobody vouches for it."""
    if not raw.startswith(b'{"format":"tenure/'):
        return None
    if seal.is_on(raw):
        return export_lines.life(raw)
    if not trusted:
        return None
    export_lines.decoded(raw)
    return export_lines.encoded(_checked(raw))


def _checked(raw: bytes) -> ExportLine:
    """Return a line somebody else wrote, cleaned like everything from outside, when its history proves it."""
    strictly = strict_json.decode(raw, max_bytes=export_file.MAX_LINE_BYTES)
    try:
        line = convert(intake.clean_value(redact_value(strictly)), ExportLine)
        proved = not line.events or fold(line.events) == line.memory
    except (msgspec.ValidationError, StoreDamaged, AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"not a line of an export: {error}") from None
    id = intake.check_id(line.memory.id)
    if not proved or any(event.memory_id != id for event in line.events):
        raise InvalidInput(f"{id}: its history does not lead to what it says it is")
    return line


def as_proposal(raw: bytes, uncounted: set[str]) -> dict[str, Any]:
    """Return what an unsealed line says as a proposal of somebody else.

    Of an export with another seal only what it says counts; the names of the rest are added to `uncounted`. Any other
    record may hold the fields of a proposal and nothing else: one that sets a state or a counter is not taken for less
    than it says.
    """
    value = strict_json.decode(raw, max_bytes=export_file.MAX_LINE_BYTES)
    exported = isinstance(value, dict) and str(value.get("format", "")).startswith("tenure/")
    if exported and isinstance(value, dict):
        value = value.get("memory")
    if not isinstance(value, dict):
        raise InvalidInput(f"must be an object, found {value!r:.60}")
    kept = {name: value[name] for name in SAID if value.get(name)}
    others = [name for name in value if name not in SAID]
    if exported:
        uncounted.update(name for name in others if value[name])
    elif unknown := [name for name in others if name not in ABOUT_A_RUN]:
        raise InvalidInput(
            f"{unknown[0]!r:.60} is not a field that an import may set; it takes {', '.join(SAID)}. "
            "States, counters and times come only with an export of your own"
        )
    else:
        uncounted.update(others)
    return {**kept, "source": "external:import"}
