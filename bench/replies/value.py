"""Reads the one thing that a reply was asked for: an action or an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bench.replies.json_reply import find_field
from bench.replies.labels import ASIDE, THOUGHT, WORLD, Label, Labelled, bare_name, make_label, make_synonyms
from bench.replies.marks import ITEM
from bench.replies.open_calls import join_calls
from bench.replies.tables import open_table
from bench.replies.tidy import BOX, cut_sentence, find_quoted, is_command, tidy_action, tidy_answer
from bench.replies.visible import Line, clean, hide_thoughts, split_lines

__all__ = ["ReadReply", "read_action", "read_answer"]


_JSON = re.compile(r"(?:<\w{1,20}>\s?)?\{\s?[\"']")
"""Begins JSON, which is no value as a whole."""


_PLAIN = re.compile(r"(?!.*\b(?:because|so|order)\b)[a-z0-9]+(?: [a-z0-9]+){0,11}")
"""A value that needs no care: a few words in small letters and numbers, none of which begins a remark."""


@dataclass(frozen=True, slots=True)
class ReadReply:
    """What a reply means. Without a ``value`` it is ``unreadable``."""

    value: str = ""
    repairs: tuple[str, ...] = ()
    """What had to be forgiven, each once: ``think-block``, ``bold``, ``fence``, ``next-line``, ``played-on``, ..."""
    sure: bool = False
    """A label, a fence or a reply of nothing else made it out; False = a guess, such as the first line of prose."""
    thought: str = ""
    """What the model thought aloud: think blocks and lines such as ``Thought: ...``."""
    cut: bool = False
    """The reply ends within a think block: ``max_tokens`` was used up by thinking, see ``thinking_tokens``."""

    @property
    def unreadable(self) -> bool:
        return not self.value


@dataclass(frozen=True, slots=True)
class _Raw:
    """A value as written; several lines are the items of a list, or of one paragraph."""

    lines: tuple[str, ...]
    repairs: tuple[str, ...]
    end: int
    """The line behind it."""
    is_list: bool = False
    sure: bool = True


def read_action(text: str, label: str = "Action:") -> ReadReply:
    """Return the first labelled action of a reply, else what can only be one: one command and nothing else."""
    return _read(text, label, is_action=True)


def read_answer(text: str, label: str = "Answer:") -> ReadReply:
    """Return the first labelled answer of a reply, else its only line, else a guess; a list is joined by commas."""
    return _read(text, label, is_action=False)


def _read(text: str, name: str, *, is_action: bool) -> ReadReply:
    # Nearly every reply is plain: a label and words without any mark. The readers below would say the same of it.
    if name and text.startswith(f"{name} ") and _PLAIN.fullmatch(text, len(name) + 1):
        return ReadReply(text[len(name) + 1 :], sure=True)
    reply, label, bare = hide_thoughts(clean(text)), make_label(name), bare_name(name)
    tag = re.compile(rf"<(?P<close>/?)(?:(?:final|next)[_ -])?{re.escape(bare)}\s?>(?:\s?:)?", re.IGNORECASE)
    shown = tag.sub(lambda mark: "\n" if mark["close"] else f"\n{bare}: ", reply.text) if bare else reply.text
    lines, calls = open_table(split_lines(shown), label, bare), tuple[str, ...]()
    if is_action:
        lines, calls = join_calls(lines)
    found = _find_marked(lines, shown, name, is_action)
    if found is None and not reply.cut:
        found = _find_bare(lines, label, is_action)
    behind = found.end if found else len(lines)
    thoughts = [hit.rest for line in lines[:behind] if (hit := THOUGHT.match(line.text))]
    result = ReadReply(thought="\n".join(filter(None, (reply.thought, *thoughts))), cut=reply.cut)
    if found is None:
        return result
    if is_action and _is_thought(found.lines[0], name):  # ``Action: think: ...`` where no thought can be given
        return replace(result, thought="\n".join(filter(None, (result.thought, found.lines[0]))))
    value, tidied = tidy_action(found.lines[0]) if is_action else tidy_answer(found.lines, found.is_list)
    names = ["think-block"] if reply.thought or reply.cut else []
    names += ["tag"] if shown != reply.text else []
    names += ["fence"] if any(line.fence for line in lines[max(behind - 1, 0) : behind]) else []
    names += ["several-lines"] if any(found.lines[0] in call for call in calls) else []
    names += [*found.repairs, *tidied]
    if any(WORLD.match(line.text) or _match(label, line.text) for line in lines[behind:]):
        names.append("played-on")
    return replace(
        result, value=value, repairs=tuple(dict.fromkeys(names)) if value else (), sure=found.sure and bool(value)
    )


def _is_thought(line: str, name: str) -> bool:
    """True for ``think: ...``, also behind what stands for the label."""
    other = make_synonyms(name).match(line)
    return bool(THOUGHT.match(other.rest if other and other.rest else line))


def _find_marked(lines: list[Line], text: str, name: str, is_action: bool) -> _Raw | None:
    """Return what is marked as the value: by the label, as a field of JSON, or by what stands for the label."""
    label, bare = make_label(name), bare_name(name)
    if not bare:
        return None
    found = _find_labelled(lines, label, is_action)
    if found is None or found.lines[0].startswith(("{", "[")):
        found = _find_in_json(lines, text, bare.lower()) or found
    found = found or _find_labelled(lines, make_synonyms(name), is_action, loose=True)
    return found or (_find_stated(lines, label, is_action) if "\\boxed" in text or label.core.search(text) else None)


def _find_labelled(lines: list[Line], label: Label, is_action: bool, *, loose: bool = False) -> _Raw | None:
    """Return the first value behind the label, at the start of a line or of a sentence within one.

    ``loose``: the label is a word that prose begins with as well, so what is no command is no action.
    """
    for at, line in enumerate(lines):
        if not label.core.search(line.text):
            continue
        hit, extra = label.match(line.text) if loose else _match(label, line.text), list[str]()
        if hit is None and not line.text.startswith(("{", "[{", '["')) and (parts := label.split_inline(line.text)):
            hit, extra = label.match(parts[1]), ["inline-label"]
        if hit is None or (loose and is_action and hit.rest and not is_command(hit.rest)):
            continue
        if is_action and THOUGHT.match(hit.rest):
            continue
        repairs = (*extra, *hit.repairs, *(["label-synonym"] if loose else []))
        if hit.rest.strip("*_`~$\"' "):
            if not is_action and hit.rest.rstrip("*_ ").endswith(":") and (items := _items(lines, at + 1))[0]:
                return _Raw(items[0], (*repairs, "list"), items[1], True)
            return _Raw((hit.rest,), repairs, at + 1)
        below = _below(lines, at + 1, label, is_action)
        if below:
            return replace(below, repairs=(*repairs, "next-line", *below.repairs))
    return None


def _match(label: Label, line: str) -> Labelled | None:
    return (label.match(line) or label.match_odd(line)) if label.core.search(line) else None


def _find_in_json(lines: list[Line], text: str, name: str) -> _Raw | None:
    """Return the value of the field of JSON that is called as the label."""
    if not (field := find_field(text, name)):
        return None
    values, repairs = field
    last = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].text.startswith(("{", "["))), len(lines) - 1)
    return _Raw(values, repairs, last + 1, len(values) > 1)


def _find_stated(lines: list[Line], label: Label, is_action: bool) -> _Raw | None:
    """Return the value in a box, or of the last sentence such as ``So the answer is x.``"""
    found: _Raw | None = None
    for at, line in enumerate(lines):
        if WORLD.match(line.text):
            break
        if box := next(BOX.finditer(line.text), None):
            return _Raw((box["text"],), ("latex",), at + 1)
        if (hits := list(label.sentence.finditer(line.text))) and not THOUGHT.match(line.text):
            value = cut_sentence(line.text[hits[-1].end() :])
            if value and (not is_action or is_command(value)):
                found = _Raw((value,), ("label-synonym",), at + 1, sure=not is_action)
    return found


def _below(lines: list[Line], at: int, label: Label, is_action: bool) -> _Raw | None:
    """Return the value that stands under its label: a line, of an answer the paragraph or list."""
    while at < len(lines) and not lines[at].text.strip("-=_$\\[ "):
        at += 1
    if at == len(lines) or _is_other(lines[at].text) or label.match(lines[at].text):
        return None
    items, end = _items(lines, at)
    if items:
        return _Raw(items[:1], (), at + 1) if is_action else _Raw(items, ("list",), end, True)
    end = at + 1
    while not is_action and end < len(lines) and lines[end].text and lines[end].fence == lines[at].fence:
        if _is_other(lines[end].text) or label.match(lines[end].text):
            break
        end += 1
    return _Raw(tuple(line.text for line in lines[at:end]), (), end)


def _items(lines: list[Line], at: int) -> tuple[tuple[str, ...], int]:
    """Return the items of the list that begins at a line, and the line behind it; a numbered one begins with 1."""
    items: list[str] = []
    end = at
    while at < len(lines):
        found = ITEM.fullmatch(lines[at].text)
        if found and (items or found["number"] in (None, "1")):
            items.append(found["text"])
            end = at + 1
        elif lines[at].text or (not items and at > end + 1):
            break
        at += 1
    return tuple(items), end


def _is_other(line: str) -> bool:
    return any(other.match(line) for other in (WORLD, THOUGHT, ASIDE))


def _find_bare(lines: list[Line], label: Label, is_action: bool) -> _Raw | None:
    """Return the value of a reply without a label; it is sure where it can be nothing else."""
    lines = [line._replace(text="") if _JSON.match(line.text) else line for line in lines]
    if found := _find_framed(lines, is_action):
        return found
    end = next((at for at, line in enumerate(lines) if WORLD.match(line.text)), len(lines))
    thought = next((at for at in range(end) if THOUGHT.match(lines[at].text)), None)
    spoken = [at for at in range(end) if lines[at].text and at != thought and not _match(label, lines[at].text)]
    if not spoken:
        return None
    first, last = spoken[0], spoken[-1]
    if not is_action and thought is None and len(items := _items(lines, first)[0]) == len(spoken):
        return _Raw(items, ("list",), last + 1, True)
    if is_action and first == last and (command := find_quoted(lines[first].text)):
        return _Raw((command,), ("quotes",), first + 1, sure=False)
    is_plain = thought is None and (not is_action or is_command(lines[first].text))
    if not is_plain and last and _is_apart(lines, last) and (not is_action or is_command(lines[last].text)):
        first = last
    elif thought is not None and thought < first:
        return None
    return _Raw((lines[first].text,), (), first + 1, sure=is_plain and len(spoken) == 1)


def _find_framed(lines: list[Line], is_action: bool) -> _Raw | None:
    """Return the value in the only fence, or an action behind a prompt's mark on the last line."""
    fenced = [at for at, line in enumerate(lines) if line.fence and line.text and not _is_other(line.text)]
    if len({lines[at].fence for at in fenced}) == 1 and (len(fenced) == 1 or not is_action):
        values = tuple(lines[at].text for at in fenced)
        return _Raw(values, (), fenced[-1] + 1, sure=not is_action or is_command(values[0]))
    prompts = [at for at, line in enumerate(lines) if line.text.startswith(">")] if is_action else []
    if len(prompts) == 1 and not any(line.text for line in lines[prompts[0] + 1 :]):
        text = lines[prompts[0]].text.lstrip("> ")
        return _Raw((text,), ("quote",), prompts[0] + 1) if is_command(text) else None
    return None


def _is_apart(lines: list[Line], at: int) -> bool:
    """Whether a line is no continuation of the one before it, such as a thought of several lines."""
    return not lines[at - 1].text or (lines[at - 1].text.endswith((".", "!", "?", ":")) and is_command(lines[at].text))
