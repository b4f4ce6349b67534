-- Those past their 24 hours are found without reading the others.
CREATE INDEX IF NOT EXISTS idempotency_keys_by_age ON idempotency_keys (created_at);
