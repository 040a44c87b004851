"""The shape of the code, held by one walk over its syntax trees: who imports whom, how long things are, and where."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("bench", "adapters", "baselines")
FLOORS = (
    ("types", "secrets", "stats"),
    ("errors",),
    ("plugins",),
    ("protocols", "config", "replies", "store", "models/cache", "scaffold"),
    ("agents", "drivers", "data", "embedders", "models", "scoring"),
    ("models/ledger", "models/local", "models/offline", "models/remote", "registry", "conformance", "report"),
    (
        "models/openai_api",
        "runner",
        "board",
        "export",
        "papers",
    ),
    ("api", "writers"),
    ("cli",),
)
"""The rooms of ``bench/`` from the bottom up: a room imports from lower floors only. ``models`` is what lies loose
in that folder. The package's own ``__init__`` holds the version and hands on ``bench.api`` when that is first used;
nothing in the harness may import it for more than the version."""
LOOSE_MODULES, FLAT_MODELS = 6, 8
"""The most modules that may lie loose in ``bench/`` and in ``bench/models/``."""
LAZY = {
    "bench/cli/app.py",  # imports the one command that is called
    "bench/cli/complete.py",
    "bench/cli/demo.py",
    "bench/cli/grade.py",
    "bench/cli/looking.py",
    "bench/cli/new.py",
    "bench/cli/board.py",
    "bench/cli/reproduce.py",
    "bench/cli/table_flags.py",
    "bench/cli/report.py",  # the options of `report` and `view` alone
    "bench/cli/figure.py",
    "bench/cli/train.py",
    "bench/data/transfer.py",
    "bench/embedders/litellm.py",
    "bench/embedders/minilm.py",
    "bench/models/tokenizers.py",
    "bench/models/ledger/spans.py",
    "bench/models/remote/litellm.py",
    "bench/models/local/source.py",
    "bench/writers/to_mlflow.py",
    "bench/writers/to_wandb.py",
    "adapters/alfworld/worker.py",
    "adapters/alfworld/official.py",
    "adapters/alfworld/procedural.py",
    "adapters/jericho/worker.py",
    "adapters/shared/rows.py",
    "baselines/mem0_package/package.py",
}
"""Files that wrap a heavy library, or the command line, and so may import inside a function."""
SHARED = "shared"
"""The folder of what adapters, or baselines, have in common; it knows none of them."""
COMPOSED = {"hiagent_five"}
"""Adapters that are nothing but other adapters played as one suite, as a paper did."""
METERED_CLIENT = "bench.models.openai_api.client"
WRAPPERS = {
    "baselines/mem0_package/package.py": (METERED_CLIENT,),
    "baselines/mem0_package/memory.py": (METERED_CLIENT,),
    "baselines/agent_program/agent.py": ("bench.models.openai_api.proxy", "bench.secrets"),
}
"""Baselines that are somebody else's package or program, whose calls have to pass the meter: they may see its client or
proxy. A program must not get the user's keys."""
TORCH = "baselines/horma/train/"
"""The only folder whose files may import torch at the top, and so need the extra ``train`` to be imported at all."""
FLAGS = {
    "bench/cli/app.py",
    "bench/cli/figure.py",
    "bench/cli/board.py",
    "bench/cli/grade.py",
    "bench/cli/looking.py",
    "bench/cli/reproduce.py",
    "bench/cli/table_flags.py",
}
"""Files whose functions' parameters are a command's flags."""
MANY_KEYWORDS = {("bench/stats/pareto.py", "resample")}
"""Functions with more parameters, most of them keywords with a default that the test of a method turns."""
MAX_LINES, MAX_FUNCTION, MAX_PARAMETERS = 250, 40, 6
TOO_LONG = {
    "adapters/alfworld/engine/applicable.py",
    "adapters/alfworld/engine/session.py",
    "adapters/locomo/generate.py",
    "adapters/shared/answering/spans.py",
    "bench/models/cache/store.py",
    "bench/models/remote/litellm.py",
    "bench/report/frontier.py",
}
"""Files over a limit that are still to be cut; no file may be added."""


@dataclass(frozen=True)
class Source:
    """One file and its tree."""

    path: str
    tree: ast.Module
    lines: int

    @property
    def part(self) -> str:
        """``adapters/toy/world.py`` is of part toy, ``baselines/window.py`` of part window."""
        return self.path.removesuffix(".py").split("/")[1]

    @property
    def room(self) -> str:
        """``bench/store/rows.py`` is of room store, ``bench/models/cache/key.py`` of room models/cache."""
        return room(self.path.removesuffix(".py").split("/")[1:])

    def imported(self) -> Iterator[str]:
        """Every module this file names, as far as a file of this project could be meant."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.path}:{node.lineno}: write imports from the root"
                module = node.module or ""
                # ``from bench import drive`` names a module too.
                packages = (*PACKAGES, "bench.models")
                yield from ([f"{module}.{alias.name}" for alias in node.names] if module in packages else [module])

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        yield from (node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def sources() -> tuple[Source, ...]:
    return tuple(
        Source(path.relative_to(ROOT).as_posix(), ast.parse(text := path.read_text()), len(text.splitlines()))
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    )


def named(files: Iterator[str]) -> str:
    return "\n".join(sorted(set(files)))


def room(parts: Sequence[str]) -> str:
    if parts[0] == "models" and len(parts) > 1 and (ROOT / "bench" / "models" / parts[1]).is_dir():
        return f"models/{parts[1]}"
    return parts[0]


def floor(name: str) -> int:
    found = [level for level, names in enumerate(FLOORS) if name in names]
    assert found, f"bench/{name}: a room that no floor names; put it where it belongs"
    return found[0]


def allowed(importer: str, imported: str) -> bool:
    return importer == imported or imported == "__version__" or floor(imported) < floor(importer)


def test_sources_include_all_packages_and_floors_are_ordered() -> None:
    seen = {source.path for source in sources()}
    assert {"bench/drivers/episode.py", "adapters/toy/world.py", "baselines/window.py"} <= seen
    assert allowed("runner", "store")
    assert not allowed("store", "runner")
    assert not allowed("store", "drivers")
    assert not allowed("types", "errors")
    assert not allowed("models/local", "models/remote")


def test_floors_name_exactly_the_existing_rooms() -> None:
    rooms = {source.room for source in sources() if source.path.startswith("bench/")} - {"__init__"}
    assert rooms == {name for names in FLOORS for name in names}


def test_few_modules_are_outside_rooms() -> None:
    assert len(list((ROOT / "bench").glob("*.py"))) <= LOOSE_MODULES
    assert len(list((ROOT / "bench" / "models").glob("*.py"))) <= FLAT_MODELS


def test_harness_imports_go_downward() -> None:
    def wrong() -> Iterator[str]:
        for source in sources():
            if source.path.startswith("bench/") and source.room != "__init__":
                for name in source.imported():
                    if name.startswith("bench.") and not allowed(source.room, room(name.split(".")[1:])):
                        yield f"{source.path} imports {name}"

    assert named(wrong()) == ""


def test_harness_names_no_suite_and_no_strategy() -> None:
    def wrong() -> Iterator[str]:
        for source in sources():
            for name in source.imported() if source.path.startswith("bench/") else ():
                if name.split(".")[0] in ("adapters", "baselines"):
                    yield f"{source.path} imports {name}"
            if source.path.startswith("bench/") and source.path != "bench/registry/builtin.py":
                for node in ast.walk(source.tree):
                    text = node.value if isinstance(node, ast.Constant) else None
                    if isinstance(text, str) and text.startswith(("adapters.", "baselines.")):
                        yield f"{source.path}:{node.lineno} names {text}"  # type: ignore[attr-defined]

    assert named(wrong()) == ""


@pytest.mark.parametrize(
    ("package", "may"),
    [
        ("adapters", ("bench.types", "bench.protocols", "bench.errors", "bench.replies")),
        ("baselines", ("bench.types", "bench.protocols", "bench.errors", "bench.replies", "bench.agents")),
    ],
)
def test_plug_ins_import_public_interfaces_only(package: str, may: tuple[str, ...]) -> None:
    def wrong() -> Iterator[str]:
        for source in sources():
            if source.path.startswith(f"{package}/"):
                for name in source.imported():
                    top = name.split(".")[0]
                    if name in WRAPPERS.get(source.path, ()):
                        continue
                    if (top == "bench" and name not in may) or (top in PACKAGES and top not in (package, "bench")):
                        yield f"{source.path} imports {name}"

    assert named(wrong()) == ""


def test_adapter_imports_no_other_adapter() -> None:
    def wrong() -> Iterator[str]:
        for source in sources():
            plain = source.path.startswith("adapters/") and source.part not in COMPOSED
            for name in source.imported() if plain else ():
                if name.startswith("adapters.") and name.split(".")[1] not in {source.part, SHARED}:
                    yield f"{source.path} imports {name}"

    assert named(wrong()) == ""


def test_baseline_imports_no_other_baseline() -> None:
    def wrong() -> Iterator[str]:
        for source in sources():
            for name in source.imported() if source.path.startswith("baselines/") else ():
                if name.startswith("baselines.") and name.split(".")[1] not in {source.part, SHARED}:
                    yield f"{source.path} imports {name}"

    assert named(wrong()) == ""


def test_imports_are_at_the_top_of_a_file() -> None:
    def wrong() -> Iterator[str]:
        for source in sources():
            for function in source.functions() if source.path not in LAZY else ():
                if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(function)):
                    yield f"{source.path}:{function.lineno} {function.name}"

    assert named(wrong()) == ""


def test_files_and_functions_are_short() -> None:
    def wrong() -> Iterator[str]:
        for source in (source for source in sources() if source.path not in TOO_LONG):
            if source.lines > MAX_LINES:
                yield f"{source.path}: {source.lines} lines"
            for function in source.functions():
                length = (function.end_lineno or function.lineno) - function.lineno + 1
                if length > MAX_FUNCTION:
                    yield f"{source.path}:{function.lineno} {function.name}: {length} lines"

    assert named(wrong()) == ""


def test_functions_take_few_parameters() -> None:
    def wrong() -> Iterator[str]:
        for source in sources():
            for function in source.functions() if source.path not in FLAGS else ():
                given = function.args
                names = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
                count = len([name for name in names if name not in ("self", "cls")])
                if count > MAX_PARAMETERS and (source.path, function.name) not in MANY_KEYWORDS:
                    yield f"{source.path}:{function.lineno} {function.name}: {count} parameters"

    assert named(wrong()) == ""


def test_every_file_has_a_docstring() -> None:
    silent = (source.path for source in sources() if source.tree.body and not ast.get_docstring(source.tree))
    assert named(silent) == ""


def test_imported_packages_are_those_of_this_checkout() -> None:
    # ``adapters`` is a common name: another distribution's package of that name must not be what is tested.
    for package in PACKAGES:
        assert Path(str(import_module(package).__file__)).is_relative_to(ROOT)


def name_module(source: Source) -> str:
    return source.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def find_torch_modules() -> set[str]:
    """Return the modules that cannot be imported without torch: those that import it, and those that import these."""
    found: set[str] = set()
    while True:
        more = {
            name_module(one) for one in sources() if any(name == "torch" or name in found for name in one.imported())
        }
        if more <= found:
            return found
        found |= more


def modules() -> list[str]:
    left_out = set() if find_spec("torch") else find_torch_modules()
    names = [name for name in map(name_module, sources()) if name not in left_out]
    return [name for name in names if not name.endswith("__main__")]


def test_torch_is_imported_in_one_folder_alone() -> None:
    found = find_torch_modules()
    assert {f"{TORCH}loss.py", f"{TORCH}trainer.py"} <= {f"{name.replace('.', '/')}.py" for name in found}
    assert {name for name in found if not name.startswith(TORCH.replace("/", "."))} == set()


def python(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-B", "-c", code], cwd=cwd, capture_output=True, text=True, check=False)


def test_importing_the_package_imports_nothing_of_it(tmp_path: Path) -> None:
    code = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nimport bench\n"
    done = python(code + "print(sorted(name for name in sys.modules if name.startswith('bench')))", tmp_path)
    assert (done.returncode, done.stdout) == (0, "['bench']\n")


def test_importing_has_no_side_effect(tmp_path: Path) -> None:
    code = f"import sys, importlib\nsys.path.insert(0, {str(ROOT)!r})\nfor name in {modules()!r}:\n    "
    done = python(code + "importlib.import_module(name)", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(words: list[str], tmp_path: Path) -> None:
    code = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nsys.argv = ['bench', *{words!r}]\n"
        "from bench.cli.app import main\n"
        "try:\n    main()\nexcept SystemExit as left:\n    assert left.code == 0, left.code\n"
        "heavy = {'numpy', 'pandas', 'scipy', 'matplotlib', 'pddl', 'textworld', 'torch'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    done = python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "HEAVY []"
