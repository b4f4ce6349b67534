//! Every query, once for SQLite and PostgreSQL, and the values that go with them.
//!
//! Parameters are numbered in the order in which they first appear, which is how SQLite counts names such as `$1`. All
//! times are Unix seconds.

use super::KeyId;

pub const LIST: &str = "SELECT id, name, category_id, status FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
pub const LIST_BY_STATUS: &str =
    "SELECT id, name, category_id, status FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3";
pub const LIST_NEWEST: &str = "SELECT id, name, category_id, status FROM pets WHERE id <= $1 ORDER BY id DESC LIMIT $2";
pub const LIST_NEWEST_BY_STATUS: &str =
    "SELECT id, name, category_id, status FROM pets WHERE status = $1 AND id <= $2 ORDER BY id DESC LIMIT $3";
pub const COUNT: &str = "SELECT COUNT(*) FROM pets";
pub const COUNT_BY_STATUS: &str = "SELECT COUNT(*) FROM pets WHERE status = $1";
pub const ADDED_AFTER: &str = "SELECT pets.id, pets.name, pets.category_id, pets.status, pets.created_at, \
     pets.added_by, api_keys.name FROM pets LEFT JOIN api_keys ON api_keys.id = pets.added_by \
     WHERE pets.id > $1 ORDER BY pets.id LIMIT $2";
pub const PROVENANCE: &str = "SELECT pets.created_at, pets.added_by, api_keys.name \
     FROM pets LEFT JOIN api_keys ON api_keys.id = pets.added_by WHERE pets.id = $1";
pub const GET: &str = "SELECT id, name, category_id, status FROM pets WHERE id = $1";
pub const ADD: &str =
    "INSERT INTO pets (name, category_id, status, created_at, added_by) VALUES ($1, $2, $3, $4, $5) RETURNING id";

/// On PostgreSQL pets are added one transaction after another: each locks this row first, also against transactions that
/// have read it. Ids are taken from the sequence of the table after that, as older versions of this program do without a
/// turn: so no id comes twice while instances are upgraded one by one.
pub const TAKE_TURN: &str = "INSERT INTO pet_turn (id, taken) VALUES (1, 1) \
     ON CONFLICT (id) DO UPDATE SET taken = pet_turn.taken + 1 RETURNING id";

/// What follows the turn in one statement: adds a pet.
pub const ADD_IN_TURN: &str = " INSERT INTO pets (name, category_id, status, created_at, added_by) \
     SELECT $1, CAST($2 AS BIGINT), $3, CAST($4 AS BIGINT), $5 FROM turn RETURNING id";

/// The same with a creation that is remembered, and nothing where it is remembered already. One that is committed
/// meanwhile is met in the primary key.
pub const ADD_ONCE_IN_TURN: &str = ", pet AS (INSERT INTO pets (name, category_id, status, created_at, added_by) \
     SELECT $1, CAST($2 AS BIGINT), $3, CAST($4 AS BIGINT), $5 FROM turn WHERE NOT EXISTS \
     (SELECT 1 FROM idempotency_keys WHERE api_key_id = $6 AND idempotency_key = $7) RETURNING id) \
     INSERT INTO idempotency_keys (api_key_id, idempotency_key, fingerprint, pet_id, created_at) \
     SELECT $6, $7, CAST($8 AS BYTEA), id, CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT) FROM pet \
     RETURNING pet_id";

/// Where a pet still is as it was seen.
pub const CHANGE: &str = "UPDATE pets SET name = $1, category_id = $2, status = $3 \
     WHERE id = $4 AND name = $5 AND category_id = $6 AND status = $7";
pub const ADD_CHANGE: &str = "INSERT INTO pet_changes (pet_id, changed_at, changed_by, from_name, from_category_id, \
     from_status, to_name, to_category_id, to_status) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
pub const LAST_CHANGE_UP_TO: &str =
    "SELECT id, pet_id, changed_at FROM pet_changes WHERE id <= $1 ORDER BY id DESC LIMIT 1";
/// With the pets as they are now, of those changes that are named by the end of the statement.
macro_rules! changes {
    ($end:literal) => {
        concat!(
            "SELECT pets.id, pets.name, category_id, status, changed_at, changed_by, api_keys.name, pet_changes.id, \
             from_name, from_category_id, from_status, to_name, to_category_id, to_status \
             FROM pet_changes JOIN pets ON pets.id = pet_id LEFT JOIN api_keys ON api_keys.id = changed_by WHERE ",
            $end
        )
    };
}
pub const CHANGES_AFTER: &str = changes!("pet_changes.id > $1 ORDER BY pet_changes.id LIMIT $2");
/// The last ones first.
pub const CHANGES_OF_PET: &str = changes!("pet_id = $1 ORDER BY pet_changes.id DESC LIMIT $2");

/// A pet of the same transaction, not visible to others yet.
pub const TAKE_BACK: &str = "DELETE FROM pets WHERE id = $1";

/// However old it is: a key counts until it is forgotten.
pub const FIND_CREATION: &str =
    "SELECT fingerprint, pet_id FROM idempotency_keys WHERE api_key_id = $1 AND idempotency_key = $2";
pub const REMEMBER_CREATION: &str = "INSERT INTO idempotency_keys (api_key_id, idempotency_key, fingerprint, pet_id, created_at) \
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
/// The same by the server's clock: on PostgreSQL only.
pub const REMEMBER_CREATION_AT_SERVER: &str = "INSERT INTO idempotency_keys (api_key_id, idempotency_key, fingerprint, pet_id, created_at) \
     VALUES ($1, $2, $3, $4, CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT)) ON CONFLICT DO NOTHING";
pub const FORGET_CREATIONS: &str = "DELETE FROM idempotency_keys WHERE (api_key_id, idempotency_key) IN \
     (SELECT api_key_id, idempotency_key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)";

/// The same by the server's clock, since those of instances may differ: on PostgreSQL only. Older than so many seconds.
pub const FORGET_CREATIONS_AT_SERVER: &str = "DELETE FROM idempotency_keys WHERE (api_key_id, idempotency_key) IN \
     (SELECT api_key_id, idempotency_key FROM idempotency_keys \
     WHERE created_at <= CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT) - $1 ORDER BY created_at LIMIT $2)";

/// Whether pets may be added, without adding one; and a row that is never seen.
pub const MAY_ADD: &str = "INSERT INTO pets (name, category_id, status, created_at) SELECT '', 0, '', 0 WHERE 1 = 0";
pub const ADD_HEARTBEAT: &str = "INSERT INTO idempotency_keys (api_key_id, idempotency_key, fingerprint, pet_id, created_at) \
     VALUES ('', $1, $2, 0, 0)";
pub const END_HEARTBEAT: &str = "DELETE FROM idempotency_keys WHERE api_key_id = '' AND idempotency_key = $1";

pub const FIND_KEY: &str = "SELECT hash, scopes, expires_at, revoked_at, last_used_at FROM api_keys WHERE id = $1";
pub const LIST_KEYS: &str = "SELECT id, name, scopes, created_at, expires_at, last_used_at, revoked_at \
     FROM api_keys ORDER BY created_at, id";
pub const SHOW_KEY: &str =
    "SELECT id, name, scopes, created_at, expires_at, last_used_at, revoked_at FROM api_keys WHERE id = $1";
pub const ADD_KEY: &str =
    "INSERT INTO api_keys (id, hash, name, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)";
pub const ANY_KEY: &str = "SELECT id FROM api_keys ORDER BY id LIMIT 1";
pub const REVOKE_KEY: &str = "UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
pub const RENAME_KEY: &str = "UPDATE api_keys SET name = $1 WHERE id = $2 AND name <> $1";
pub const LIMIT_KEY: &str =
    "UPDATE api_keys SET expires_at = $1 WHERE id = $2 AND (expires_at IS NULL OR expires_at > $1)";
pub const USE_KEY: &str =
    "UPDATE api_keys SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)";
pub const ADD_KEY_EVENT: &str = "INSERT INTO key_events (at, action, api_key_id, actor) VALUES ($1, $2, $3, $4)";

pub const LAST_PET_UP_TO: &str = "SELECT id FROM pets WHERE id <= $1 ORDER BY id DESC LIMIT 1";

/// How a copy begins on PostgreSQL, at either end: it may be idle while the other end answers, and others only read what it
/// writes to.
pub const BEGIN_TO_READ: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0";
pub const BEGIN_TO_WRITE: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ; \
     SET LOCAL idle_in_transaction_session_timeout = 60000; \
     LOCK TABLE pets, pet_changes, api_keys, key_events, idempotency_keys IN EXCLUSIVE MODE";

/// Ids from where a copy ended: on PostgreSQL only.
pub const GO_ON_WITH_IDS: [&str; 3] = [
    "SELECT setval(pg_get_serial_sequence('pets', 'id'), id) FROM (SELECT id FROM pets ORDER BY id DESC LIMIT 1) AS last",
    "SELECT setval(pg_get_serial_sequence('pet_changes', 'id'), id) \
     FROM (SELECT id FROM pet_changes ORDER BY id DESC LIMIT 1) AS last",
    "SELECT setval(pg_get_serial_sequence('key_events', 'id'), id) \
     FROM (SELECT id FROM key_events ORDER BY id DESC LIMIT 1) AS last",
];

/// How a server commits, on PostgreSQL only. Without the first, what was acknowledged could be lost: `off` does not wait for
/// the disk, `local` not for a synchronous standby. What waits for less or more of a standby is left.
pub const COMMIT_DURABLY: &str = "SELECT set_config('synchronous_commit', 'on', false) \
     WHERE current_setting('synchronous_commit') IN ('off', 'local')";
pub const WEAK_COMMIT: &str = "SELECT current_setting('synchronous_commit') \
     WHERE current_setting('synchronous_commit') IN ('off', 'local')";
pub const OTHER_ENCODING: &str =
    "SELECT current_setting('server_encoding') WHERE current_setting('server_encoding') <> 'UTF8'";
pub const IS_REPLICATED: &str = "SELECT 1 WHERE current_setting('synchronous_standby_names') <> '' \
     OR current_setting('transaction_read_only') = 'on'";
pub const UNSAFE_SETTINGS: &str =
    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name";

/// Whether the server has got the settings that every connection asks for: a pooler ignores them, or refuses them.
pub const HAS_OPTIONS: &str = "SELECT 1 WHERE current_setting('plan_cache_mode') = 'force_generic_plan'";

/// Which migrations were run, and the lock of who runs them: on PostgreSQL only. The number is `petstore` in ASCII.
pub const VERSION: &str = "SELECT version FROM schema_versions ORDER BY version DESC LIMIT 1";
pub const MAKE_VERSIONS: &str = "CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY)";
pub const ADD_VERSION: &str = "INSERT INTO schema_versions (version) VALUES ($1) ON CONFLICT (version) DO NOTHING";
pub const MIGRATION_LOCK: &str = "SELECT pg_advisory_xact_lock(8099007544119226981)";

/// What the tables consist of: each column, trigger, rule, constraint and unique index, and how it is defined. On PostgreSQL
/// only.
pub const OBJECTS: &str = "WITH ours AS (SELECT oid, relname, relrowsecurity FROM pg_class WHERE oid IN \
     (to_regclass('pets'), to_regclass('pet_changes'), to_regclass('api_keys'), to_regclass('idempotency_keys'), to_regclass('key_events'), \
     to_regclass('pet_turn'))) \
     SELECT 'column ' || relname || '.' || attname, format_type(atttypid, atttypmod) \
     || CASE WHEN attnotnull THEN ' not null' ELSE '' END || CASE attidentity WHEN '' THEN '' ELSE ' identity' END \
     FROM ours JOIN pg_attribute ON attrelid = ours.oid WHERE attnum > 0 AND NOT attisdropped \
     UNION ALL SELECT 'trigger ' || tgname, '' FROM ours JOIN pg_trigger ON tgrelid = ours.oid WHERE NOT tgisinternal \
     UNION ALL SELECT 'rule ' || rulename, '' FROM ours JOIN pg_rewrite ON ev_class = ours.oid \
     UNION ALL SELECT 'constraint ' || conname, '' FROM ours JOIN pg_constraint ON conrelid = ours.oid WHERE contype <> 'n' \
     UNION ALL SELECT 'index ' || indexes.relname, '' FROM ours JOIN pg_index ON indrelid = ours.oid \
     JOIN pg_class AS indexes ON indexes.oid = indexrelid WHERE indisunique AND NOT indisprimary \
     UNION ALL SELECT 'row security of ' || relname, '' FROM ours WHERE relrowsecurity";

/// One value of a statement.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Key(KeyId),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    pub fn int(number: Option<i64>) -> Self {
        number.map_or(Self::Null, Self::Int)
    }

    pub fn text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => rusqlite::types::Null.into(),
            Self::Int(number) => (*number).into(),
            Self::Text(text) => (*text).into(),
            Self::Key(id) => id.as_str().into(),
            Self::Bytes(bytes) => (*bytes).into(),
        })
    }
}

#[cfg(test)]
mod tests {

    /// The text of every query, on one line and in capitals.
    fn queries() -> Vec<String> {
        let code = include_str!("sql.rs").split("#[cfg(test)]").next().unwrap();
        let texts: Vec<String> = code
            .split('"')
            .skip(1)
            .step_by(2)
            .map(|text| text.replace("\\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase())
            .collect();
        assert!(texts.len() > 30 && texts.iter().all(|text| text.contains(' ')), "{texts:?}");
        texts
    }

    fn migrations() -> impl Iterator<Item = String> {
        let code = |sql: &str| sql.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join(" ");
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/migrations/postgres")).unwrap();
        files.map(move |file| code(&std::fs::read_to_string(file.unwrap().path()).unwrap()).to_uppercase())
    }

    #[test]
    fn parameters_are_numbered_as_they_appear() {
        for query in queries() {
            let mut seen = 0;
            for number in query.split('$').skip(1).filter_map(|rest| rest.chars().next()?.to_digit(10)) {
                assert!(number <= seen + 1, "${number} comes too early: {query}");
                seen = seen.max(number);
            }
        }
    }

    #[test]
    fn rows_have_an_order_and_what_is_written_is_returned() {
        for sql in queries() {
            assert!(!sql.contains("LIMIT") || sql.contains("ORDER BY"), "any rows at all: {sql}");
            // What a common table expression writes is not seen; but what it returns is.
            assert!(!sql.contains(" AS (INSERT") || sql.contains("RETURNING ID)"), "{sql}");
        }
    }

    #[test]
    fn a_migration_is_one_statement_that_may_be_run_again() {
        for sql in migrations() {
            assert_eq!(sql.matches(';').count(), 1, "{sql}");
            assert!(sql.contains("IF NOT EXISTS"), "{sql}");
            assert!(
                ["CREATE TABLE", "CREATE INDEX", "ALTER TABLE PETS ADD COLUMN"]
                    .iter()
                    .any(|additive| sql.trim().starts_with(additive)),
                "{sql}"
            );
            let words = sql.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let types = ["INTEGER", "INT", "SMALLINT", "VARCHAR", "CHAR", "JSON", "JSONB", "UUID", "NUMERIC", "FLOAT"];
            assert!(words.clone().all(|word| !types.contains(&word)), "{sql}");
        }
    }
}
