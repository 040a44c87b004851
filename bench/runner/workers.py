"""Who plays a trial: a thread of this process, or a process of its own that reports over a pipe.

Both have one interface: ``play(job) -> Trial``. A process worker never touches the run folder: it hands each call over
and waits until the one writer has committed it. A process that dies or hangs costs its trial (unscored) and is
replaced; one whose parent dies ends by itself.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Protocol

from bench.errors import BenchError, BudgetStop, Interrupted, StoreError
from bench.models.ledger.meter import reserve_nothing
from bench.runner.build import RunContext
from bench.runner.resolve import ResolvedRun
from bench.runner.simulate import Job, Recorder, simulate
from bench.runner.teaching import add_teaching
from bench.types import Call, EndReason, Status, Trial, TrialKey

__all__ = ["ProcessWorker", "ThreadWorker", "Worker"]

_POLL_S = 0.2
_GRACE_S = 60.0
"""How long past its own wall limit a trial may keep a process before it is ended from outside."""


class Worker(Protocol):
    """Plays one trial at a time. Raises: Interrupted, BudgetStop, StoreError."""

    def play(self, job: Job) -> Trial: ...

    def close(self) -> None: ...


def _play(context: RunContext, job: Job, recorder: Recorder, stopped: Callable[[], bool]) -> Trial:
    trial = simulate(job, context.build_parts(job.key), recorder, stopped)
    return add_teaching(trial, context.sources.acting)


class ThreadWorker:
    """Plays in the calling thread: for suites whose world waits elsewhere."""

    def __init__(self, context: RunContext, recorder: Recorder, stopped: Callable[[], bool]):
        self._context, self._recorder, self._stopped = context, recorder, stopped

    def play(self, job: Job) -> Trial:
        return _play(self._context, job, self._recorder, self._stopped)

    def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class _Commit:
    key: TrialKey
    call: Call


@dataclass(frozen=True, slots=True)
class _Supersede:
    key: TrialKey


@dataclass(frozen=True, slots=True)
class _Stop:
    """Parent to child: end the present trial unfinished."""


@dataclass(frozen=True, slots=True)
class _Stopped:
    """Child to parent: the present trial was left unfinished."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """Child to parent: the run cannot go on."""

    text: str


@dataclass(frozen=True, slots=True)
class _Failed:
    """The child could not even begin."""

    text: str


class ProcessWorker:
    """Plays in a process of its own: for suites that compute in Python."""

    def __init__(self, run: ResolvedRun, recorder: Recorder, stopped: Callable[[], bool]):
        self._run, self._recorder, self._stopped = run, recorder, stopped
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None

    def play(self, job: Job) -> Trial:
        try:
            pipe = self._pipe or self._start()
            pipe.send(job)
            return self._serve(job, pipe)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            code = self._end()
            if code == -signal.SIGTERM or self._stopped():  # the signal goes to every process of the run
                raise Interrupted from None
            return _fail(job, f"worker: expected a finished trial, got a dead process (exit {code}); resume to retry")

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=_run_child, args=(theirs, self._run), daemon=True)
        with _block_sigint():
            self._process.start()
        theirs.close()
        self._pipe = ours
        return ours

    def _serve(self, job: Job, pipe: Connection) -> Trial:
        """Commit what the child hands over until the trial is done."""
        stop_sent, waited_s = False, 0.0
        wall_s = self._run.config.task_wall_s
        limit_s = wall_s + _GRACE_S if wall_s else float("inf")
        while True:
            if not stop_sent and self._stopped():
                pipe.send(_Stop())
                stop_sent = True
            if not pipe.poll(_POLL_S):
                waited_s += _POLL_S
                if waited_s > limit_s:
                    self._end()
                    return _fail(job, f"worker: expected an end within {limit_s:g} s, got none; resume to retry")
                continue
            message = pipe.recv()
            if isinstance(message, _Commit):
                self._recorder.commit_call(message.key, message.call)
                if not stop_sent and self._stopped():  # before it may go on: no further call
                    pipe.send(_Stop())
                    stop_sent = True
                pipe.send(None)
            elif isinstance(message, _Supersede):
                self._recorder.supersede(message.key)
                pipe.send(None)
            elif isinstance(message, _Stopped):
                raise Interrupted
            elif isinstance(message, _Ended):
                raise StoreError(message.text)
            elif isinstance(message, _Failed):
                raise StoreError(f"worker: expected a process that starts, got {message.text}")
            else:
                trial: Trial = message
                return trial

    def _end(self) -> int | None:
        code = None
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None and self._process.pid is not None:  # None: it died while it was started
            self._process.kill()
            self._process.join()
            code = self._process.exitcode
        self._pipe = self._process = None
        return code

    def close(self) -> None:
        if self._pipe is not None:
            self._pipe.close()  # the child reads the end of the pipe and leaves
        if self._process is not None:
            self._process.join(5)
        self._pipe = None
        self._end()


@contextmanager
def _block_sigint() -> Iterator[None]:
    """Start a child with Ctrl-C blocked, which a terminal sends to it too, until the child ignores it by itself."""
    if not hasattr(signal, "pthread_sigmask"):  # not a POSIX system
        yield
        return
    resource_tracker.ensure_running()  # the first start would begin it, and that undoes the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _fail(job: Job, error: str) -> Trial:
    return Trial(job.key, Status.ENV_ERROR, EndReason.ERROR, error=error)


class _PipeRecorder:
    """The child's side of a commit: hand over, wait for the word that it is safe."""

    def __init__(self, pipe: Connection):
        self._pipe = pipe
        self._stop = False

    def commit_call(self, key: TrialKey, call: Call) -> None:
        self._ask(_Commit(key, call))

    def supersede(self, key: TrialKey) -> None:
        self._ask(_Supersede(key))

    reserve = staticmethod(reserve_nothing)
    """Every commit waits for the parent, which counts it and says stop: at most one call a process goes over."""

    def _ask(self, message: _Commit | _Supersede) -> None:
        self._pipe.send(message)
        while isinstance(self._pipe.recv(), _Stop):  # may come in between; the next check obeys it
            self._stop = True

    def stopped(self) -> bool:
        if not self._stop and self._pipe.poll():
            self._pipe.recv()
            self._stop = True
        return self._stop


def _run_child(pipe: Connection, run: ResolvedRun) -> None:
    """The life of a worker process: build once, then play what comes until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    try:
        context = RunContext(run)
    except BenchError as cause:
        pipe.recv()
        pipe.send(_Failed(str(cause)))
        return
    try:
        while True:
            job: Job | _Stop = pipe.recv()
            if isinstance(job, _Stop):  # crossed with the trial that it was meant for
                continue
            recorder = _PipeRecorder(pipe)
            try:
                pipe.send(_play(context, job, recorder, recorder.stopped))
            except (Interrupted, BudgetStop):
                pipe.send(_Stopped())
            except StoreError as cause:
                pipe.send(_Ended(str(cause)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass
    finally:
        context.close()
