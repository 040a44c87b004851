"""The suites, strategies, models and embedders that are built in, and where each is imported from."""

from __future__ import annotations

__all__ = [
    "COUNT",
    "EMBEDDERS",
    "LESSONS",
    "LITELLM",
    "LITELLM_PREFIX",
    "LOCAL",
    "LOCAL_MODEL",
    "LOCAL_PREFIX",
    "NOVICE",
    "NOVICE_RULES",
    "OFFLINE_PREFIX",
    "READER",
    "RULES",
    "RULE_TABLE",
    "STRATEGIES",
    "SUITES",
]  # fmt: skip

SUITES = {
    "alfworld": "adapters.alfworld.suite:SUITE",
    "hiagent-five": "adapters.hiagent_five.suite:SUITE",
    "jericho": "adapters.jericho.suite:SUITE",
    "locomo": "adapters.locomo.suite:SUITE",
    "longmemeval": "adapters.longmemeval.suite:SUITE",
    "pddl": "adapters.pddl.suite:SUITE",
    "sop-bench": "adapters.sop_bench.suite:SUITE",
    "qa": "adapters.qa.suite:SUITE",
    "toy": "adapters.toy.suite:SUITE",
    "toy-talk": "adapters.toy.conversation:SUITE",
}
STRATEGIES = {
    "a-mem": "baselines.a_mem.strategy:STRATEGY",
    "ace": "baselines.ace.strategy:STRATEGY",
    "acon": "baselines.acon.strategy:STRATEGY",
    "acon-untrained": "baselines.acon.strategy:UNTRAINED",
    "agent": "baselines.agent_program.strategy:STRATEGY",
    "always-refuse": "baselines.always_refuse:STRATEGY",
    "awm": "baselines.awm.strategy:STRATEGY",
    "bm25": "baselines.bm25:STRATEGY",
    "dynamic-cheatsheet": "baselines.dynamic_cheatsheet.strategy:STRATEGY",
    "embedding": "baselines.embedding:STRATEGY",
    "expel": "baselines.expel.strategy:STRATEGY",
    "exprag": "baselines.exprag:STRATEGY",
    "exprecent": "baselines.exprecent:STRATEGY",
    "files-grep": "baselines.files_grep.strategy:STRATEGY",
    "fold": "baselines.fold.strategy:STRATEGY",
    "full-history": "baselines.full_history:STRATEGY",
    "g-memory-single": "baselines.g_memory.strategy:STRATEGY",
    "generic-agent": "baselines.generic_agent.trial.strategy:STRATEGY",
    "generic-agent-dialogue": "baselines.generic_agent.dialogue.strategy:STRATEGY",
    "given-text": "baselines.given_text:STRATEGY",
    "h2r": "baselines.h2r.strategy:STRATEGY",
    "hiagent": "baselines.hiagent.strategy:STRATEGY",
    "horma": "baselines.horma.strategy:STRATEGY",
    "horma-untrained": "baselines.horma.strategy:UNTRAINED",
    "hybrid": "baselines.hybrid:STRATEGY",
    "mem0": "baselines.mem0.strategy:STRATEGY",
    "mem0-package": "baselines.mem0_package.strategy:STRATEGY",
    "memp": "baselines.memp.strategy:STRATEGY",
    "no-memory": "baselines.no_memory:STRATEGY",
    "oracle-evidence": "baselines.oracle_evidence:STRATEGY",
    "react": "baselines.react.strategy:STRATEGY",
    "reasoning-bank": "baselines.reasoning_bank.strategy:STRATEGY",
    "reflexion": "baselines.reflexion.strategy:STRATEGY",
    "resum": "baselines.resum.strategy:STRATEGY",
    "summary": "baselines.summary.strategy:STRATEGY",
    "truncation": "baselines.truncation:STRATEGY",
    "window": "baselines.window:STRATEGY",
}
_STRATEGY_RULES = (
    *("a-mem", "ace", "acon", "awm", "dynamic-cheatsheet", "expel", "files-grep", "fold", "h2r", "hiagent", "mem0"),
    *("mem0-package", "memp", "react", "reasoning-bank", "reflexion", "resum", "summary"),
)
RULES = {
    **{
        name: f"adapters.{name.replace('-', '_')}.offline.rules:RULES"
        for name in SUITES
        if name not in ("hiagent-five", "toy-talk")
    },
    **{name: f"baselines.{name.replace('-', '_')}.offline:RULES" for name in _STRATEGY_RULES},
    "g-memory-single": "baselines.g_memory.offline:RULES",
    "generic-agent": "baselines.generic_agent.trial.offline:RULES",
    "horma": "baselines.horma.offline.rules:RULES",
    "judge": "bench.models.offline.judging:RULES",
}
NOVICE_RULES = {name: f"adapters.{name}.offline.novice:build_rules" for name in ("alfworld", "pddl")}
LESSONS, COUNT = "adapters.shared.lessons:describe_reader", "adapters.shared.lessons:count_teaching"
EMBEDDERS = {"hash": "bench.embedders.hash:HashEmbedder", "minilm": "bench.embedders.minilm:MiniLMEmbedder"}
READER, NOVICE = "bench.models.offline.reader:OfflineReader", "bench.models.offline.novice:build_source"
LOCAL, LITELLM = "bench.models.local.source:LocalSource", "bench.models.remote.source:RemoteSource"
RULE_TABLE = "bench.models.offline.rule_table:RuleTable"
LOCAL_PREFIX, OFFLINE_PREFIX, LITELLM_PREFIX = "local/", "offline/", "litellm/"
LOCAL_MODEL = f"{LOCAL_PREFIX}smollm2-135m"
