-- What was done to API keys, and by whom: one row for each creation, rotation and revocation, in the same transaction.
CREATE TABLE IF NOT EXISTS key_events (
    id INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    action TEXT NOT NULL,
    api_key_id TEXT NOT NULL,
    actor TEXT NOT NULL
);
