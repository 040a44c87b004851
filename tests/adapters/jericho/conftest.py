"""Fixtures of the Jericho tests: a scripted engine, and a real story file of some hundred bytes, assembled here."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from adapters.jericho.engine import GameReply, JerichoEngines
from adapters.shared.workers import WorkerLimits

_OBJECTS, _GLOBALS, _TEXT, _PARSE, _DICTIONARY, _CODE = 0x100, 0x160, 0x340, 0x3B0, 0x400, 0x480
_SCORE = 0x11
"""The variable that a version 3 interpreter shows as the score."""
_WORD = 0x13
_ILLEGAL = bytes(3)
"""An instruction that there is none of: the interpreter stops."""
_SYMBOLS = " \n0123456789.,!?_#'\"/\\-:()"
COMMANDS = ("crash", "hang", "halt", "point")


class ScriptedEngine:
    """Returns prepared replies."""

    def __init__(self, replies: Iterable[GameReply]):
        self._replies = list(replies)
        self.commands: list[str] = []
        self.closed = 0

    def start(self, _story: Path, _seed: int, *, asks_score: bool = False) -> GameReply:
        return self._replies.pop(0)

    def step(self, command: str) -> GameReply:
        self.commands.append(command)
        return self._replies.pop(0)

    def close(self) -> None:
        self.closed += 1


def characters(text: str) -> list[int]:
    """Return the Z-characters of a text (version 3)."""
    codes: list[int] = []
    for letter in text:
        if letter == " ":
            codes.append(0)
        elif letter.islower():
            codes.append(ord(letter) - ord("a") + 6)
        elif letter.isupper():
            codes += [4, ord(letter) - ord("A") + 6]
        else:
            codes += [5, _SYMBOLS.index(letter) + 6]
    return codes


def pack_characters(codes: Sequence[int], words: int = 0) -> bytes:
    """Return Z-characters as bytes, three a word, the last word marked."""
    count = words or -(-len(codes) // 3)
    padded = [*codes, *[5] * 3 * count][: 3 * count]
    values = [padded[i] << 10 | padded[i + 1] << 5 | padded[i + 2] for i in range(0, len(padded), 3)]
    values[-1] |= 0x8000
    return b"".join(value.to_bytes(2, "big") for value in values)


def encode_print(text: str) -> bytes:
    return b"\xb2" + pack_characters(characters(text))


def jump(at: int, to: int) -> bytes:
    """Return a jump that stands at ``at``."""
    return b"\x8c" + ((to - at - 1) & 0xFFFF).to_bytes(2, "big")


def little_story(opening: str = "Hut\nYou are in a hut. Your goal is a point.") -> bytes:
    """Return a game of one hut that knows four words.

    ``point`` scores, ``hang`` runs for ever, ``crash`` stops the interpreter, ``halt`` does so after a last word.
    """
    entries = {word: _DICTIONARY + 5 + 7 * index for index, word in enumerate(sorted(COMMANDS))}
    code = bytearray(encode_print(opening + "\n"))
    loop = _CODE + len(code)
    code += b"\xe4\x0f" + _TEXT.to_bytes(2, "big") + _PARSE.to_bytes(2, "big")
    code += b"\xcf\x1f" + _PARSE.to_bytes(2, "big") + bytes((1, _WORD))
    branches = {}
    for word, address in entries.items():
        code += b"\xc1\x8f" + bytes((_WORD,)) + address.to_bytes(2, "big")
        branches[word] = len(code)
        code += b"\0\0"
    code += encode_print("I don't know the word.\n")
    code += jump(_CODE + len(code), loop)
    for word, at in branches.items():
        code[at : at + 2] = (0x8000 | (len(code) - at - 2 + 2)).to_bytes(2, "big")
        here = _CODE + len(code)
        if word == "point":
            code += bytes((0x95, _SCORE)) + encode_print("Done.\n")
            code += jump(_CODE + len(code), loop)
        elif word == "hang":
            code += jump(here, here)
        elif word == "halt":
            code += encode_print("That is the end.\n") + _ILLEGAL
        else:
            code += _ILLEGAL
    return _file(bytes(code), entries)


def _file(code: bytes, words: Iterable[str]) -> bytes:
    size = (_CODE + len(code) + 63) // 64 * 64
    story = bytearray(size)
    story[0] = 3
    places = {4: _CODE, 6: _CODE, 8: _DICTIONARY, 10: _OBJECTS, 12: _GLOBALS, 14: _DICTIONARY, 24: 0x40, 26: size // 2}
    for at, value in places.items():
        story[at : at + 2] = value.to_bytes(2, "big")
    first = _OBJECTS + 62
    story[first + 7 : first + 9] = (first + 10).to_bytes(2, "big")
    story[first + 10 : first + 13] = bytes((1,)) + pack_characters(characters("hut"))
    story[_GLOBALS : _GLOBALS + 2] = (1).to_bytes(2, "big")  # the hut: what the status line names
    story[_TEXT], story[_PARSE] = 100, 10
    known = sorted(words)
    story[_DICTIONARY : _DICTIONARY + 5] = bytes((1, ord(","), 7, 0, len(known)))  # the engine needs one separator
    for index, word in enumerate(known):
        at = _DICTIONARY + 5 + 7 * index
        story[at : at + 4] = pack_characters(characters(word)[:6], words=2)
    story[_CODE : _CODE + len(code)] = code
    return bytes(story)


@pytest.fixture
def scripted() -> type[ScriptedEngine]:
    return ScriptedEngine


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A real story file, played by the real engine."""
    path = tmp_path / "hut.z3"
    path.write_bytes(little_story())
    return path


@pytest.fixture
def engines() -> Iterator[JerichoEngines]:
    """The real engine, not given long for a step."""
    if importlib.util.find_spec("jericho") is None:
        pytest.skip("needs the engine: pip install 'memfrontier[jericho]'")
    pool = JerichoEngines(WorkerLimits(step_s=2.0, episodes=2))
    yield pool
    pool.close()


@pytest.fixture(scope="session")
def data_root() -> Path:
    root = Path(os.environ.get("BENCH_DATA", "-")).resolve()
    if not (root / "jericho" / "zork").is_dir():
        pytest.skip("needs the Zork story files under $BENCH_DATA")
    if importlib.util.find_spec("jericho") is None:
        pytest.skip("needs the engine: pip install 'memfrontier[jericho]'")
    return root
