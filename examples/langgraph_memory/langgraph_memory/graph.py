"""The graph: a window of messages, and a node that folds what is older into a summary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, RemoveMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph

__all__ = ["PROMPT", "State", "build_graph"]

PROMPT = Path(__file__).with_name("summarize.txt").read_text(encoding="utf-8").strip()


class State(MessagesState):
    """What the memory holds: the messages of the window, the summary of those before, and where it comes from."""

    summary: str
    cited: list[str]
    """The ids of the messages that went into the summary, in order."""


def build_graph(model: BaseChatModel, *, window: int, words: int) -> Any:
    """Return the compiled graph. One ``invoke`` takes the state with the new messages, and returns the next state.

    Once there are more than twice ``window`` messages, all but the newest ``window`` are folded, with one model call.
    """
    prompt = SystemMessage(PROMPT.replace("{limit}", str(words)))

    def is_full(state: State) -> str:
        return "summarize" if len(state["messages"]) > 2 * window else END

    def summarize(state: State) -> dict[str, Any]:
        old = state["messages"][:-window]
        lines = "\n".join(str(message.content) for message in old)
        request = f"# Summary so far\n{state['summary'] or 'None.'}\n\n# Messages that leave\n{lines}"
        reply = model.invoke([prompt, HumanMessage(request)])
        return {
            "summary": str(reply.content).strip() or state["summary"],
            "cited": [*state["cited"], *(message.id for message in old)],
            "messages": [RemoveMessage(id=message.id) for message in old],
        }

    graph = StateGraph(State)
    graph.add_node("summarize", summarize)
    graph.add_conditional_edges(START, is_full, ["summarize", END])
    graph.add_edge("summarize", END)
    return graph.compile()
