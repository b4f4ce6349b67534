-- Which animal a creation with an Idempotency-Key added, so that a repeat adds no second one. fingerprint is the SHA-256
-- of what was asked for; with it and pet_id the answer can be given again. created_at is in Unix seconds.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    api_key_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint BYTEA NOT NULL,
    pet_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (api_key_id, idempotency_key)
);
