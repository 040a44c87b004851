"""A loopback server that answers as the Hugging Face hub does for one data set of plain files, and counts requests.

Enough for ``datasets.load_dataset`` and for downloads of single files; ranges are served, and a connection can be cut.
Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

__all__ = ["COMMIT", "FakeHub"]

COMMIT = "a" * 40


class FakeHub:
    """Serves ``files`` of the data set ``name`` while it is open; ``cut_after`` bytes of a file the connection ends."""

    def __init__(self, name: str, files: Mapping[str, bytes]):
        self.name, self.files = name, dict(files)
        self.requests: list[tuple[str, str, str]] = []
        """Method, path and range of each request."""
        self.cut_after: int | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _make_handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def list_downloads(self) -> list[tuple[str, str]]:
        """Return file and range of each request for the content of a file."""
        return [
            (path.rpartition("/")[2], span)
            for method, path, span in self.requests
            if method == "GET" and "/resolve/" in path and path.rpartition("/")[2] in self.files
        ]

    def __enter__(self) -> FakeHub:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()


def _make_handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            path, span = self.path.partition("?")[0], self.headers.get("Range") or ""
            hub.requests.append((self.command, path, span))
            name = path.rpartition("/")[2]
            if path.startswith(f"/api/datasets/{hub.name}/tree"):
                self._send_json([_describe(one, content) for one, content in hub.files.items()])
            elif path.startswith(f"/api/datasets/{hub.name}"):
                self._send_json(
                    {"_id": "1", "id": hub.name, "sha": COMMIT, "siblings": [{"rfilename": n} for n in hub.files]}
                )
            elif "/resolve/" in path and name in hub.files:
                self._send_file(hub.files[name], span)
            else:
                kind = "EntryNotFound" if f"/{hub.name}/" in path else "RepoNotFound"
                self._send(404, b"{}", {"X-Error-Code": kind})

        do_HEAD = do_GET  # noqa: N815

        def _send_json(self, value: Any) -> None:
            self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

        def _send_file(self, content: bytes, span: str) -> None:
            headers = {
                "ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"
            }  # fmt: skip
            found = re.fullmatch(r"bytes=(\d+)-", span)
            start = int(found[1]) if found else 0
            if found:
                headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self._send(206 if found else 200, content[start:], headers, cut=hub.cut_after)

        def _send(self, code: int, body: bytes, headers: Mapping[str, str], cut: int | None = None) -> None:
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body[:cut])
            self.close_connection = self.close_connection or cut is not None

    return Handler


def _describe(name: str, content: bytes) -> dict[str, Any]:
    return {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
