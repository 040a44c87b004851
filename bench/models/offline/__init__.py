"""The offline model: a rule-based reader of prompts that needs no key and no network."""
