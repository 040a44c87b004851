"""The sources of a run's models: of the one that acts, of the judge, and of those that strategies name for some roles.

Each is opened once in a process, whatever number of strategies name it: they share its limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.config import RunConfig
from bench.errors import UsageError
from bench.models.ledger.spans import find_spans
from bench.models.options import ModelOptions
from bench.models.remote.endpoint_config import Endpoint, EndpointFields, read_endpoint
from bench.protocols import HasPrice, HasRequestChanges, HasStop, ModelSource, Params
from bench.runner.resolve import ModelChoice, ResolvedRun
from bench.secrets import mark_secret, scrub
from bench.types import Fingerprint

__all__ = ["IDENTITY", "JUDGE", "Sources", "name_identity", "open_sources"]

IDENTITY = "identity"
"""The name under which a run records the identity of the acting model: with a request's hash, the key of a cached
reply."""
JUDGE = "judge"


def name_identity(who: str) -> str:
    """Return the name under which a run records the identity of another model; ``who``: its name, or ``JUDGE``."""
    return f"{IDENTITY} of {who}"


@dataclass(frozen=True)
class Sources:
    """Where the replies of a run come from."""

    acting: ModelSource
    judge: ModelSource | None = None
    others: Mapping[str, ModelSource] = field(default_factory=dict)
    """By the name that strategies give it."""

    def find(self, params: Params) -> dict[str, ModelSource]:
        """Return the sources of the models that a strategy names, by role."""
        return {role: self.others.get(name, self.acting) for role, name in params.role_models.items()}

    @property
    def identities(self) -> dict[str, str]:
        """For each model everything but the messages that decides a reply, under the name by which a run records it;
        holds no secret."""
        sources = {IDENTITY: self.acting, **{name_identity(name): one for name, one in self.others.items()}}
        if self.judge is not None:
            sources[name_identity(JUDGE)] = self.judge
        return {name: scrub(source.identity) for name, source in sources.items()}

    def describe_changes(self, params: Params) -> Fingerprint:
        """Return what the endpoints of a strategy's models and of the judge did not take as asked for, as far as it is
        known."""
        roles = {f"row.request_changes.{role}": source for role, source in self.find(params).items()}
        sources = {"row.judge_request_changes": self.judge, "row.request_changes": self.acting, **roles}
        entries: list[tuple[str, str]] = []
        for name, source in sorted(sources.items()):
            if isinstance(source, HasRequestChanges) and (changes := source.request_changes):
                entries.append((name, scrub("; ".join(changes))))
        return Fingerprint(tuple(entries))

    def list_unpriced(self, *, judges: bool) -> list[str]:
        """Return the names of the models whose price is known to be unknown; ``judges``: the judge is called, too."""
        called = [one for one in self._all if judges or one is not self.judge]
        return sorted({one.name for one in called if isinstance(one, HasPrice) and not one.price_known})

    @property
    def remote(self) -> bool:
        """True if any model is remote."""
        return any(source.remote for source in self._all)

    @property
    def workers(self) -> int:
        """The number of trials at once that serves the strategies' models best; 0 = the run decides."""
        return min(filter(None, (one.workers for one in (self.acting, *self.others.values()))), default=0)

    @property
    def _all(self) -> tuple[ModelSource, ...]:
        return tuple(filter(None, (self.acting, self.judge, *self.others.values())))

    def stop(self) -> None:
        """End every wait for a model with Interrupted; no call begins from now on."""
        for source in self._all:
            if isinstance(source, HasStop):
                source.stop()

    def close(self) -> None:
        for source in self._all:
            source.close()


def open_sources(run: ResolvedRun, load: Callable[[str, ModelOptions], ModelSource]) -> Sources:
    """Open every model of a run. Raises: UsageError for an unknown name, a missing key, a bad endpoint file."""
    config = run.config
    file = read_endpoint(Path(config.endpoint)) if config.endpoint else Endpoint()
    judges = read_endpoint(Path(config.judge_endpoint)) if config.judge_endpoint else Endpoint()
    _refuse_tables(config, file, judges)
    find_spans()  # refuses a bad BENCH_OTEL before any work
    _mark_keys((file, judges, *file.models.values()))
    acting, own = run.model, file.model_copy(update={"models": {}})
    if own == Endpoint():  # the file is about other models alone: a model in this process would refuse it
        acting = replace(acting, options=replace(acting.options, endpoint=None))
    return Sources(
        load(acting.name, acting.options),
        load(run.judge.name, run.judge.options) if run.judge else None,
        {name: load(one.name, _complete(one, config, file)) for name, one in run.role_models.items()},
    )


def _complete(choice: ModelChoice, config: RunConfig, file: Endpoint) -> ModelOptions:
    """Return how a model that is not the acting one is called: as its table says, if the endpoint file has one."""
    table = file.models.get(choice.name)
    return replace(choice.options, base_url=table.base_url, endpoint=Path(config.endpoint)) if table else choice.options


def _refuse_tables(config: RunConfig, file: Endpoint, judges: Endpoint) -> None:
    """Raises: UsageError for a table that would change nothing."""
    if config.model in file.models:
        raise UsageError(
            f"endpoint {config.endpoint}: expected tables of other models than the acting one, got "
            f'[models."{config.model}"]; its settings stand at the top of the file, its address in --base-url'
        )
    if judges.models:
        raise UsageError(
            f"endpoint {config.judge_endpoint}: expected the judge's settings alone, got a table "
            f'[models."{min(judges.models)}"]; it belongs into the file of --endpoint'
        )


def _mark_keys(endpoints: Iterable[EndpointFields]) -> None:
    """A key may be in a variable whose name does not say so."""
    for one in endpoints:
        mark_secret(one.api_key_env)
