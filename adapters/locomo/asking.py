"""How the questions are put: in the suite's own words, or in those of a paper.

A memory gets the question alone; what is added here stands in the prompt only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from adapters.locomo.leak import add_leak, list_options
from adapters.locomo.loading import LoadedConversation, LocomoQuestion
from adapters.locomo.scoring import CATEGORIES
from adapters.shared.published.pieces import read_piece
from adapters.shared.published.protocol import Protocol, compose_frame, find_wording
from bench.types import Frame

__all__ = ["FRAME", "Asking"]

FRAME = Frame(
    id="locomo-v1",
    instructions=(Path(__file__).parent / "frame" / "answer.txt").read_text(encoding="utf-8").strip(),
    label="Answer:",
)


@dataclass(frozen=True, slots=True)
class Asking:
    """A protocol with the files it reads, and the switch of the category leak."""

    protocol: Protocol = Protocol()
    data_root: Path = Path()
    leak: bool = False

    @property
    def offers_choice(self) -> bool:
        """True if a question of category 5 names two answers, so that the reply picks one."""
        return self.leak or self.protocol.choice

    def asks(self, category: int) -> bool:
        """True if questions of a category are asked at all."""
        return not self.protocol.groups or CATEGORIES[category] in self.protocol.groups

    def write_frame(self, conversation: LoadedConversation) -> Frame:
        """Return the frame of a conversation. Raises: DataError for a file that is missing or altered."""
        first, second = conversation.speakers
        slots = {"first_speaker": first, "second_speaker": second}
        return compose_frame(self.protocol, FRAME, self.data_root, slots)

    def write_prompt(self, one: LocomoQuestion, name: str) -> str:
        """Return a question as the prompt shows it; empty where that is its text. Raises: as ``write_frame``."""
        piece = find_wording(self.protocol, CATEGORIES[one.category])
        if piece is None:
            return add_leak(one, name) if self.leak else ""
        first, second = list_options(one, name)
        slots = {"question": one.text, "hinted": add_leak(one, name), "first": first, "second": second}
        return read_piece(self.data_root, piece, slots).strip()
