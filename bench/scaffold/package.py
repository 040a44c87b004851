"""A plug-in package from templates: files of text in which ``$name`` and the like are filled in, and nothing else.

A template is a ``string.Template``. Its fields: ``$name`` (last-mention), ``$module`` (last_mention), ``$class_name``
(LastMention), ``$title`` (Last mention), and ``$number``, four digits made of the name, for a text that must differ
from that of other packages and may not say the name.
"""

from __future__ import annotations

import hashlib
import keyword
import re
import shutil
import sys
import tempfile
from collections.abc import Collection, Mapping
from importlib.util import find_spec
from pathlib import Path
from string import Template

from bench.errors import UsageError, writing

__all__ = ["LAYOUTS", "check_name", "fill", "write_package"]

_TEMPLATES = Path(__file__).parent
_LONGEST = 50
_PACKAGE = {"$module/__init__.py": "init.py.txt", "$module/offline.py": "offline.py.txt"}
_EVERY = {"README.md": "README.md.txt", "tests/test_$module.py": "test.py.txt"}
_TOML = {"pyproject.toml": "pyproject.toml.txt"}
LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "strategy": {"$module.py": "strategy.py.txt", **_TOML, **_EVERY},
    "learner": {"$module.py": "strategy.py.txt", "pyproject.toml": "../strategy/pyproject.toml.txt", **_EVERY},
    "model_strategy": {
        "$module/strategy.py": "strategy.py.txt", "$module/notes.txt": "notes.txt", **_PACKAGE, **_TOML, **_EVERY
    },
    "suite": {"$module/suite.py": "suite.py.txt", "$module/frame.txt": "frame.txt", **_PACKAGE, **_TOML, **_EVERY},
}  # fmt: skip
"""The files of each kind of package, and the template of each: a file in the folder of that name."""


def check_name(name: str, known: Collection[str]) -> None:
    """Raises: UsageError for a name that no package, module or entry point can have, or that is among those known."""
    module = name.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or len(name) > _LONGEST:
        close = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST].strip("-")
        example = close if close[:1].isalpha() and close.isascii() else "last-mention"
        raise UsageError(
            f"new: expected a name of small letters, digits and single hyphens that begins with a letter and has at "
            f"most {_LONGEST} characters, got {name[: 2 * _LONGEST]!r}; write e.g. {example}"
        )
    if name in known:
        raise UsageError(
            f"new: expected a name that no strategy or suite has, got {name!r}; choose another, e.g. my-{name}"
        )
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or module in ("tests", "__main__"):
        raise UsageError(
            f"new: expected a name that a module can have, got {name!r}, a word of Python; choose e.g. my-{name}"
        )
    if find_spec(module) is not None:
        raise UsageError(
            f"new: expected a name that no installed package has, got {name!r} (module {module}); choose e.g. my-{name}"
        )


def fill(kind: str, name: str) -> dict[str, str]:
    """Return the files of a package by their paths. ``kind``: one of ``LAYOUTS``."""
    module, words = name.replace("-", "_"), name.split("-")
    fields = {
        "name": name,
        "module": module,
        "class_name": "".join(word.capitalize() for word in words),
        "title": " ".join(words).capitalize(),
        "number": str(1000 + int(hashlib.sha256(name.encode()).hexdigest(), 16) % 9000),
    }
    return {
        Template(path).substitute(fields): Template((_TEMPLATES / kind / file).read_text(encoding="utf-8")).substitute(
            fields
        )
        for path, file in LAYOUTS[kind].items()
    }


def write_package(kind: str, name: str, folder: Path) -> list[str]:
    """Write a package into a new folder, all of it or nothing, and return the paths of its files.

    Raises: UsageError if the folder is there; StoreError if it cannot be written.
    """
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"new: expected a folder that is not there yet, got {folder}; name another with -o")
    files = fill(kind, name)
    with writing("new", folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            for path, text in files.items():
                (draft / path).parent.mkdir(parents=True, exist_ok=True)
                (draft / path).write_text(text, encoding="utf-8")
            draft.chmod(0o755)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return list(files)
