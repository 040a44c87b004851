"""The README is what a newcomer types: two set-up commands, and names that exist."""

from __future__ import annotations

import re
from pathlib import Path

from bench.registry import strategy_names, suite_names

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_readme_has_two_set_up_commands() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, flags=re.M | re.S)
    assert len(blocks) == 2
    demo, tests = (block.strip() for block in blocks)
    assert demo.endswith("bench demo")
    assert "pytest" in tests
    assert all("\n" not in block for block in (demo, tests))


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "README.md" in script
    assert "n == 2" in script


def test_readme_names_every_suite_and_strategy() -> None:
    for name in [*suite_names(), *strategy_names()]:
        assert f"`{name}" in README, name


def test_readme_links_point_to_existing_files() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
