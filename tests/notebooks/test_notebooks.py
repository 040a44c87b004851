"""The notebooks: a run gives the outputs that are committed, and their own assertions hold what their prose says."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))

pytestmark = pytest.mark.needs("jupytext", "nbclient", "ipykernel")
every_notebook = pytest.mark.parametrize("name", NAMES)
NEEDS = {
    "what_learning_costs": pytest.mark.needs("alfworld"),
    "reproduce_a_table": [pytest.mark.needs("jericho"), pytest.mark.data],
}
"""What a run of a notebook needs besides."""


def make_module() -> Any:
    spec = spec_from_file_location("make_notebooks", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(name: str | Path, suffix: str) -> Any:
    import jupytext  # noqa: PLC0415 - where it is installed

    return jupytext.read(FOLDER / f"{name}{suffix}")


def list_texts(book: Any) -> list[str]:
    """Return what the cells printed and showed as text, in order."""
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output.text if output.output_type == "stream" else output.data["text/plain"] for output in outputs]


def list_images(book: Any) -> list[bytes]:
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    return [base64.b64decode(one.data["image/png"]) for one in outputs if "image/png" in one.get("data", {})]


def test_every_script_has_its_notebook() -> None:
    assert list(make_module().NAMES) == NAMES


@every_notebook
def test_script_and_notebook_have_the_same_cells(name: str) -> None:
    script, notebook = ([(cell.cell_type, cell.source) for cell in read(name, one).cells] for one in (".py", ".ipynb"))
    assert script == notebook


@pytest.mark.parametrize("name", [pytest.param(name, marks=NEEDS.get(name, ())) for name in NAMES])
def test_run_gives_the_committed_outputs(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("data"):
        request.getfixturevalue("data_root")
    # In a process of its own: the client of kernels leaves an event loop open.
    command = [sys.executable, FOLDER / "make.py", name, "--to", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    committed, made = read(name, ".ipynb"), read(tmp_path / name, ".ipynb")
    assert list_texts(made) == list_texts(committed)
    assert all(image.startswith(b"\x89PNG") for image in list_images(made))
    assert len(list_images(made)) == len(list_images(committed))


@every_notebook
def test_last_cell_asserts_the_numbers_of_the_conclusion(name: str) -> None:
    *_, prose, check = read(name, ".py").cells
    assert prose.source.startswith("## What came out\n")
    assert check.source.startswith("# What is said above holds, or this notebook fails.\n")
    assert len(re.findall(r"^assert ", check.source, flags=re.M)) >= 4


@every_notebook
def test_committed_notebook_says_nothing_of_the_machine(name: str) -> None:
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert re.findall(r"/(?:home|tmp|root|work)/|\\u001b|object at 0x|\"execution_count\": \d", text) == []
