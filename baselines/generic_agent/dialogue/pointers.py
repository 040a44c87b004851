"""L1 of a conversation: pointers from keywords to the section where something is known, always in view.

A pointer says that something is known and where, not what: it cites nothing and answers nothing. The index keeps to
``INDEX_LINES`` lines and ``INDEX_TOKENS`` tokens whatever the layers hold: keywords with the fewest facts go first and
are counted ("and 12 more"), since opening their section still finds them; where there are too many sections the
smallest are counted too. Code writes it again, from the names that the model gave its topics, when an entry was
gained or lost.
Source: GenericAgent, Technical Report V1.0 (L1 invariant). Differs in: the original's model edits the lines itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from baselines.generic_agent.trial.layers import INDEX_LINES, INDEX_TOKENS

__all__ = ["ARCHIVE_LINE", "RULES_LINE", "build_index", "read_sections"]

ARCHIVE_LINE = "the sessions as they were -> l4"
RULES_LINE = "how to look things up -> l3"
_TO = " -> l2/"
_MORE = re.compile(r"and \d+ more(?: sections)?")
_A_LINE = (8, 12, 20, 40, 400)
"""Keywords on one line: as few as the number of lines allows, so that a line stays readable."""


def build_index(topics: Mapping[str, int], fixed: Sequence[str], count: Callable[[str], int]) -> tuple[str, ...]:
    """Return the lines of the index: sections and keywords in order of their names, then the fixed lines.

    ``topics`` are facts by topic. Units: ``count`` gives tokens.
    """
    by_size = sorted(topics, key=lambda topic: (-topics[topic], topic))
    low, high = 0, len(by_size)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if _build_lines_that_fit(by_size[:middle], topics, fixed, count) else (low, middle - 1)
        )
    return tuple(_build_lines_that_fit(by_size[:low], topics, fixed, count) or fixed)


def read_sections(lines: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the keywords by section, as a reader of the index finds them."""
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        keywords, arrow, section = line.partition(_TO)
        if arrow:
            named = tuple(word for word in keywords.split(", ") if not _MORE.fullmatch(word))
            found[section] = found.get(section, ()) + named
    return found


def _build_lines_that_fit(
    chosen: Sequence[str], topics: Mapping[str, int], fixed: Sequence[str], count: Callable[[str], int]
) -> list[str]:
    """Return the lines with these keywords in them; none if they do not fit."""
    for a_line in _A_LINE:
        lines = [*_build_lines(chosen, topics, a_line), *fixed]
        if len(lines) <= INDEX_LINES and count("\n".join(lines)) <= INDEX_TOKENS:
            return lines
    return []


def _build_lines(chosen: Sequence[str], topics: Mapping[str, int], a_line: int) -> list[str]:
    by_section: dict[str, list[str]] = {}
    for topic in sorted(chosen):
        section, _, keyword = topic.partition("/")
        by_section.setdefault(section, []).append(keyword)
    held = Counter(topic.partition("/")[0] for topic in topics)
    lines = []
    for section, keywords in by_section.items():
        left_out = held[section] - len(keywords)
        words = [*keywords, *([f"and {left_out} more"] if left_out else [])]
        lines += [f"{', '.join(words[at : at + a_line])}{_TO}{section}" for at in range(0, len(words), a_line)]
    n_unseen = len(held) - len(by_section)
    return [*lines, *([f"and {n_unseen} more sections{_TO}*"] if n_unseen else [])]
