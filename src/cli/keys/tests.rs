//! Tests of the commands on a real database.

use clap::Parser;

use super::*;

#[derive(Debug, Parser)]
struct Line {
    #[command(subcommand)]
    keys: KeysCommand,
}

struct Shop {
    url: String,
    _directory: tempfile::TempDir,
}

impl Shop {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { url: format!("sqlite:{}/store.db", directory.path().display()), _directory: directory }
    }

    /// What a command prints on stdout.
    async fn keys(&self, words: &[&str]) -> Result<String, Failed> {
        self.keys_and_notes(words).await.map(|(out, _)| out)
    }

    /// And on stderr.
    async fn keys_and_notes(&self, words: &[&str]) -> Result<(String, String), Failed> {
        let args = [&["keys", words[0], "--database", &self.url], &words[1..]].concat();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let env = Env::from_iter([("LOGNAME", "ada\x1b[2J")]);
        run(Line::try_parse_from(args).unwrap().keys, &env, &mut out, &mut err).await?;
        Ok((String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap()))
    }

    /// What was done to keys, each with the id and who did it.
    async fn log(&self) -> Vec<(String, String, String)> {
        let connection = rusqlite::Connection::open(self.url.strip_prefix("sqlite:").unwrap()).unwrap();
        let mut events =
            connection.prepare("SELECT action, api_key_id, actor FROM key_events ORDER BY at, id").unwrap();
        let events = events.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        events.unwrap().map(Result::unwrap).collect()
    }

    async fn accepts(&self, key: &str) -> bool {
        let store = Store::open(&self.url.parse().unwrap()).await.unwrap();
        store.verify_key(key.trim_end(), clock::now()).await.unwrap().is_some()
    }
}

fn id(key: &str) -> &str {
    &key["petk_".len()..][..8]
}

#[tokio::test]
async fn the_key_is_alone_on_its_line_and_opens_the_service() {
    let shop = Shop::new();
    let key = shop.keys(&["create", "--name", "till"]).await.unwrap();
    assert_eq!(key.lines().count(), 1);
    assert!(shop.accepts(&key).await);
}

#[tokio::test]
async fn a_key_is_listed_with_its_scopes_and_never_with_its_secret() {
    let shop = Shop::new();
    let key = shop.keys(&["create", "--name", "display", "--scopes", "read", "--expires", "90d"]).await.unwrap();
    let table = shop.keys(&["list"]).await.unwrap();
    let row: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(&row[..3], [id(&key), "active", "read"]);
    assert_eq!(row[row.len() - 2..], ["never", "display"]);
    let json: serde_json::Value = serde_json::from_str(&shop.keys(&["list", "-o", "json"]).await.unwrap()).unwrap();
    assert_eq!((&json[0]["id"], &json[0]["scopes"]), (&json!(id(&key)), &json!(["read"])));
    assert!(json[0]["expiresAt"].is_string() && json[0]["revokedAt"].is_null());
    assert!(!table.contains(key.trim_end()) && !json.to_string().contains(key.trim_end()));
}

#[tokio::test]
async fn only_creating_a_key_creates_a_database() {
    let shop = Shop::new();
    for words in [&["list"][..], &["revoke", "00000000"], &["rotate", "00000000"]] {
        let failed = shop.keys(words).await.unwrap_err();
        assert!(failed.exit == Exit::Failure && failed.what.starts_with("there is no database "), "{words:?}");
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_and_both_keys_work_during_the_overlap() {
    let shop = Shop::new();
    let old = shop.keys(&["create", "--name", "till"]).await.unwrap();
    let new = shop.keys(&["rotate", id(&old)]).await.unwrap();
    assert!(shop.accepts(&old).await && shop.accepts(&new).await);
    let newest = shop.keys(&["rotate", id(&new), "--overlap", "0s"]).await.unwrap();
    assert!(!shop.accepts(&new).await && shop.accepts(&newest).await);
    assert_eq!(shop.keys(&["revoke", id(&old)]).await.unwrap(), "");
    assert!(!shop.accepts(&old).await);
    for (words, hint) in
        [(["rotate", id(&old)], "petstore keys create"), (["revoke", "00000000"], "petstore keys list")]
    {
        let failed = shop.keys(&words).await.unwrap_err();
        assert!(failed.exit == Exit::NotFound && failed.what.starts_with("there is no "), "{failed}");
        assert!(failed.hint.as_ref().unwrap().contains(hint), "{failed}");
    }

    let log = shop.log().await;
    let done: Vec<_> = log.iter().map(|(action, key, _)| [action.as_str(), key]).collect();
    let expected = [
        ["created", id(&old)],
        ["rotated", id(&old)],
        ["created", id(&new)],
        ["rotated", id(&new)],
        ["created", id(&newest)],
        ["revoked", id(&old)],
    ];
    assert_eq!(done, expected);
    assert!(log.iter().all(|(_, _, actor)| actor.starts_with("ada⟨U+001B⟩[2J (uid ")), "{log:?}");
}

#[tokio::test]
async fn a_renamed_key_is_the_same_key_and_the_log_has_it() {
    let shop = Shop::new();
    let key = shop.keys(&["create", "--name", "till"]).await.unwrap();
    let (_, notes) = shop.keys_and_notes(&["rename", id(&key), "till 2"]).await.unwrap();
    assert_eq!(notes, format!("renamed key {} to till 2\n", id(&key)));
    assert!(shop.keys(&["list"]).await.unwrap().contains("till 2"));
    let (action, renamed, _) = &shop.log().await[1];
    assert_eq!((action.as_str(), renamed.as_str()), ("renamed", id(&key)));
    assert!(shop.accepts(&key).await);
    let failed = shop.keys(&["rename", "00000000", "x"]).await.unwrap_err();
    assert!(failed.exit == Exit::NotFound && failed.what == "there is no key 00000000", "{failed}");
    assert!(shop.keys(&["rename", id(&key), "\u{7}"]).await.is_err());
}

#[tokio::test]
async fn rotating_a_key_says_that_its_idempotency_keys_do_not_go_with_it() {
    let shop = Shop::new();
    let old = shop.keys(&["create", "--name", "till"]).await.unwrap();
    let (_, notes) = shop.keys_and_notes(&["rotate", id(&old)]).await.unwrap();
    assert!(
        notes.ends_with("should finish with the old key first: with the new one, its pet is added again\n"),
        "{notes}"
    );
}

#[test]
fn a_key_expires_after_a_span_or_on_a_date_in_the_future() {
    let now = Now { wall: "2026-05-01T12:00:00Z".parse().unwrap(), ..clock::now() };
    assert_eq!(end("36h", now).unwrap(), "2026-05-03T00:00:00Z".parse().unwrap());
    assert!(end("90d", now).unwrap() > end("2 months", now).unwrap());
    assert!(end("2026-06-30", now).is_ok());
    for bad in ["", "soon", "-1d", "0s", "2026-04-30", "9999999999d"] {
        let failed = end(bad, now).unwrap_err();
        assert!(failed.exit == Exit::Usage && failed.what.starts_with("--expires"), "{bad:?}");
    }
}

#[test]
fn wrong_scopes_and_ids_are_refused_with_the_rule() {
    let refusal = |words: &[&str]| {
        let args = [&["keys", words[0], "--database", "sqlite:x.db"], &words[1..]].concat();
        Line::try_parse_from(args).unwrap_err().to_string()
    };
    assert!(refusal(&["create", "--name", "x", "--scopes", "all"]).contains("read, write, audit and admin"));
    assert!(refusal(&["revoke", "tooshort!"]).contains("petstore keys list"));
}
