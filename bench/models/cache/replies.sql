-- Replies cached for other runs. No time and no secret stands in here: the same calls make the same rows on any day.
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Model, address and sampling parameters, as a run's model source states them.
CREATE TABLE IF NOT EXISTS identities (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

-- Message texts by the first half of their SHA-256, zlib bytes: the same instructions stand in thousands of requests.
CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, data BLOB NOT NULL);

CREATE TABLE IF NOT EXISTS replies (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE, -- SHA-256 of identity, request hash, seed and sample
    identity INTEGER NOT NULL REFERENCES identities (id),
    sent BLOB NOT NULL, seed INTEGER NOT NULL, sample INTEGER NOT NULL,
    model TEXT NOT NULL, messages TEXT NOT NULL, -- JSON: [[role, id of text], ...]
    max_tokens INTEGER, stop TEXT NOT NULL, -- JSON: a list, or {"stop": list, "json_object": true}
    reply TEXT NOT NULL, finish TEXT NOT NULL,
    prompt INTEGER, cached_read INTEGER, cache_write INTEGER, completion INTEGER, reasoning INTEGER,
    usage_source TEXT NOT NULL, cost_usd REAL, price_date TEXT NOT NULL
);
