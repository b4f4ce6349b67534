-- API keys: found by their public id, compared by the SHA-256 of the whole key. The key itself is stored nowhere.
-- scopes are words separated by blanks; all times are Unix seconds.
CREATE TABLE IF NOT EXISTS api_keys (
    id TEXT PRIMARY KEY NOT NULL,
    hash BYTEA NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT
);
