//! Every query, once, in the common ground of SQLite and PostgreSQL.
//!
//! Parameters are numbered in the order in which they first appear, which is how SQLite counts names such as `$1`. All
//! times are Unix seconds.

pub(super) const PING: &str = "SELECT 1";

pub(super) const LIST: &str = "SELECT id, name, category_id, status FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
pub(super) const LIST_BY_STATUS: &str =
    "SELECT id, name, category_id, status FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3";
pub(super) const GET: &str = "SELECT id, name, category_id, status FROM pets WHERE id = $1";
pub(super) const ADD: &str =
    "INSERT INTO pets (name, category_id, status, created_at) VALUES ($1, $2, $3, $4) RETURNING id";

/// An animal of the same transaction, which nobody has seen.
pub(super) const TAKE_BACK: &str = "DELETE FROM pets WHERE id = $1";

pub(super) const FIND_CREATION: &str = "SELECT fingerprint, pet_id FROM idempotency_keys \
     WHERE api_key_id = $1 AND idempotency_key = $2 AND created_at > $3";
pub(super) const REMEMBER_CREATION: &str = "INSERT INTO idempotency_keys (api_key_id, idempotency_key, fingerprint, pet_id, created_at) \
     VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (api_key_id, idempotency_key) DO UPDATE \
     SET fingerprint = excluded.fingerprint, pet_id = excluded.pet_id, created_at = excluded.created_at \
     WHERE idempotency_keys.created_at <= $6";
pub(super) const FORGET_CREATIONS: &str = "DELETE FROM idempotency_keys WHERE (api_key_id, idempotency_key) IN \
     (SELECT api_key_id, idempotency_key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)";

pub(super) const FIND_KEY: &str =
    "SELECT hash, scopes, expires_at, revoked_at, last_used_at FROM api_keys WHERE id = $1";
pub(super) const LIST_KEYS: &str = "SELECT id, name, scopes, created_at, expires_at, last_used_at, revoked_at \
     FROM api_keys ORDER BY created_at, id";
pub(super) const SHOW_KEY: &str =
    "SELECT id, name, scopes, created_at, expires_at, last_used_at, revoked_at FROM api_keys WHERE id = $1";
pub(super) const ADD_KEY: &str =
    "INSERT INTO api_keys (id, hash, name, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)";
pub(super) const ANY_KEY: &str = "SELECT id FROM api_keys ORDER BY id LIMIT 1";
pub(super) const REVOKE_KEY: &str = "UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
pub(super) const LIMIT_KEY: &str =
    "UPDATE api_keys SET expires_at = $1 WHERE id = $2 AND (expires_at IS NULL OR expires_at > $1)";
pub(super) const USE_KEY: &str =
    "UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)";
pub(super) const ADD_KEY_EVENT: &str = "INSERT INTO key_events (at, action, api_key_id, actor) VALUES ($1, $2, $3, $4)";
pub(super) const LIST_KEY_EVENTS: &str = "SELECT at, action, api_key_id, actor FROM key_events ORDER BY at, id";

/// Which migrations were run, and who runs them: on PostgreSQL only. The server's clock counts, since instances may
/// differ.
pub(super) const VERSION: &str = "SELECT version FROM schema_versions ORDER BY version DESC LIMIT 1";
pub(super) const MAKE_VERSIONS: &str = "CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY)";
pub(super) const ADD_VERSION: &str =
    "INSERT INTO schema_versions (version) VALUES ($1) ON CONFLICT (version) DO NOTHING";
pub(super) const MAKE_LEASE: &str = "CREATE TABLE IF NOT EXISTS schema_lease \
     (id BIGINT PRIMARY KEY, holder TEXT NOT NULL, expires_at BIGINT NOT NULL)";
pub(super) const ADD_LEASE: &str =
    "INSERT INTO schema_lease (id, holder, expires_at) VALUES (1, '', 0) ON CONFLICT (id) DO NOTHING";
pub(super) const TAKE_LEASE: &str = "UPDATE schema_lease \
     SET holder = $1, expires_at = CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT) + $2 \
     WHERE id = 1 AND (holder = $1 OR expires_at <= CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT))";
pub(super) const END_LEASE: &str = "UPDATE schema_lease SET expires_at = 0 WHERE id = 1 AND holder = $1";

#[cfg(test)]
mod tests {
    #[test]
    fn parameters_are_numbered_as_they_appear() {
        let queries: Vec<&str> = include_str!("sql.rs").split("#[cfg(test)]").next().unwrap().split(';').collect();
        assert!(queries.len() > 10);
        for query in queries {
            let mut seen = 0;
            for number in query.split('$').skip(1).filter_map(|rest| rest.chars().next()?.to_digit(10)) {
                assert!(number <= seen + 1, "${number} comes too early: {query}");
                seen = seen.max(number);
            }
        }
    }
}
