"""The litellm embedder against a loopback server with OpenAI's embeddings API."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec

import numpy as np
import pytest

from bench.embedders.litellm import LitellmEmbedder
from bench.errors import ModelError, UsageError

INSTALLED = find_spec("litellm") is not None
needs_litellm = pytest.mark.skipif(not INSTALLED, reason="needs the extra [litellm]")


class Provider(BaseHTTPRequestHandler):
    """Answers (number of characters, 1) for each text, last first; ``down``, ``zero`` and ``short`` go wrong."""

    sizes: list[int] = []  # noqa: RUF012 - the server makes one handler a request; this is where they meet

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.sizes.append(len(texts))
        rows = [[0.0, 0.0] if text == "zero" else [float(len(text)), 1.0] for text in texts]
        data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)][::-1]
        if "short" in texts:
            data = data[1:]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        body = json.dumps({"object": "list", "data": data, "model": "fake", "usage": usage}).encode()
        self.send_response(400 if "down" in texts else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Iterator[LitellmEmbedder]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    Provider.sizes.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield LitellmEmbedder("openai/fake", api_base=f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.skipif(INSTALLED, reason="the extra is installed")
def test_missing_extra_is_named_in_the_error() -> None:
    with pytest.raises(UsageError, match=r"got no package litellm; pip install 'memfrontier\[litellm\]'"):
        LitellmEmbedder("openai/fake").embed(["a"])
    assert "litellm" not in sys.modules


@needs_litellm
@pytest.mark.filterwarnings("default")  # litellm's own deprecations are not ours
def test_rows_have_unit_length_and_the_order_of_the_texts(embedder: LitellmEmbedder) -> None:
    rows = embedder.embed(["abc", "", "abcdefghij"])
    assert (embedder.name, rows.dtype.name) == ("litellm/openai/fake", "float32")
    assert np.allclose(rows, np.array([[3, 1], [1, 1], [10, 1]]) / np.sqrt([[10], [2], [101]]), atol=1e-6)


@needs_litellm
@pytest.mark.filterwarnings("default")
def test_many_texts_are_split_into_several_requests(embedder: LitellmEmbedder) -> None:
    rows = embedder.embed(["x" * (i % 7 + 1) for i in range(300)])
    assert rows.shape == (300, 2)
    assert (rows[256:] == rows[4 : 4 + 44]).all()  # 256 = 4 modulo 7
    assert Provider.sizes == [256, 44]


@needs_litellm
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("text", "message"),
    [("down", "litellm/openai/fake: "), ("zero", "longer than 0"), ("short", "expected 2 vectors, got 1")],
)
def test_bad_response_is_a_model_error(embedder: LitellmEmbedder, text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        embedder.embed(["fine", text])
