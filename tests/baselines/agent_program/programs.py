"""Programs for the tests: a few lines of Python each, behind what reads and writes the lines of the protocol."""

from __future__ import annotations

import sys
from pathlib import Path

_BEGIN = """
import json, os, sys, threading, time, urllib.error, urllib.request
def asked():
    for text in sys.stdin:
        line = json.loads(text)
        if "id" in line:
            yield line
def say(line, **fields):
    print(json.dumps({"id": line["id"], "type": "action", "action": "open box", **fields}), flush=True)
def call(text, role=None, **fields):
    url = os.environ["MEMFRONTIER_ROLE_URL"].replace("{role}", role) if role else os.environ["OPENAI_BASE_URL"]
    body = {"model": "any", "messages": [{"role": "user", "content": text}], **fields}
    request = urllib.request.Request(
        url + "/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]
"""


def write_program(folder: Path, body: str) -> str:
    """Return the command line of a program whose code is ``body``; ``asked``, ``say`` and ``call`` are there."""
    path = folder / "program.py"
    path.write_text(_BEGIN + body, encoding="utf-8")
    return f"{sys.executable} {path}"
