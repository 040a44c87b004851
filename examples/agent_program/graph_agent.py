#!/usr/bin/env python3
"""An agent made of a framework: a graph of LangGraph with a node that notes what is new and one that acts.

The same protocol as in agent.py; LangGraph keeps the messages of a trial in its own checkpoints.
"""

import json
import os
import sys
from typing import TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from openai import OpenAI

ONE_TRIAL = {"configurable": {"thread_id": "trial"}}


class State(TypedDict, total=False):
    """What the graph keeps between two lines."""

    system: str
    goal: str
    observation: str
    notes: list[str]
    action: str


def note(state):
    """Note what was done and seen."""
    done = [f"Action: {state['action']}"] if state.get("action") else []
    seen = [f"Observation: {state['observation']}"] if state["observation"] else []
    return {"notes": [*state.get("notes", []), *done, *seen]}


def act(state):
    """Ask the model for the next action."""
    memory = "\n".join(["# Memory", *state["notes"]]) if state["notes"] else ""
    user = "\n\n".join(filter(None, (f"# Task\n{state['goal']}", memory, "Action:")))
    messages = [{"role": "system", "content": state["system"]}, {"role": "user", "content": user}]
    reply = OpenAI().chat.completions.create(model=os.environ["MEMFRONTIER_MODEL"], messages=messages)
    return {"action": reply.choices[0].message.content.rpartition("Action:")[2].strip()}


def build_graph():
    """Return the graph: note, then act."""
    graph = StateGraph(State)
    graph.add_node("note", note)
    graph.add_node("act", act)
    graph.add_edge(START, "note")
    graph.add_edge("note", "act")
    graph.add_edge("act", END)
    return graph.compile(checkpointer=InMemorySaver())


def main():
    graph, system = build_graph(), ""
    for text in sys.stdin:
        line = json.loads(text)
        if line["type"] == "hello":
            if line["task"] != "episode":
                sys.exit(f"expected an episode, got a {line['task']}")
            parts = ("instructions", "answer_format", "examples")
            system = "\n\n".join(line[part] for part in parts if line[part])
        elif line["type"] == "end":
            return
        else:
            new = {"system": system, **{name: line[name] for name in ("goal", "observation") if name in line}}
            action = graph.invoke(new, ONE_TRIAL)["action"]
            print(json.dumps({"type": "action", "action": action, "id": line["id"]}), flush=True)


if __name__ == "__main__":
    main()
