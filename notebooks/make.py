"""Make the notebooks: each ``.py`` is run and becomes the ``.ipynb`` beside it, with its outputs and figures.

``python notebooks/make.py [NAME...]``; ``--to FOLDER`` writes them there instead. Needs ``pip install -e
'.[notebooks]'``. The same ``.py`` gives the same text.
"""

from __future__ import annotations

import argparse
import os
import re
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient

__all__ = ["HERE", "NAMES", "run_notebook", "write_notebook"]

HERE = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in HERE.glob("*.py") if path.name != Path(__file__).name))
_TIMEOUT_S = 600
_CODES = re.compile(r"\x1b\[[0-9;]*m")
"""Colours, which the kernel asks every program for."""


def run_notebook(name: str) -> Any:
    """Return the notebook of a ``.py`` after a run in an empty folder, without what differs from run to run."""
    book = jupytext.read(HERE / f"{name}.py")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "work"
        work.mkdir()
        before = dict(os.environ)
        os.environ.update(
            PATH=os.pathsep.join([str(_write_commands(Path(folder) / "bin")), before.get("PATH", "")]),
            PYTHONPATH=os.pathsep.join(filter(None, [str(HERE.parent), before.get("PYTHONPATH", "")])),
            COLUMNS="120", TERM="dumb", PYTHONWARNINGS="ignore", IPYTHONDIR=str(Path(folder) / "ipython"),
        )  # fmt: skip
        try:
            NotebookClient(
                book, timeout=_TIMEOUT_S, kernel_name="python3", resources={"metadata": {"path": work}}
            ).execute()
        finally:
            os.environ.clear()
            os.environ.update(before)
    return _clean(book)


def _write_commands(folder: Path) -> Path:
    """Return a folder with the commands that an activated environment has."""
    folder.mkdir()
    for name, module in (("python", ""), ("bench", "-m memfrontier ")):
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module}"$@"\n', encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def _clean(book: Any) -> Any:
    """Drop numbers of execution, times and versions; give cells the ids 1, 2, 3."""
    book.metadata = {
        "jupytext": {"formats": "ipynb,py:percent"},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    book.nbformat, book.nbformat_minor = 4, 5
    for number, cell in enumerate(book.cells, start=1):
        cell.id, cell.metadata = str(number), {}
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = _clean_outputs(cell.outputs)
    return nbformat.from_dict(book)


def _clean_outputs(outputs: list[Any]) -> list[Any]:
    """Return the outputs of a cell; what was printed in pieces is one piece."""
    found: list[Any] = []
    for output in outputs:
        if output.output_type != "stream":
            if "execution_count" in output:
                output.execution_count = None
            found.append(output)
        elif found and found[-1].output_type == "stream" and found[-1].name == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    for output in found:
        if output.output_type == "stream":
            output.text = _CODES.sub("", output.text)
    return found


def write_notebook(name: str, folder: Path = HERE) -> Path:
    """Run a notebook and write it."""
    path = folder / f"{name}.ipynb"
    nbformat.write(run_notebook(name), path)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--to", type=Path, default=HERE)
    given = parser.parse_args()
    for one in given.names:
        print(write_notebook(one, given.to))
