"""What is printed alike wherever a recorded trial is spoken of: its name, and a text of a model or a world."""

from __future__ import annotations

__all__ = ["format_trial", "make_printable"]


def format_trial(strategy: object, task: object, seed: object, attempt: object = 1) -> str:
    """Return the name of a trial that ``bench show`` takes; ``#SEED:ATTEMPT`` for a later attempt."""
    tail = f"#{seed}:{attempt}" if attempt != 1 else f"#{seed}" if seed else ""
    return f"{strategy}@{task}{tail}"


def make_printable(text: str) -> str:
    """Return a text without what a terminal would obey; line breaks and tabs stay."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)
