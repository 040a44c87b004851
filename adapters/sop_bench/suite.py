"""Suite ``sop-bench-v1``: products classified as dangerous goods with four tools, by a procedure.

Source: SOP-Bench, domain ``dangerous_goods`` (github.com/amazon-science/SOP-Bench at 2fdce4c; CC BY-NC 4.0, for
evaluation only, never for training). The comparison of memories: GenericAgent (Technical Report V1.0, Table 5).

Tasks: one episode per product; the group says what is hard about it (all scores, one missing, two missing, invalid id),
the cluster is all products with the same four texts.

* split ``dangerous-goods`` (default): the 274 released products; needs a download.
* split ``generated``: 40 seeded products with texts of our own; no download.

Score: success = the hazard class given as the answer is the reference, exactly (TSR of the benchmark). Progress counts
the product's own scores seen, a fifth each (``environment``). ECR, the share of completed tasks, is the share of
attempts that end in ``won`` or ``lost``; C-TSR is success among these. The step cap is 10, the official agent's limit.

The memory arms. The paper shows one agent four texts as its memory: none, the whole procedure, a condensed one, and the
condensed one with background added. What differs is the text in the memory, so the arms are strategies and not
parameters of the suite: all stand in one table, on the same tasks, with paired tests and with the text's tokens in
their context. The suite only offers the texts (``Frame.given``), which no prompt shows by itself:

* ``full-history``: none; ``given-text:text=full``: the released procedure (split ``dangerous-goods``);
* ``given-text:text=redundant`` and ``given-text:text=condensed``: the same rules, in our words;
* ``given-text:text=condensed-limits``: the same and the score limits of the classes. The procedure has none; these were
  read off the labels, with a border between B and C that lies anywhere between 12 and 15. The paper's condensed text
  holds limits too, so that its arms differ in rules as well as in length: ``condensed-limits`` against ``condensed`` is
  that part of the difference, ``condensed`` against ``full`` the rest.

Differences from the published set-up:

* The official comparison takes an answer as right if it contains the label or is contained in it, so that ``a`` is
  always right. Here an answer that is none of the five labels is an invalid action, and the episode goes on.
* Every arm is told the five labels and the form of the answer; in the benchmark only the procedure holds them.
* The tools are our own table reads with the official behaviour (``environment``), and calls are text commands.
* The paper's texts are not published as data; ours say the same rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

from adapters.sop_bench.data import DATA, PROCEDURE, TOOLS, read_text
from adapters.sop_bench.doubts import find_doubtful
from adapters.sop_bench.environment import SopEnvironment
from adapters.sop_bench.frames import Tool, load_frame, read_own_tools, read_tools
from adapters.sop_bench.generate import generate_products
from adapters.sop_bench.products import Product, read_products
from bench.protocols import Environment, SuiteOptions, SuiteSpec
from bench.types import Fingerprint, Frame, Limits, Shape, Task

__all__ = ["SUITE", "SopSuite"]

_NAME = "sop-bench-v1"
_RELEASED, _GENERATED = "dangerous-goods", "generated"
_OFFICIAL_CAP = 10


class SopSuite:
    """An ``EpisodeSuite`` over one split."""

    def __init__(self, options: SuiteOptions):
        self._options = options
        self._is_generated = options.split == _GENERATED

    def tasks(self) -> Sequence[Task]:
        """Return the tasks, sorted by id. Raises: DataError if the table is missing or altered beyond use."""
        return tuple(
            Task(
                product.id,
                _NAME,
                self._options.split,
                product.kind,
                product.twins,
                source=f"{self._options.split}:{product.id}",
                digest=product.digest,
                optimal_steps=1 if product.kind == "invalid id" else 5,
                spec=product.twins,
            )
            for product in self._table.values()
        )

    def open(self, task: Task) -> Environment:
        return SopEnvironment(self._table[task.id], self._table, self._tools, self._frame)

    def limits(self) -> Limits:
        return Limits(step_cap=self._options.step_cap or _OFFICIAL_CAP)

    def fingerprint(self) -> Fingerprint:
        """Return everything that scores depend on, except frames: each result has the digest of its frame."""
        data = hashlib.sha256("".join(f"{t.id} {t.digest}\n" for t in self.tasks()).encode()).hexdigest()
        return Fingerprint.of(
            suite=_NAME, split=self._options.split, data=data[:16], step_cap=str(self.limits().step_cap)
        )

    def notices(self) -> Sequence[str]:
        """Say which labels contradict the procedure, where the released table holds them."""
        doubtful = find_doubtful(() if self._is_generated else self._table.values())
        if not doubtful:
            return ()
        return (
            f"sop-bench: {len(doubtful)} labels contradict the released procedure, which calls more than two missing "
            f"scores undecidable where the labels take two ({', '.join(product.id for product in doubtful)}; group "
            f"'two missing'): by its letter {len(self._table) - len(doubtful)} of {len(self._table)} can be right",
        )

    def close(self) -> None:
        """Do nothing: the suite holds no resources."""

    @cached_property
    def _table(self) -> dict[str, Product]:
        products = generate_products() if self._is_generated else read_products(self._options.data_root)
        return {product.id: product for product in products}

    @cached_property
    def _tools(self) -> tuple[Tool, ...]:
        if self._is_generated:
            return read_own_tools()
        root = self._options.data_root
        return read_tools(read_text(root, TOOLS), str(root / TOOLS))

    @cached_property
    def _frame(self) -> Frame:
        procedure = "" if self._is_generated else read_text(self._options.data_root, PROCEDURE)
        return load_frame(f"dangerous-goods/{self._options.split}", self._tools, self.limits().step_cap, procedure)


SUITE = SuiteSpec(
    name=_NAME,
    build=SopSuite,
    shape=Shape.EPISODE,
    splits=(_RELEASED, _GENERATED),
    default_split=_RELEASED,
    offline_splits=(_GENERATED,),
    data=DATA,
    source="SOP-Bench, dangerous_goods (CC BY-NC 4.0, evaluation only); memory texts after GenericAgent, Table 5",
)
