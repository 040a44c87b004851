"""A loopback server of files for downloads: ranges are served or ignored, and a connection can be cut.

Standard library only.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

__all__ = ["FileServer"]


class FileServer:
    """Serves ``files`` while it is open; after ``cut_after`` bytes of a body the connection ends."""

    def __init__(self, files: Mapping[str, bytes]):
        self.files = dict(files)
        self.spans: list[str] = []
        """The range of each request; empty = the whole file."""
        self.cut_after: int | None = None
        self.knows_ranges = True
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _make_handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{name}"

    def __enter__(self) -> FileServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()


def _make_handler(server: FileServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

        def do_GET(self) -> None:
            content, span = server.files.get(self.path[1:]), self.headers.get("Range") or ""
            server.spans.append(span)
            if content is None:
                self.send_error(404)
                return
            found = re.fullmatch(r"bytes=(\d+)-", span) if server.knows_ranges else None
            start = int(found[1]) if found else 0
            if found and start >= len(content):
                self.send_error(416)
                return
            self.send_response(206 if found else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            self.wfile.write(content[start:][: server.cut_after])
            self.close_connection = True

    return Handler
