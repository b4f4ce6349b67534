//! Out of one store and into another.

use crate::prelude::*;

use petstore::api::inventory::{Coverage, Selection};
use petstore::model::export::Kind;
use petstore::transfer::export::{ExportOptions, export, to_file};
use petstore::transfer::import::{self, ImportControl, ImportProgress, ImportRun, Start, Work};
use petstore::transfer::journal::Target;
use petstore::transfer::{ColumnMapping, Input, TransferError};

use crate::client::scripted::{Scripted, page, refused};
use crate::service::fixture::Service;

async fn service() -> (Service, Client) {
    let service = Service::start().await;
    let client = service.client();
    (service, client)
}

fn how(kind: Kind) -> ExportOptions {
    ExportOptions { kind, raw: false, wanted: Selection::default(), require_complete: false, columns: Vec::new() }
}

async fn exported(client: &Client, how: ExportOptions) -> Result<(String, Option<Coverage>), TransferError> {
    let count = watch::Sender::new(0);
    let (out, ended) = export(client, how, Vec::new(), count, &CancellationToken::new()).await?;
    Ok((String::from_utf8(out).unwrap(), ended))
}

#[tokio::test]
async fn another_store_gets_the_same_pets() {
    let (one, client) = service().await;
    let names =
        [" Rex ", "\"Q\", x", "=1+1", "'=1", "''@x", "'Rex", "-", "👨‍👩‍👧 ❤️", "ポチ; \u{301}", "a\u{a0}", "@SUM(1)", ","];
    for (place, name) in names.iter().enumerate() {
        let status = ["available", "pending", "sold"][place % 3];
        let category = [i64::MIN, i64::MAX, 3][place % 3];
        let body = serde_json::json!({ "name": name, "categoryId": category, "status": status });
        assert_eq!(one.post(body.to_string()).await.status, 201, "{name}");
    }
    for kind in [Kind::Csv, Kind::Tsv, Kind::Json, Kind::Ndjson] {
        let (text, ended) = exported(&client, how(kind)).await.unwrap();
        assert!(ended.unwrap().complete);
        let (other, other_client) = service().await;
        let input = Input::stream("a", io::Cursor::new(text.clone())).unwrap();
        let target = Target { service: String::new(), key: String::new() };
        let how = import::ImportOptions { concurrency: 1, ..import::ImportOptions::default() };
        let (reading, start) = (ColumnMapping::default(), Start::New);
        let run = ImportRun { reading, counts: None, start, report: None, how };
        let ready = Work::start(run, input, &target).unwrap();
        let wires = (
            Arc::new(|_| ()) as import::OnImportedRow,
            watch::Sender::new(ImportProgress::default()),
            watch::channel(ImportControl::Go).1,
        );
        let summary = import::run(&other_client, ready, wires).await.unwrap();
        assert_eq!(summary.progress.added, names.len() as u64, "{text}");
        for id in 1..=names.len() as i64 {
            assert_eq!(other.store.get(id).await.unwrap(), one.store.get(id).await.unwrap(), "{kind:?}");
        }
    }
    let (text, _) = exported(&client, how(Kind::Json)).await.unwrap();
    assert_eq!(serde_json::from_str::<Vec<Pet>>(&text).unwrap().len(), names.len());
}

#[tokio::test]
async fn every_format_is_whole_also_without_pets() {
    let (_service, client) = service().await;
    for (kind, text) in [
        (Kind::Csv, "id,name,categoryId,status\n"),
        (Kind::Tsv, "id\tname\tcategoryId\tstatus\n"),
        (Kind::Json, "[\n]\n"),
        (Kind::Ndjson, ""),
    ] {
        assert_eq!(exported(&client, how(kind)).await.unwrap().0, text);
    }
}

#[tokio::test]
async fn a_file_is_there_only_when_it_is_whole() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pets.ndjson");
    let files = || fs::read_dir(directory.path()).unwrap().count();
    let to_path = async |client: &Client, how: ExportOptions, replace: bool| {
        to_file(client, how, (&path, replace), watch::Sender::new(0), &CancellationToken::new()).await
    };
    let breaks = Scripted::new(|target, _| match target {
        "/v1/pets?limit=100" => page(1..=100, "/v1/pets?b", ""),
        _ => refused(401),
    })
    .await;
    assert!(matches!(to_path(&breaks.client(), how(Kind::Ndjson), false).await, Err(TransferError::Api(_))));
    assert_eq!(files(), 0);
    let full = Scripted::new(|_, _| page(1..=100, "", "")).await;
    let whole = ExportOptions { require_complete: true, ..how(Kind::Ndjson) };
    assert!(matches!(to_path(&full.client(), whole.clone(), false).await, Ok(Some(coverage)) if !coverage.complete));
    assert_eq!(files(), 0);
    let stopped = CancellationToken::new();
    stopped.cancel();
    let endless = Scripted::new(|_, _| page(1..=100, "/v1/pets?a", "")).await;
    let ended = to_file(&endless.client(), whole, (&path, false), watch::Sender::new(0), &stopped).await;
    assert!(matches!(ended, Ok(None) | Err(TransferError::Api(_))), "{ended:?}");
    assert_eq!(files(), 0);
    assert!(matches!(to_path(&full.client(), how(Kind::Ndjson), false).await, Ok(Some(_))));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 100);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(matches!(to_path(&full.client(), how(Kind::Json), false).await, Err(TransferError::Exists(_))));
    assert!(matches!(to_path(&full.client(), how(Kind::Json), true).await, Ok(Some(_))));
    assert_eq!((files(), fs::read_to_string(&path).unwrap().lines().count()), (1, 102));
}
