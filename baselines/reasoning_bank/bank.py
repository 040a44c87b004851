"""The bank: items from single attempts, as the model writes them and as text files, one for each attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from baselines.shared.artifacts import list_files, name_file
from bench.replies import JsonNode, ReplyError
from bench.types import Artifact

__all__ = ["MOST_ITEMS", "Entry", "Item", "read_bank", "read_items", "write_entry"]

MOST_ITEMS = 3
_FOLDER = "items/"
_TASK, _ITEM = "# Task\n", "\n\n# Item\n"


@dataclass(frozen=True, slots=True)
class Item:
    """What is good to know for other tasks; each text is one line. ``title`` and ``description`` may be empty."""

    title: str
    description: str
    content: str

    def render(self) -> str:
        """Return it as prompts and files show it."""
        return "\n".join(filter(None, (self.title, self.description, self.content)))


@dataclass(frozen=True, slots=True)
class Entry:
    """What one attempt taught."""

    opening: str
    """Of its task: what it is found by."""
    items: tuple[str, ...]
    """Rendered items."""

    def render(self) -> str:
        """Return them as a prompt shows them."""
        return "\n\n".join(self.items)


def read_items(reply: JsonNode, rejected: Counter[str]) -> tuple[Item, ...]:
    """Return the first three items of a reply; what cannot be used, and what comes behind them, is counted.

    Raises: ReplyError for JSON without items.
    """
    if isinstance(reply.value, dict) and "content" in reply:
        entries: Sequence[JsonNode] = (reply,)
    else:
        entries = reply.entries() if isinstance(reply.value, list) else reply["items"].entries()
    found: list[Item] = []
    for entry in entries:
        try:
            item = _read_item(entry)
        except ReplyError:
            rejected["not an item"] += 1
            continue
        if not item.content:
            rejected["empty content"] += 1
        elif item.content in {one.content for one in found}:
            rejected["duplicate content"] += 1
        elif len(found) >= MOST_ITEMS:
            rejected[f"more than {MOST_ITEMS} items"] += 1
        else:
            found.append(item)
    return tuple(found)


def _read_item(entry: JsonNode) -> Item:
    title, description = (entry[name].text() if name in entry else "" for name in ("title", "description"))
    return Item(title, description, entry["content"].text())


def write_entry(number: int, opening: str, items: Sequence[Item]) -> tuple[str, str]:
    """Return the name and the text of the file of one attempt."""
    body = "".join(f"{_ITEM}{item.render()}" for item in items)
    return name_file(_FOLDER, number), f"{_TASK}{opening}{body}\n"


def read_bank(artifact: Artifact) -> dict[str, Entry]:
    """Return the entries of an artifact by file name, in order; other files, and those without an item, are left."""
    found: dict[str, Entry] = {}
    for name, text in list_files(artifact, _FOLDER).items():
        task, *items = text.removeprefix(_TASK).split(_ITEM)
        if any(map(str.strip, items)):
            found[name] = Entry(task, tuple(item.strip() for item in items if item.strip()))
    return found
