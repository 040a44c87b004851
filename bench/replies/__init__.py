"""The one reader of model replies: what a reply means, however a chat model dresses it up.

==================== ================================================= =====================
you expect           call                                              you get
==================== ================================================= =====================
an action            ``read_action(text, "Action:")``                  ``ReadReply``
an answer            ``read_answer(text, "Answer:")``                  ``ReadReply``
a thought            ``read_thought(text, "Action:", rule)``           ``ReadReply`` or none
a summary            ``read_text(text)``                               ``ReadReply``
a field of JSON      ``strip_label(text, "Step")``                     the text alone
``Subgoal: ...``     ``read_lines(text, {"subgoal": ("sub-goal",)})``  ``Lines`` and the rest
``branch(...)``      ``read_calls(text, ("branch", "return"))``        ``Calls`` and the rest
``<summary>...``     ``read_tag(text, "summary")``                     ``Tag`` and the rest
``grep words``       ``read_commands(text, ("grep", "done"))``         ``Command``, one a line
``write file``       ``read_blocks(text, ("write",), begins)``         ``Block``: with the lines below
JSON                 ``read_json(text)``                               ``JsonNode``
==================== ================================================= =====================

All are pure functions, take any text, and need time linear in its length. A thought is never read as anything else.
``ThoughtCounter`` alone keeps a state: the driver's, of one episode.
Readers of a dialect return the ``rest`` of the reply, which the next reader takes:
``read_action(read_calls(text, names).rest)``.
"""

from bench.replies.calls import Calls, ToolCall, read_calls
from bench.replies.commands import Block, Command, read_blocks, read_commands
from bench.replies.free_text import read_text, strip_label, trim_to_sentence
from bench.replies.json_node import JsonNode, ReplyError, read_json
from bench.replies.marked import Lines, Tag, read_lines, read_tag
from bench.replies.thoughts import ThoughtCounter, read_thought
from bench.replies.value import ReadReply, read_action, read_answer

__all__ = [
    "Block",
    "Calls",
    "Command",
    "JsonNode",
    "Lines",
    "ReadReply",
    "ReplyError",
    "Tag",
    "ThoughtCounter",
    "ToolCall",
    "read_action",
    "read_answer",
    "read_blocks",
    "read_calls",
    "read_commands",
    "read_json",
    "read_lines",
    "read_tag",
    "read_text",
    "read_thought",
    "strip_label",
    "trim_to_sentence",
]
