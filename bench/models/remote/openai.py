"""OpenAI's chat completions over persistent HTTP connections: the client for a base URL.

vLLM, llama.cpp, Ollama, LM Studio and most gateways speak it. Needs no library and little CPU time, so that many
workers can wait on two cores. Every attempt has a wall limit that holds however slowly bytes arrive. Redirects and
proxies are not followed; litellm supports proxies.
"""

from __future__ import annotations

import http.client
import io
import json
import select
import socket
import ssl
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bench.errors import UsageError
from bench.models.remote.client import LARGEST_BYTES, AttemptFailed, EndpointRequest, parse_retry_after_s
from bench.models.remote.provider_errors import interpret_error, read_code
from bench.models.remote.response import CompletionReader
from bench.types import CallStatus, Reply

__all__ = ["OpenAIClient"]

_LONGEST_ERROR_BYTES = 1 << 16
"""What is read of an error: its code and its wording stand at the beginning."""


class OpenAIClient:
    """One address, one model, a pool of connections; safe to use from any number of threads."""

    def __init__(self, base_url: str, model: str, key: str, reader: CompletionReader):
        """``key`` may be empty.

        Raises: UsageError for a bad address.
        """
        try:
            parts = urlsplit(base_url)
            self._port = parts.port
        except ValueError:
            parts, self._port = urlsplit(""), -1
        if parts.scheme not in ("http", "https") or not parts.hostname or self._port == -1:
            raise UsageError(f"base URL: expected http(s)://host:port/v1, got {base_url!r}; check --base-url")
        self._host, self._secure = parts.hostname, parts.scheme == "https"
        self._path = parts.path.rstrip("/") + "/chat/completions" + (f"?{parts.query}" if parts.query else "")
        self._model = model
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "memfrontier"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._reader = reader
        self._idle: deque[http.client.HTTPConnection] = deque()
        self._tls = ssl.create_default_context() if self._secure else None

    def build_body(self, request: EndpointRequest) -> dict[str, Any]:
        """Return the JSON object that is sent."""
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        body = {"model": self._model, **request.settings, "messages": messages}
        if request.max_tokens is not None:
            body[request.limit_name] = request.max_tokens
        if request.stop:
            body["stop"] = list(request.stop)
        if request.seed is not None:
            body["seed"] = request.seed
        return body

    def ask(self, request: EndpointRequest, timeout_s: float) -> Reply:
        """Return the reply. Raises: AttemptFailed, ContextOverflow."""
        data = json.dumps(self.build_body(request)).encode()
        until_s = time.monotonic() + timeout_s
        try:
            response = self._exchange(data, until_s)
        except TimeoutError as cause:
            raise AttemptFailed(CallStatus.TIMEOUT, f"no reply in {timeout_s:g} s") from cause
        except (OSError, http.client.HTTPException) as cause:
            raise AttemptFailed(CallStatus.CONNECTION, f"{type(cause).__name__}: {cause}") from cause
        if response.status != 200:
            wait_s = parse_retry_after_s(response.headers, time.time())
            text = response.data[:_LONGEST_ERROR_BYTES].decode(errors="replace")
            return interpret_error(response.status, text, wait_s)
        if len(response.data) > LARGEST_BYTES:
            raise AttemptFailed(CallStatus.MALFORMED, f"expected at most {LARGEST_BYTES:,} bytes, got more")
        try:
            body = json.loads(response.data)
        except (ValueError, RecursionError) as cause:
            text = response.data[:100].decode(errors="replace")
            raise AttemptFailed(CallStatus.MALFORMED, f"expected JSON, got {text!r}") from cause
        if isinstance(body, Mapping) and (error := body.get("error")):  # some gateways report one with status 200
            return interpret_error(read_code(error), json.dumps(error, ensure_ascii=False)[:_LONGEST_ERROR_BYTES])
        return self._reader.read(body, request)

    def _exchange(self, body: bytes, until_s: float) -> _Response:
        connection = self._take_connection(until_s)
        sock = _unwrap(connection.sock)
        try:
            connection.sock = _DeadlineSocket(sock, until_s)
            connection.request("POST", self._path, body, self._headers)
            raw = connection.getresponse()
            data = _read_body(raw)
            headers = {name.lower(): value for name, value in raw.getheaders()}
            reusable = not raw.will_close and raw.isclosed()
        except BaseException:
            sock.close()
            raise
        if reusable:
            self._idle.append(connection)
        else:
            sock.close()
        return _Response(raw.status, headers, data)

    def _take_connection(self, until_s: float) -> http.client.HTTPConnection:
        """Return an idle connection that the other side has not closed, else a new one."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return self._connect(until_s)
            if not _is_stale(_unwrap(connection.sock)):
                return connection
            _unwrap(connection.sock).close()

    def _connect(self, until_s: float) -> http.client.HTTPConnection:
        remaining_s = max(0.001, until_s - time.monotonic())
        if self._tls is not None:
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                self._host, self._port, timeout=remaining_s, context=self._tls
            )
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=remaining_s)
        connection.connect()
        return connection

    def close(self) -> None:
        while self._idle:
            _unwrap(self._idle.pop().sock).close()


def _read_body(raw: http.client.HTTPResponse) -> bytes:
    """Return the body, of one that is too long a byte more than is allowed. Raises: IncompleteRead if it was cut."""
    data = raw.read(LARGEST_BYTES + 1)
    if raw.length and len(data) <= LARGEST_BYTES:
        raise http.client.IncompleteRead(data, raw.length)
    return data


@dataclass(frozen=True, slots=True)
class _Response:
    """One HTTP response; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class _DeadlineSocket:
    """A socket for http.client whose waits all end at the same moment; head and body are sent as one."""

    def __init__(self, raw: socket.socket, until_s: float):
        self.raw, self._until_s = raw, until_s
        self._head = b""

    def sendall(self, data: bytes) -> None:
        if not self._head:  # every request has a body, which comes next
            self._head = data
            return
        self.raw.settimeout(_remaining_s(self._until_s))
        self.raw.sendall(self._head + data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Stream(self.raw, self._until_s))

    def close(self) -> None:
        """Leave the connection open: http.client calls this before the last response on it is read."""


class _Stream(io.RawIOBase):
    """The bytes of one response. Closing it leaves the connection open for the next."""

    def __init__(self, raw: socket.socket, until_s: float):
        self._raw, self._until_s = raw, until_s

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._raw.settimeout(_remaining_s(self._until_s))
        return self._raw.recv_into(buffer)


def _remaining_s(until_s: float) -> float:
    remaining_s = until_s - time.monotonic()
    if remaining_s <= 0:
        raise TimeoutError
    return remaining_s


def _unwrap(sock: Any) -> socket.socket:
    raw: socket.socket = sock.raw if isinstance(sock, _DeadlineSocket) else sock
    return raw


def _is_stale(raw: socket.socket) -> bool:
    """Return True if the other side has closed an idle connection: then there is something to read on it."""
    if not hasattr(select, "poll"):  # Windows, where select knows no highest number
        return bool(select.select([raw], [], [], 0)[0])
    poll = select.poll()
    poll.register(raw, select.POLLIN)
    return bool(poll.poll(0))
