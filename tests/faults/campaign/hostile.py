"""Hostile text through every output: what a model, a world or a plug-in wrote is shown harmlessly.

Half of the tries put a text into one place of a recorded run; half have an endpoint reply it in a run of their own.
Then commands that show a run are called, and their output must hold no control character and be what it claims.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.faults.campaign.books import reply_to, write_endpoint
from tests.faults.campaign.command import call, describe_badness
from tests.faults.campaign.parses import CHECKS, find_controls
from tests.faults.campaign.sound import copy_sound
from tests.faults.campaign.tries import Found, Place, Try
from tests.servers.openai_server import Answer, FakeOpenAI, ReceivedRequest, completion, usage

__all__ = ["PAYLOADS", "play"]

PAYLOADS = {
    "escape": "a\x1b[2J\x1b[31mb\x1b[0m", "title": "a\x1b]0;owned\x07b", "link": "\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\",
    "C1": "a\x9b2J\x90b\x9c", "bell": "a\x07\x08\x08b", "return": "first\rsecond", "NUL": "a\0b", "delete": "a\x7fb",
    "bidi": "a\u202eb\u2066c\u2069", "separators": "a\u2028b\u2029c\x85d", "zero width": "a\u200b\u200d\ufeffb",
    "newline": "a\n| b |\nc", "tab": "a\tb", "pipe": "a|b||c", "link in Markdown": "[x](http://evil)![i](http://evil)",
    "HTML": "<script>alert(1)</script><img src=x onerror=y>", "entity": "&lt;b&gt; & \"quoted\" 'x'",
    "LaTeX": "\\input{/etc/passwd}\\end{tabular}", "LaTeX signs": "50% of $a_b^c$ & #1 ~{}", "brace": "a{b}}c{{",
    "formula": "=cmd|' /C calc'!A0", "formula +": "+1+1", "formula -": "-2+3+cmd", "formula @": "@SUM(A1)",
    "formula after blanks": "\t=1+1", "quotes": 'a"b""c', "comma": "a,b;c", "code": "`x```y",
    "markup": "[red]x[/red][/]",
    "SVG": "</text><script>x()</script>]]>", "mathtext": "$\\frac{", "percent": "%s %(x)d {0}", "long": "w" * 5000,
    "combining": "a" + "\u0301" * 400, "emoji": "👩‍👩‍👧‍👦 🏴", "only controls": "\x1b\x07", "empty": "",
}  # fmt: skip
_PLACES = {
    "strategy": "UPDATE trials SET strategy = ? WHERE strategy = 'no-memory'",
    "task": "UPDATE trials SET task = ? WHERE task = 'house-001'",
    "model": "UPDATE trials SET model = ?", "suite": "UPDATE trials SET suite = ? WHERE suite LIKE 'toy:%'",
    "split": "UPDATE trials SET split = ? WHERE suite LIKE 'toy:%'",
    "group": "UPDATE trials SET grp = ?", "group of an item": "UPDATE items SET grp = ?",
    "cluster": "UPDATE items SET cluster = ? WHERE item = 'house-001'",
    "error": "UPDATE trials SET error = ?, status = 'model-error' WHERE task = 'house-001'",
    "opening": "UPDATE trials SET opening = ?", "reply of a step": "UPDATE steps SET reply = ?",
    "reply of a call": "UPDATE calls SET reply = ?", "observation": "UPDATE steps SET observation = ?",
    "stimulus": "UPDATE steps SET stimulus = ?", "action": "UPDATE steps SET executed = ?",
    "decision": "UPDATE steps SET decision = ?", "reason": "UPDATE steps SET invalid_reason = ?, valid = 0",
    "end": "UPDATE trials SET end_reason = ? WHERE task = 'house-001'", "role": "UPDATE calls SET role = ?",
    "meta": "UPDATE meta SET value = ? WHERE key NOT IN ('schema')",
}  # fmt: skip
_ENDPOINT = "a reply of the endpoint"
_COMMANDS = (
    *((("table", "run", "--format", style), style) for style in ("rich", "md", "csv", "latex", "json")),
    (("table", "run", "--by", "group", "--notes"), "rich"), (("table", "run", "--by", "group", "--format", "md"), "md"),
    (("table", "run", "--by", "group", "--format", "latex"), "latex"), (("export", "run"), "csv"),
    (("export", "run", "--to", "jsonl"), "jsonl"), (("show", "run"), "text"),
    (("show", "run", "@", "--context"), "text"),
    (("frontier", "run", "-o", "out.svg"), "figure"), (("errors", "run", "-o", "out.svg"), "figure"),
    (("compare", "run", "full-history", "full-history"), "text"), (("compare", "run", "full-history", "#"), "text"),
)  # fmt: skip
_LOOKS = 8
"""So many of the commands look at each text: starting all of them for each would take most of the campaign."""
_EXPECTED = "output without control characters that is what it claims: CSV, JSON, XML, balanced LaTeX, even columns"


def play(one: Try, place: Place) -> Found:
    """Put one text in one place and look at every output."""
    names, where = list(PAYLOADS), [*_PLACES, *[_ENDPOINT] * len(_PLACES)]
    rng = one.rng
    name, into = names[one.number % len(names)], rng.choice(where)
    about = f"{name} {PAYLOADS[name][:60]!r} as {into}"
    place.tell(into, about)
    folder = copy_sound(place)
    if into == _ENDPOINT:
        got = _play_with(PAYLOADS[name], folder)
    else:
        _put(PAYLOADS[name], into, folder)
        got = ""
    commands = rng.sample(_COMMANDS, _LOOKS)
    return Found(into, about, _EXPECTED, got or _look(PAYLOADS[name], into, folder, commands))


def _put(text: str, into: str, folder: Path) -> None:
    with sqlite3.connect(folder / "run" / "run.sqlite") as db:
        db.execute(_PLACES[into], (text,))
    db.close()


def _play_with(text: str, folder: Path) -> str:
    """Play a run whose endpoint adds the text to its replies; return what was wrong with it."""

    def answer(request: ReceivedRequest) -> Answer:
        reply, prompt, written = reply_to(request)
        return completion(f"{text}\n{reply} {text}", usage(prompt, written))

    shutil.rmtree(folder / "run")
    write_endpoint(folder)
    with FakeOpenAI(answer) as server:
        words = ("-s", "full-history,no-memory", "-m", f"openai/{json.dumps(text)[1:9]}", "--base-url", server.url)
        done = call(folder, "run", "toy:houses=2", *words, "--endpoint", "endpoint.toml", "--steps", "5", "-o", "run")
    return describe_badness(done, (0, 1)) or _find_fault("run", "rich", done.out, done.err)


def _look(text: str, into: str, folder: Path, commands: Sequence[tuple[tuple[str, ...], str]]) -> str:
    """Call commands; return what was wrong with the first output that was not harmless."""
    for words, kind in commands:
        filled = [_fill(word, text, into, folder) for word in words]
        done = call(folder, *filled)
        shown = f"`bench {' '.join(words)}`"
        if said := describe_badness(done, (0, 2) if _may_refuse(words, text, into) else (0,)):
            return f"{shown}: {said}"
        out = (folder / "out.svg").read_text() if kind == "figure" and done.code == 0 else ""
        if said := _find_fault(shown, "svg", out, "") if out else "":
            return said
        if done.code == 0 and (said := _find_fault(shown, "text" if kind == "figure" else kind, done.out, done.err)):
            return said
    return ""


def _may_refuse(words: tuple[str, ...], text: str, into: str) -> bool:
    """True where a message of one line is as good as an output: nothing can be named by it, or it is of no use."""
    # A record that was edited may not be readable any more; that the message is harmless is checked all the same.
    return (
        "#" in words
        or words[0] in ("compare", "frontier", "errors")
        or into in ("meta", "role", "end", "model")
        or not text
    )


def _fill(word: str, text: str, into: str, folder: Path) -> str:
    if word == "@":
        return _name_trial(folder)
    if word == "#":  # as a user would type it: no argument holds a NUL
        return text.replace("\0", "") if into == "strategy" else "no-memory"
    return word


def _name_trial(folder: Path) -> str:
    with sqlite3.connect(folder / "run" / "run.sqlite") as db:
        strategy, task = db.execute("SELECT strategy, task FROM trials WHERE strategy = 'full-history'").fetchone()
    db.close()
    return f"{strategy}@{task}"


def _find_fault(shown: str, kind: str, out: str, err: str) -> str:
    check: Callable[[str], str] = CHECKS[kind]
    said = find_controls(err, terminal=True) or check(out)
    return f"{shown}: {said}" if said else ""
