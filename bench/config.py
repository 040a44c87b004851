"""The question a run answers: ``run.toml``, its fields, their meaning, and how it is read, written and compared."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from reprlib import Repr
from typing import Annotated, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from bench.errors import UsageError, nearest, reading, writing
from bench.secrets import find_credentials, find_key

__all__ = [
    "FREE_FIELDS",
    "RUN_FILE",
    "LearnConfig",
    "RunConfig",
    "difference",
    "package_versions",
    "read_config",
    "validate",
    "write_config",
]

RUN_FILE = "run.toml"
_STAMP = "stamp"
_RECORDED = ("base_url", "judge", "model", "embedder", "split", "endpoint", "judge_endpoint", "suites", "strategies",
             "artifacts")  # fmt: skip
"""The fields with texts of the user's own."""
_NOT_SENT = ("provider", "none")
_IN_PROCESS = ("offline/", "local/")
"""Models whose default is temperature 0, as the run's is."""
_STAMPED = ("memfrontier", "alfworld", "textworld", "pddl", "bm25s", "litellm", "xllamacpp", "numpy", "scipy", "mem0ai")

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 200
"""Writes a value of any length and depth into a message."""
_MOST = 10**9
_Count = Annotated[int, Field(ge=0, le=_MOST)]
_Repeat = Annotated[int, Field(ge=1, le=1000)]
_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Seed = Annotated[int, Field(ge=-(2**53), le=2**53)]
"""Whole numbers that JSON, databases and providers hold as they are."""


class LearnConfig(BaseModel):
    """The learning stage of a run, table ``[learn]``: what is learned from, and how it is gathered."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    policy: str = "grouped-by-spec"
    """How tasks are shared out between training and evaluation (``bench.runner.splits``)."""
    split: str = ""
    """The split of the suites that is learned from, with policy two-splits; empty = a side of the split evaluated."""
    seed: _Seed = 0
    """Shares out by chance where a policy does."""
    tasks: _Count = 0
    """Training tasks per suite, taken in turn from each group; 0 = all."""
    attempts: _Repeat = 1
    """An episode that is not won is played again, at most so many times in all."""
    rounds: _Repeat = 1
    """How often every training task is gathered anew."""
    collectors: tuple[str, ...] = ("full-history",)
    """Strategies that play the training tasks; every learner gets the trials of all of them."""
    every: Literal["run", "attempt"] = "run"
    """When a learner is called: once with all trials, or after each attempt, in the order of collectors, tasks, rounds
    and attempts, with what it has learned so far and nothing else of those before."""
    side: Literal["test", "train"] = "test"
    """What this run plays: ``train`` in the folders of collectors."""

    def name_side(self) -> str:
        """Return which tasks are played, so that results on different tasks share no table."""
        return f"{self.side} of {self.policy}/{self.seed}"


class RunConfig(BaseModel):
    """Everything that decides a run's numbers, and how it is carried out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    suites: tuple[str, ...] = Field(min_length=1)
    """Suites with their parameters, ``alfworld:preset=react``."""
    strategies: tuple[str, ...] = Field(min_length=1)
    """Strategies with their parameters, ``window:k=5``."""
    model: str = "offline/reader"
    """The acting and answering model."""
    judge: str = ""
    """Grades the answers of conversations: ``openai/gpt-4.1``, ``openai/mine@http://host/v1``; empty = no judge."""
    judge_endpoint: str = ""
    """A TOML file with limits, parameters and dated prices of the judge's endpoint; empty = the defaults."""
    base_url: str = ""
    """Address of an OpenAI-compatible endpoint; empty = the provider's own."""
    temperature: _Amount | None = 0.0
    """None (in a file: "provider") = the provider's default: it is not sent."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    """None = the provider's default: it is not sent."""
    model_seed: _Seed | None = None
    """The trial's seed is added to it; None = no seed is sent."""
    allow_unsupported: bool = False
    """Leave out parameters that the provider does not know, with a warning, instead of stopping."""
    endpoint: str = ""
    """A TOML file with limits and dated prices; empty = the defaults."""
    cache: Literal["off", "read", "read-write"] = "off"
    """Replies shared between runs: ``read`` never calls the model and fails on the first reply that is missing.
    Not part of the question: may differ on resume."""
    embedder: str = "auto"
    """What turns texts into vectors for the strategies that want them; auto = minilm where it is installed, else
    hash. A run records the name in force."""
    split: str = ""
    """Empty = each suite's default split."""
    limit: _Count = 0
    """Tasks per suite, taken in turn from each group; 0 = all."""
    seeds: tuple[_Seed, ...] = Field(default=(0,), min_length=1)
    """Each task is played once per seed."""
    attempts: _Repeat = 1
    """An episode that is not won is played again until it is, at most so many times in all."""
    steps: int = Field(default=0, ge=0, le=1_000_000)
    """Step cap of an episode; 0 = the suite's own."""
    learn: LearnConfig | None = None
    """The learning stage; None = there is none, and every task of the split is evaluated."""
    stream: _Count = 0
    """Each seed plays the tasks in an order of its own, and learners learn anew from their trials so far after so many
    tasks; 0 = what is learned is frozen in evaluation."""
    artifacts: tuple[str, ...] = ()
    """Folders of artifacts made before (``bench learn``), one for a strategy and suite."""
    leak: Literal["refuse", "official"] = "refuse"
    """official = learn from evaluated tasks too, as some published code does; such rows are marked."""
    allow_edited: bool = False
    """Take artifacts that were changed by hand; such rows are marked."""
    allow_foreign: bool = False
    """Take artifacts of another suite, in a run of one suite; such rows are marked."""
    budget_tokens: _Count | None = None
    """The most a context may be long; None = no limit."""
    reply_tokens: _Count = 0
    """The most tokens of a reply that acts; 0 = the suite's frame says, 512 in all suites of this project."""
    answer_tokens: _Count = 0
    """The most tokens of a reply that answers; 0 = the suite's frame says, 512 in all suites of this project."""
    ask_again: int = Field(default=1, ge=0, le=1)
    """How often a decision asks the model again where nothing can be made out in its reply."""
    task_wall_s: _Amount = 0.0
    """Wall seconds after which a task is given up as unscored; 0 = never."""
    workers: _Count = 0
    """Trials at once; 0 = as many as there are cores. With a remote model: calls at once, with twice as many trials
    running; 0 = 16. Not part of the question: may differ on resume."""
    max_usd: _Amount = 0.0
    """Stop cleanly when this much is spent; 0 = no limit. May differ on resume."""
    max_tokens: _Count = 0
    """Stop cleanly when the ledger holds this many tokens; 0 = no limit. May differ on resume."""

    @field_validator("temperature", mode="before")
    @classmethod
    def _read_temperature(cls, given: object) -> object:
        return None if given in _NOT_SENT else given

    @field_validator(*_RECORDED)
    @classmethod
    def _no_credentials(cls, given: str | tuple[str, ...], field: ValidationInfo) -> str | tuple[str, ...]:
        # It stands in the record of the run; a credential in it is not printed either.
        for text in (given,) if isinstance(given, str) else given:
            if credentials := find_credentials(text):
                what = "an address" if "://" in text or field.field_name == "base_url" else "a text"
                raise UsageError(
                    f"{field.field_name}: expected {what} without credentials, got one with {credentials}; keys come "
                    "from the environment only"
                )
        return given


FREE_FIELDS = frozenset({"cache", "workers", "max_usd", "max_tokens"})
"""Fields that do not change any number and so may change between a run and its resumption."""


def package_versions() -> dict[str, str]:
    """Return the versions of the packages that numbers depend on, ``absent`` where one is not installed."""
    versions = {}
    for name in _STAMPED:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "absent"
    return versions


def write_config(config: RunConfig, path: Path) -> None:
    """Write a run's question, with a stamp of the package versions in use."""
    fields = config.model_dump(mode="json", exclude_none=True)
    if config.temperature is None:  # TOML knows no null, and a field that is not there has its default
        fields["temperature"] = _NOT_SENT[0]
    with writing("run folder", path):
        path.write_text(tomli_w.dumps({**fields, _STAMP: package_versions()}), encoding="utf-8", newline="\n")


def read_config(path: Path) -> RunConfig:
    """Read a run's question. Raises: UsageError, one line, naming the field, what was expected and the nearest name."""
    with reading(str(path), "TOML", "name a run.toml, and fix or remove that line"):
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    raw.pop(_STAMP, None)
    return validate(raw, str(path))


def validate(raw: dict[str, object], who: str) -> RunConfig:
    """Build a config from plain values. Raises: UsageError about the first field that does not fit."""
    with reading(who, "fields", "nest them less"):
        place = find_key(raw)
    if place:
        raise UsageError(f"{who}: expected no key in it, got one at {place}; keys come from the environment only")
    try:
        return RunConfig.model_validate(raw)
    except ValidationError as cause:
        first = cause.errors()[0]
        field = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            known = LearnConfig.model_fields if first["loc"][0] == "learn" else RunConfig.model_fields
            close = nearest(str(first["loc"][-1]), known)
            hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"
            raise UsageError(f"{who}: expected a known field, got {field!r}; {hint}") from None
        given = _SHORT.repr(first["input"])
        raise UsageError(f"{who}: expected {field} to be valid, got {given}; {first['msg']}") from None


def _to_comparable(config: RunConfig) -> dict[str, object]:
    """Return the fields as they are compared: one spelling for each meaning of the temperature."""
    fields = config.model_dump(mode="json")
    if config.temperature is None:
        models = [config.model, *(name for label in config.strategies for name in _list_models(label))]
        in_process = all(name.startswith(_IN_PROCESS) for name in models)
        fields["temperature"] = 0.0 if in_process else _NOT_SENT[0]
    return fields


def _list_models(label: str) -> list[str]:
    """Return the models that a strategy names for some of its roles; such a parameter's name ends in ``model``."""
    pairs = (piece.partition("=") for piece in label.partition(":")[2].split(","))
    return [value.strip() for name, _, value in pairs if name.strip().endswith("model") and value.strip() != "actor"]


def difference(recorded: RunConfig, requested: RunConfig) -> list[str]:
    """Return one line per field that changes the question: ``steps: 50 -> 30``. Empty if it is the same question."""
    was, now = _to_comparable(recorded), _to_comparable(requested)
    return [
        f"{name}: {was[name]!r} -> {now[name]!r}" for name in was if name not in FREE_FIELDS and was[name] != now[name]
    ]
