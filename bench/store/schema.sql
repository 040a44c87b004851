-- The record of a run. One row of `trials` per planned trial; the other tables refer to its id.
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS trials (
    id INTEGER PRIMARY KEY,
    suite TEXT NOT NULL, split TEXT NOT NULL, task TEXT NOT NULL, strategy TEXT NOT NULL, model TEXT NOT NULL,
    seed INTEGER NOT NULL, attempt INTEGER NOT NULL,
    grp TEXT NOT NULL, cluster TEXT NOT NULL, optimal_steps INTEGER,
    status TEXT NOT NULL DEFAULT 'planned', end_reason TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '',
    fingerprint TEXT NOT NULL DEFAULT '{}', opening TEXT NOT NULL DEFAULT '',
    wall_s REAL, wall_model_s REAL, wall_env_s REAL, wall_memory_s REAL,
    UNIQUE (suite, split, task, strategy, model, seed, attempt)
);

CREATE TABLE IF NOT EXISTS items (
    trial INTEGER NOT NULL REFERENCES trials (id), item TEXT NOT NULL, grp TEXT NOT NULL, cluster TEXT NOT NULL,
    scores TEXT NOT NULL, reasons TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (trial, item)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS steps (
    trial INTEGER NOT NULL REFERENCES trials (id), step INTEGER NOT NULL,
    stimulus TEXT NOT NULL, goal TEXT NOT NULL, -- goal: empty where it is the trial's opening
    context BLOB NOT NULL, refs TEXT NOT NULL, ranking TEXT NOT NULL, truncated INTEGER NOT NULL,
    reply TEXT NOT NULL, decision TEXT NOT NULL, notes TEXT NOT NULL,
    observation TEXT NOT NULL, executed TEXT NOT NULL, repairs TEXT NOT NULL, valid INTEGER NOT NULL,
    invalid_reason TEXT NOT NULL, helper INTEGER NOT NULL, done INTEGER NOT NULL, won INTEGER NOT NULL,
    progress REAL NOT NULL, context_tokens INTEGER NOT NULL, prompt_tokens INTEGER,
    wall_model_s REAL NOT NULL, wall_env_s REAL NOT NULL, wall_memory_s REAL NOT NULL,
    reading TEXT NOT NULL, -- how the replies were read; {} = in the plain form; schema 1 had no such column
    PRIMARY KEY (trial, step)
) WITHOUT ROWID;

-- What a decision had to rest on, where that is known (JSON lists); runs of before have no such table.
CREATE TABLE IF NOT EXISTS evidence (
    trial INTEGER NOT NULL REFERENCES trials (id), step INTEGER NOT NULL,
    needed TEXT NOT NULL, reached TEXT NOT NULL, facts TEXT NOT NULL, missed INTEGER, -- missed: NULL for a question
    PRIMARY KEY (trial, step)
) WITHOUT ROWID;

-- What each decision took, in wall seconds; runs of before have no such table.
CREATE TABLE IF NOT EXISTS latencies (
    trial INTEGER NOT NULL REFERENCES trials (id), step INTEGER NOT NULL, recall_s REAL NOT NULL, decision_s REAL NOT NULL,
    PRIMARY KEY (trial, step)
) WITHOUT ROWID;

-- The ledger: one row per attempt at a model or embedding call. NULL = not reported, never 0.
CREATE TABLE IF NOT EXISTS calls (
    trial INTEGER NOT NULL REFERENCES trials (id), call INTEGER NOT NULL, attempt INTEGER NOT NULL,
    phase TEXT NOT NULL, role TEXT NOT NULL, step INTEGER NOT NULL, model TEXT NOT NULL, request_hash TEXT NOT NULL,
    prompt INTEGER, cached_read INTEGER, cache_write INTEGER, completion INTEGER, reasoning INTEGER,
    usage_source TEXT NOT NULL, cost_usd REAL, price_date TEXT NOT NULL, latency_s REAL NOT NULL,
    status TEXT NOT NULL, finish TEXT NOT NULL, reply TEXT NOT NULL,
    PRIMARY KEY (trial, call, attempt)
) WITHOUT ROWID;

-- What was said about each earlier attempt at a task, and shown at the beginning of this one.
CREATE TABLE IF NOT EXISTS feedback (
    trial INTEGER NOT NULL REFERENCES trials (id), attempt INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (trial, attempt)
) WITHOUT ROWID;
