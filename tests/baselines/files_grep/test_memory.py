"""The search through the files: what the model is shown, and what becomes the context."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.protocols import count_words
from bench.types import Context, Event, EventKind
from tests.baselines.files_grep.searcher import Searcher, agent, ask, build_filled


def test_search_prompt_holds_question_files_and_limits() -> None:
    searcher = Searcher()
    ask(build_filled(searcher, rounds="7", lines="5"))
    system, user = searcher.prompts[0]
    assert "at most 5 lines, and you have at most 7 commands" in system.content
    assert user.content == (
        "# Question\nWhere? (asked on 9 June)\n\n"
        "# Files\n2, from session-01.txt (1 May, 3 lines) to session-02.txt (2 May, 2 lines)\nSpeakers: Ann, Bob"
    )


def test_search_answers_each_command_with_its_lines() -> None:
    searcher = Searcher(("grep paint", "read session-02.txt 1 9", "list session-02.txt", "grep Bergen"))
    ask(build_filled(searcher, rounds="5"))
    assert searcher.results == [
        "grep paint: 2 lines found, 2 shown\n"
        "session-01.txt:1: [1 May] Ann: I painted a bowl.\n"
        "session-01.txt:3: [1 May] Ann: Blue; painting calms me.\n\nCommands left: 4",
        "read session-02.txt 1 9: the file has 2 lines, 2 shown\n"
        "session-02.txt:1: [2 May] Bob: I moved to Oslo.\n"
        "session-02.txt:2: [2 May] Ann: Oslo is blue too.\n\nCommands left: 3",
        "session-02.txt (2 May, 2 lines)\n\nCommands left: 2",
        "grep Bergen: 0 lines found, 0 shown\n\nCommands left: 1",
    ]


def test_recall_shows_the_lines_seen_in_time_order_and_ranks_them_as_found() -> None:
    found = ask(build_filled(Searcher(("grep Oslo", "grep paint", "read session-01.txt 3 3"))))
    assert found == Context(
        "[1 May] Ann: I painted a bowl.\n[1 May] Ann: Blue; painting calms me.\n"
        "[2 May] Bob: I moved to Oslo.\n[2 May] Ann: Oslo is blue too.",
        ("t0", "t2", "t3", "t4"),
        ranking=("t3", "t4", "t0", "t2"),
    )


def test_recall_under_a_budget_shows_what_was_found_first() -> None:
    built = build_filled(Searcher(("grep Oslo", "grep paint")))
    found = ask(built, 13)
    assert (found.refs, found.truncated, found.ranking) == (("t3",), True, ("t3", "t4", "t0", "t2"))
    assert count_words(found.text) <= 13
    assert ask(built, 0) == Context("", (), True, ("t3", "t4", "t0", "t2"))


def test_search_runs_once_for_a_query() -> None:
    searcher = Searcher(("grep Oslo",))
    built = build_filled(searcher)
    assert ask(built) == ask(built)
    ask(built, 5)
    assert len(searcher.prompts) == 2
    built.memory.observe(Event("t9", EventKind.TURN, "Oslo again.", 3, "Bob", "3 May"))
    assert ask(built).refs == ("t3", "t4", "t9")


def test_search_ends_after_the_last_round() -> None:
    searcher = Searcher(("grep Oslo",) * 9)
    ask(build_filled(searcher, rounds="3"))
    assert len(searcher.prompts) == 3
    none = Searcher()
    assert ask(build_filled(none, rounds="0")) == Context()
    assert none.prompts == []


def test_recall_without_files_calls_no_model() -> None:
    searcher = Searcher()
    assert ask(agent(searcher)) == Context()
    assert searcher.prompts == []


def test_search_shows_at_most_so_many_lines_of_a_command() -> None:
    searcher = Searcher(("grep bowl", "read session-01.txt 1 99", "list", "list session-02.txt"))
    built = build_filled(
        searcher, *["A bowl " + "of good soup " * 30 + "and an oslo spoon."] * 12, lines="2", chars="40", rounds="9"
    )
    found = ask(built)
    grep, read, listed, rest = (text.partition("\n\nCommands")[0].splitlines() for text in searcher.results)
    assert (grep[0], len(grep)) == ("grep bowl: 12 lines found, 2 shown", 3)
    assert (read[0], len(read)) == ("read session-01.txt 1 2: the file has 3 lines, 2 shown", 3)
    assert listed[-1] == "and 2 more, from session-03.txt"
    assert rest[-1] == "and 1 more, from session-04.txt"
    assert all(len(line.partition(".txt:")[2]) <= 46 for line in grep[1:] + read[1:])
    assert found.refs == ("t0", "t1")
    assert found.text.count("and an oslo spoon.") == 2


def test_search_cuts_a_long_line_around_the_words_found() -> None:
    searcher = Searcher(("grep spoon",))
    ask(build_filled(searcher, "A bowl " + "of good soup " * 30 + "and an oslo spoon " + "as well " * 30, chars="60"))
    line = searcher.results[0].splitlines()[1]
    assert "oslo spoon" in line
    assert line.count("…") == 2


def test_search_names_files_that_do_not_exist() -> None:
    searcher = Searcher(("read session-09.txt 1 2", "list x.txt"))
    assert ask(build_filled(searcher)) == Context()
    assert [text.splitlines()[0] for text in searcher.results] == [
        "There is no file session-09.txt.",
        "There is no file x.txt.",
    ]


def test_recall_in_an_episode_searches_one_log_without_the_current_observation(history: Any) -> None:
    searcher = Searcher(("grep box",))
    built = agent(searcher)
    events = history.episode(("open box", "The box holds a fox."), ("go east", "A river."), ("open box", "No box."))
    history.feed(built.memory, events)
    found = built.memory.recall(history.now(events))
    assert found.refs == ("a1", "o1", "a3")
    assert found.text.splitlines()[0] == "[1] Action: open box"
    assert searcher.prompts[0][1].content == (
        "# Question\nYour task is to: put a mug in the desk.\nNo box.\n\n# Files\nlog.txt (6 lines)"
    )


COMMANDS = st.sampled_from(["grep Oslo", "grep bowl", "list", "read session-01.txt 1 2", "done", "what?", ""])


@settings(max_examples=40)
@given(st.lists(COMMANDS, max_size=7), st.integers(0, 30))
def test_recall_is_repeatable_and_within_the_budget(commands: list[str], budget: int) -> None:
    searcher = Searcher(commands)
    built = build_filled(searcher)
    found = ask(built, budget)
    asked = len(searcher.prompts)
    assert ask(built, budget) == found
    assert len(searcher.prompts) == asked <= 5
    assert count_words(found.text) <= budget
    assert set(found.refs) <= set(found.ranking)
    assert list(found.refs) == sorted(found.refs)
