"""One episode: the product, the four tools, and one answer.

A tool is a table read by product id, as the released ones are: of the text it is asked only that it is not empty, and
the id of another product of the table returns that product's score. A score that the table lacks is a failure of the
tool, which is part of the task. Progress = a fifth for each of the product's own four scores that a tool has returned
or failed to, 1.0 only for the right answer; of a product whose id is invalid, for which no tool is to be called, 0
until then. Success = the hazard class is the reference, exactly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from adapters.sop_bench.commands import ANSWER, Command, read_class, read_command
from adapters.sop_bench.frames import Tool
from adapters.sop_bench.products import CLASSES, COLUMNS, Product, is_sound_id
from bench.errors import EnvError
from bench.types import Frame, Observation, Opening

__all__ = ["SopEnvironment"]

_UNKNOWN = "There is no such command."
_RECORDED = "The answer is recorded."


class SopEnvironment:
    """An ``Environment``: made for one product, reset once, closed once."""

    def __init__(self, product: Product, table: Mapping[str, Product], tools: tuple[Tool, ...], frame: Frame):
        """``table``: every product that the tools know, by id."""
        self._product, self._table, self._frame = product, table, frame
        self._tools = {tool.name: tool for tool in tools}
        self._seen: set[str] = set()
        self._open = False

    def reset(self) -> Opening:
        """Return the product and its texts, under the names of the tools' arguments."""
        self._open = True
        lines = [f"{name}: {text}" for name, text in zip(COLUMNS, self._product.texts, strict=True)]
        facts = "\n".join((f"product_id: {self._product.id}", *lines))
        return Opening(f"Your task is to: find the hazard class of this product.\n{facts}", self._frame)

    def step(self, action: str) -> Observation:
        """Carry out one command. Raises: EnvError before reset and after the end."""
        if not self._open:
            raise EnvError("sop-bench: expected a step within an open episode, got one before reset or after its end")
        command = read_command(action)
        if command is not None and command.name == ANSWER:
            return self._take_answer(command, action)
        if command is None or command.name not in self._tools:
            return self._refuse(_UNKNOWN, "unparsable", action)
        return self._call(self._tools[command.name], command)

    def close(self) -> None:
        """End the episode."""
        self._open = False

    @property
    def _progress(self) -> float:
        return len(self._seen) / (len(self._tools) + 1) if is_sound_id(self._product.id) else 0.0

    def _refuse(self, text: str, reason: str, executed: str) -> Observation:
        return Observation(text, progress=self._progress, valid=False, executed=executed.strip(), invalid_reason=reason)

    def _call(self, tool: Tool, command: Command) -> Observation:
        given = dict(zip(("product_id", tool.text), command.values, strict=False)) | dict(command.arguments)
        product_id, text = given.get("product_id", ""), given.get(tool.text, "")
        executed = f"{tool.name}(product_id={json.dumps(product_id)}, {tool.text}={json.dumps(text)})"
        if missing := [name for name in ("product_id", tool.text) if not given.get(name, "").strip()]:
            return self._refuse(f"{tool.name} needs {' and '.join(missing)}.", "precondition", executed)
        if product_id not in self._table:
            return self._refuse(f"{tool.name} knows no product with the id {product_id}.", "precondition", executed)
        score = dict(zip(COLUMNS, self._table[product_id].scores, strict=True))[tool.text]
        if product_id == self._product.id:
            self._seen.add(tool.name)
        if score is None:
            shown = f"{tool.name} failed for {product_id}: it returned no score."
        else:
            shown = json.dumps({"product_id": product_id, tool.score: score})
        return Observation(shown, progress=self._progress, executed=executed)

    def _take_answer(self, command: Command, action: str) -> Observation:
        named = [command.arguments[name] for name in ("hazard_class", "class") if name in command.arguments]
        read = [read_class(text) for text in (*named, *command.values)]
        found, is_short = next((one for one in read if one[0]), ("", False))
        if not found:
            return self._refuse(f"answer needs a hazard_class, one of: {', '.join(CLASSES)}.", "unparsable", action)
        self._open = False
        won = found == self._product.hazard_class
        return Observation(
            _RECORDED,
            done=True,
            won=won,
            progress=1.0 if won else self._progress,
            executed=f'{ANSWER}(hazard_class="{found}")',
            repairs=("class-letter",) if is_short else (),
        )
