"""The pages: links that lead to files, commands that parse, and every strategy and suite named with its parameters."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bench.cli.app import app
from bench.registry import load_strategy, resolve_strategy, resolve_suite, split_names, strategy_names, suite_names

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for pattern in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "results/boards/*/README.md")
    for path in ROOT.glob(pattern)
)
EXAMPLES = {"last-mention", "rolling-notes", "solved-plans", "combination-lock"}
"""The plug-ins of the guides, which are not installed here."""

COMMANDS: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@every_page
def test_relative_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = {target for target in targets if not (page.parent / target).exists()}
    assert missing == set()


def _console_commands(page: Path) -> Iterator[list[str]]:
    """Return the words of each ``bench`` command in a page's console blocks."""
    for block in re.findall(r"^```console\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.M | re.S):
        for line in block.splitlines():
            for command in re.split(r"&&|;|\|", re.sub(r"\s#.*", "", line.removeprefix("$ "))):
                words = shlex.split(command)
                if words[:1] == ["bench"]:
                    yield words[1:]


@every_page
def test_console_commands_parse_and_name_what_exists(page: Path) -> None:
    for name, *words in _console_commands(page):
        assert name in COMMANDS, f"bench {name}"
        given = COMMANDS[name].make_context(name, words).params  # raises for an unknown option or a missing argument
        for text in given.get("strategies") or ():
            for strategy in set(split_names(text)) - EXAMPLES:
                resolve_strategy(strategy)
        for target in set(given.get("targets") or ()) - EXAMPLES:
            if "/" not in target:  # else a run folder
                resolve_suite(target)


@every_page
def test_commands_named_in_the_text_exist(page: Path) -> None:
    named = set(re.findall(r"`bench ([a-z]+)", page.read_text(encoding="utf-8")))
    assert named - set(COMMANDS) == set()


@pytest.mark.parametrize("name", strategy_names())
def test_strategies_page_names_each_strategy_with_its_defaults(name: str) -> None:
    sections = re.split(r"^## ", (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8"), flags=re.M)
    section = next(section for section in sections if f"\n| `{name}` |" in section)
    for param in load_strategy(name).params:
        assert f"`{param.name}={param.default_text}`" in section


@pytest.mark.parametrize("name", suite_names())
def test_suites_page_names_each_suite(name: str) -> None:
    assert f"\n| `{name}` |" in (ROOT / "docs" / "suites.md").read_text(encoding="utf-8")


def test_commands_page_names_each_command_and_no_other() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `bench (\w+)` \|", page, flags=re.M)) == set(COMMANDS)
