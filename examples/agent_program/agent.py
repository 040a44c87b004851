#!/usr/bin/env python3
"""An agent as a program of its own: it knows the openai client and the protocol of docs/agents.md, and no memfrontier.

Its memory is a plain list of all that happened. Put your own agent in the place of ``Agent``.
"""

import json
import os
import sys

from openai import OpenAI


class Agent:
    """Keeps everything, and asks the model once for each action or answer."""

    def __init__(self, hello):
        self.system = "\n\n".join(filter(None, (hello[part] for part in ("instructions", "answer_format", "examples"))))
        self.client = OpenAI()  # OPENAI_BASE_URL and OPENAI_API_KEY lead to the model of the run
        self.goal, self.history = "", []

    def act(self, line):
        if "goal" in line:  # the first line of an episode
            self.goal = f"# Task\n{line['goal']}"
            self.history += [f"Feedback: {text}" for text in line["feedback"]]
        seen = f"# Now\nObservation: {line['observation']}" if line["observation"] else ""
        action = self.ask(self.goal, "\n".join(["# Memory", *self.history]) if self.history else "", seen, "Action:")
        self.history += [f"Observation: {line['observation']}"] if seen else []
        self.history.append(f"Action: {action}")
        return {"type": "action", "action": action}

    def note(self, line):
        if line["kind"] == "turn":
            self.history.append(f"[{line['time']}] {line['speaker']}: {line['text']}")
        return {"type": "ok"}

    def answer(self, line):
        memory = "\n".join(["# Memory", *self.history])
        return {"type": "answer", "answer": self.ask(memory, f"# Question\n{line['question']}", "Answer:")}

    def ask(self, *parts):
        """Return what the model says after the label, which is the last part."""
        messages = [
            {"role": "system", "content": self.system},
            {"role": "user", "content": "\n\n".join(filter(None, parts))},
        ]
        limit = int(os.environ["MEMFRONTIER_REPLY_TOKENS"])
        reply = self.client.chat.completions.create(
            model=os.environ["MEMFRONTIER_MODEL"], messages=messages, max_tokens=limit
        )
        return reply.choices[0].message.content.rpartition(parts[-1])[2].strip()


def main():
    agent = None
    for text in sys.stdin:
        line = json.loads(text)
        if line["type"] == "hello":
            if line["protocol"] != 1:
                sys.exit(f"expected protocol 1, got {line['protocol']}")
            agent = Agent(line)
            continue
        if line["type"] == "end":
            return
        reply = {"observation": agent.act, "event": agent.note, "question": agent.answer}[line["type"]](line)
        print(json.dumps({**reply, "id": line["id"]}), flush=True)


if __name__ == "__main__":
    main()
