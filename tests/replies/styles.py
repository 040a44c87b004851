"""Ways in which chat models dress up a plain reply such as ``Action: go to desk 1`` or ``Answer: 7 May 2023``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ACTIONS", "ANSWERS", "COMMANDLESS", "STYLES", "Style"]


@dataclass(frozen=True, slots=True)
class Style:
    """``write``: label without colon, value -> reply. ``command``: the reply still carries the value."""

    name: str
    write: Callable[[str, str], str]
    actions: bool = True
    answers: bool = True
    command: bool = True
    sure: bool = True


def _template(name: str, template: str, **flags: bool) -> Style:
    return Style(name, lambda label, value: template.replace("LABEL", label).replace("VALUE", value), **flags)


def _json(name: str, template: str) -> Style:
    """A style whose NAME is the label in lower case, and VALUE the value as JSON."""
    return Style(
        name, lambda label, value: template.replace("NAME", label.lower()).replace("VALUE", json.dumps(value)[1:-1])
    )


def _translate(language: str, action: str, answer: str) -> Style:
    return Style(language, lambda label, value: f"{action if label == 'Action' else answer}{value}")


_THOUGHT = "To find it I first need to look around, then take red from blue."
STYLES = (
    _template("plain", "LABEL: VALUE"),
    _template("bold label", "**LABEL:** VALUE"),
    _template("bold label, colon outside", "**LABEL**: VALUE"),
    _template("bold line", "**LABEL: VALUE**"),
    _template("bold label and value", "**LABEL:** **VALUE**"),
    _template("bold value", "LABEL: **VALUE**"),
    _template("italic label", "*LABEL:* VALUE"),
    _template("underlined label", "__LABEL:__ VALUE"),
    _template("italic line", "_LABEL: VALUE_"),
    _template("heading", "### LABEL: VALUE"),
    _template("heading, value below", "## LABEL\nVALUE"),
    _template("bold heading, value below", "**LABEL**\n\nVALUE"),
    _template("block quote", "> LABEL: VALUE"),
    _template("bullet", "- LABEL: VALUE"),
    _template("star bullet", "* LABEL: VALUE"),
    _template("numbered line", "1. LABEL: VALUE"),
    _template("line of the history", "[4] LABEL: VALUE"),
    _template("numbered label", "LABEL 3: VALUE"),
    _template("next", "Next LABEL: VALUE", answers=False),
    _template("final", "Final LABEL: VALUE"),
    _template("the next is", "The next LABEL is: VALUE", answers=False),
    _template("the is", "The LABEL is: VALUE"),
    _template("space before the colon", "LABEL : VALUE"),
    _template("full-width colon", "LABEL：VALUE"),
    Style("upper case", lambda label, value: f"{label.upper()}: {value}"),
    Style("upper case and space", lambda label, value: f"{label.upper()} : {value}"),
    Style("lower case", lambda label, value: f"{label.lower()}: {value}"),
    _template("no space", "LABEL:VALUE"),
    _template("label twice", "LABEL: LABEL: VALUE"),
    _template("cue echoed above", "LABEL:\nLABEL: VALUE"),
    _template("bold label twice", "LABEL: **LABEL:** VALUE"),
    _template("double quotes", 'LABEL: "VALUE"'),
    _template("single quotes", "LABEL: 'VALUE'"),
    _template("curly quotes", "LABEL: “VALUE”"),
    _template("backticks", "LABEL: `VALUE`"),
    _template("backticks around the line", "`LABEL: VALUE`"),
    _template("quotes around the line", '"LABEL: VALUE"'),
    _template("next line", "LABEL:\nVALUE"),
    _template("next but one line", "**LABEL:**\n\nVALUE"),
    _template("fence below", "LABEL:\n```\nVALUE\n```"),
    _template("fence with a language below", "**LABEL:**\n```text\nVALUE\n```"),
    _template("labelled fence", "```\nLABEL: VALUE\n```"),
    _template("labelled fence with a language", "```bash\nLABEL: VALUE\n```"),
    _template("fence in the line", "LABEL: ```VALUE```"),
    _template("bare fence", "```\nVALUE\n```"),
    _template("bare fence with a language", "```text\nVALUE\n```"),
    _template("prose, then a bare fence", "I will look there first.\n\n```\nVALUE\n```"),
    _template("bare line", "VALUE"),
    _template("bare bold line", "**VALUE**"),
    _template("full stop", "LABEL: VALUE."),
    _template("full stop in bold", "**LABEL:** VALUE."),
    _template("bracketed remark", "LABEL: VALUE (to look for it there)", answers=False),
    _template("remark with brackets", "LABEL: VALUE (it (the mug) may be there).", answers=False),
    _template("sentence of comment", "LABEL: VALUE. This makes progress.", answers=False),
    _template("quotes and a comment", 'LABEL: "VALUE". This makes progress.', answers=False),
    _template("bold and a comment", "LABEL: **VALUE** because it is the nearest.", answers=False),
    _template("dash and a comment", "LABEL: VALUE — it is the nearest", answers=False),
    _template("hash and a comment", "LABEL: VALUE # the nearest one", answers=False),
    _template("arrow brackets", "LABEL: <VALUE>", answers=False),
    _template("comment on the next line", "LABEL: VALUE\nThis makes progress."),
    _template("comment below", "LABEL: VALUE\n\nI chose it since it is the nearest."),
    _template("prose above", "It has not been seen yet.\n\nLABEL: VALUE"),
    _template("prose above, bold label", "It has not been seen yet.\n\n**LABEL:** VALUE"),
    _template("prose on the same line", "It has not been seen yet. LABEL: VALUE"),
    _template("prose on the same line, bold label", "It has not been seen yet. **LABEL:** VALUE"),
    _template("thought line", f"Thought: {_THOUGHT}\nLABEL: VALUE"),
    _template("bold thought line", f"**Thought:** {_THOUGHT}\n\n**LABEL:** VALUE"),
    _template("thought on the same line", f"Thought: {_THOUGHT} LABEL: VALUE"),
    _template("think block", f"<think>{_THOUGHT}</think>LABEL: VALUE"),
    _template("think block with a label", "<think>\nMaybe this.\nLABEL: red from blue\n</think>\n\nLABEL: VALUE"),
    _template("thinking block", f"<thinking>{_THOUGHT}</thinking>\n**LABEL:** VALUE"),
    _template("reasoning block", f"<reasoning>\n{_THOUGHT}\n</reasoning>\nLABEL: VALUE"),
    _template("end of a think block alone", f"{_THOUGHT}\nLABEL: red\n</think>\nLABEL: VALUE"),
    _template("long think block", "<think>" + "LABEL: red is not blue. " * 300 + "</think>\nLABEL: VALUE"),
    _template("think block, bare line", f"<think>{_THOUGHT}</think>\nVALUE"),
    _template("played on", "LABEL: VALUE\nObservation: You see a red box.\nLABEL: red from blue"),
    _template("played on, numbered", "LABEL 1: VALUE\nObservation 1: You see a red box.\nLABEL 2: red"),
    _template("played on, one line", "LABEL: VALUE Observation: You see a red box.", answers=False),
    _template("several at once", "LABEL: VALUE\nLABEL: red from blue"),
    _template("Windows line ends", "It is there.\r\n\r\nLABEL: VALUE\r\n"),
    _template("no-break space", "LABEL:\u00a0VALUE"),
    _template("byte order mark", "\ufeffLABEL: VALUE"),
    _template("JSON above", '{\n"note":\n"LABEL: red from blue"\n}\nLABEL: VALUE'),
    _template("thought, then a bare line", f"Thought: {_THOUGHT}\n\nVALUE", answers=False, sure=False),
    _template("list below", "LABEL:\n- VALUE"),
    _template("explained answer", "LABEL: VALUE\nReason: it was said so.", actions=False),
    _template("explained answer below", "LABEL:\nVALUE\nReason: it was said so.", actions=False),
    _template("round brackets", "(LABEL: VALUE)"),
    _template("square brackets", "[LABEL: VALUE]"),
    _template("square brackets and bold", "[**LABEL:** VALUE]"),
    _template("curly brackets", "{LABEL: VALUE}"),
    Style("tag", lambda label, value: f"<{label.lower()}>{value}</{label.lower()}>"),
    Style("tag over lines", lambda label, value: f"Well.\n<{label.lower()}>\n{value}\n</{label.lower()}>"),
    _template("tag as a label", "<LABEL>: VALUE"),
    _template("heading in brackets", f"[THOUGHT] {_THOUGHT}\n[LABEL] VALUE"),
    _template("heading in bold brackets", "**[LABEL]** VALUE"),
    _template("field of broken JSON", '{\n"thought" "x"\n"LABEL": "VALUE",\n}'),
    _template("arrow", "LABEL -> VALUE"),
    _template("double arrow", "LABEL => VALUE"),
    _template("dash", "LABEL - VALUE"),
    _template("equals sign", "LABEL = VALUE"),
    Style("attribute", lambda label, value: f'{label.lower()}="{value}"'),
    _template("underlined heading", "LABEL\n------\nVALUE"),
    Style("underlined capitals", lambda label, value: f"{label.upper()}\n======\n\n{value}"),
    _template("heading without marks", "It is near.\n\nLABEL\nVALUE"),
    _template("table row", "| LABEL | VALUE |"),
    _template("table with headers", "| LABEL | Why |\n|---|---|\n| VALUE | it is near |"),
    _template("table with a thought", "It is near.\n\n| Thought | **LABEL** |\n| :-- | :-- |\n| hm | `VALUE` |"),
    _template("table of fields", "| Field | Content |\n|---|---|\n| LABEL | VALUE |"),
    _template("table row in bold", "|---|---|\n| **LABEL** | `VALUE` |"),
    _template("call", "LABEL[VALUE]"),
    _template("call below a thought", f"Thought: {_THOUGHT}\nLABEL[VALUE]"),
    _template("call with quotes", 'LABEL("VALUE")'),
    _template("prompt mark", "> VALUE", answers=False),
    _template("prose, then a prompt mark", "It has not been seen yet.\n> VALUE", answers=False),
    _template("sentence", "The LABEL is VALUE", actions=False),
    _template("sentence with a stop", "So the LABEL would be VALUE.", actions=False),
    _template("sentence behind prose", "It was said on Monday. Therefore, the LABEL is VALUE.", actions=False),
    _template("my", "My LABEL: VALUE"),
    _template("choice", "I choose: VALUE"),
    _template("promise", "I will do: VALUE"),
    _template("polite choice", "I'd like to go with: VALUE"),
    _template("polite choice in bold", "It is near.\n\n**I’ll go with:** VALUE"),
    _template("command", "Command: VALUE", answers=False),
    _template("next step", "**Next step:** VALUE", answers=False),
    _template("response", "Response: VALUE", actions=False),
    _template("box", "\\boxed{VALUE}"),
    _template("box in prose", "So it must be $\\boxed{\\text{VALUE}}$.", actions=False),
    _template("formula", "LABEL: $\\text{VALUE}$"),
    _template("formula on a line", "LABEL:\n$$\n\\boxed{VALUE}\n$$"),
    _template("remark at the label", "LABEL (short): VALUE"),
    _template("remark in square brackets", "LABEL [final]: VALUE"),
    _template("remark behind a bold label", "**LABEL** (from session 3): VALUE"),
    _json("JSON", '{"NAME": "VALUE"}'),
    _json("JSON with a thought", '{"thought": "NAME: red", "NAME": "VALUE"}'),
    _json("JSON in a fence", 'Here it is:\n```json\n{\n  "thought": "x",\n  "NAME": "VALUE"\n}\n```'),
    _json("JSON behind the label", 'NAME: {"NAME": "VALUE"}'),
    _json("JSON call", '{"name": "act", "arguments": {"NAME": "VALUE"}}'),
    _json("JSON call in a tag", '<tool_call>\n{"name": "act", "arguments": {"NAME": "VALUE"}}\n</tool_call>'),
    _json("JSON call of another name", '{"name": "act", "parameters": {"text": "VALUE"}}'),
    _template("marked in prose", "I'll try `VALUE` next.", answers=False, sure=False),
    _template("quoted, with a purpose", "`VALUE` to find it", answers=False),
    _translate("German", "Aktion: ", "Antwort: "),
    _translate("French", "Action : ", "Réponse : "),
    _translate("Spanish", "**Acción:** ", "**Respuesta:** "),
    _translate("Chinese", "行动：", "答案："),
    _translate("Chinese, other words", "动作：", "回答："),
    _translate("Japanese", "行動：", "答え："),
    _translate("Russian", "Действие: ", "Ответ: "),
)
COMMANDLESS = (
    _template("empty", "", command=False),
    _template("white space", " \n\t\r\n ", command=False),
    _template("thought alone", f"Thought: {_THOUGHT}", command=False),
    _template("bold thought alone", f"**Thought:** {_THOUGHT}", command=False),
    _template("thought of two lines", f"Thought: {_THOUGHT}\nThen I take it.", command=False),
    _template("think block alone", "<think>LABEL: VALUE</think>", command=False),
    _template("open think block", "<think>I think that\nLABEL: VALUE", command=False),
    _template("prose, then an open think block", "Well.\n<think>LABEL: VALUE", command=False),
    _template("empty fence", "```\n```", command=False),
    _template("empty fence with a language", "```json\n\n```", command=False),
    _template("label alone", "LABEL:", command=False),
    _template("bold label alone", "**LABEL:**", command=False),
    _template("JSON with a thought alone", '{"thought": "LABEL: VALUE"}', command=False),
    _template("translated thought alone", "Gedanke: VALUE", command=False),
    _template("label and an invented observation", "LABEL:\nObservation: You see VALUE.", command=False),
    _template("invented observation alone", "Observation: You see VALUE.", command=False),
)
ACTIONS = (
    "go to desk 1",
    "put mug 1 in/on desk 1",
    "left grasp shot1",
    "pour-shot-to-clean-shaker shot1 ingredient1 shaker1 left l0 l1",
    "look",
    "n",
    "ask bob about x",
    'say "hello, sailor"',
    "turn dial to 4:30",
    "take lamp, rope",
    "examine bob's hat",
    "check valid actions",
)
ANSWERS = (
    "7 May 2023",
    "kingfisher, adder",
    "not mentioned",
    "Charlotte's Web",
    'the book "Becoming Nicole"',
    "by ferry",
    "CS:GO",
    "3/22, at 10:30",
    "30-60 seconds",
    "Next year (2023)",
    "Oslo",
)
