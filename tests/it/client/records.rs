//! The records of exchanges: what they hold, and what they must never hold.

use crate::prelude::*;

use petstore::api::exchange::Exchange;
use petstore::api::inventory::in_parts;
use petstore::model::BaseUrl;
use tokio::sync::Notify;

use super::scripted::answer;
use super::{key, rex};
use crate::stub::{Stub, always, client, json, serve};

const KEY: &str = "petk_0123456789abcdef77d0";

type Records = Arc<Mutex<Vec<Exchange>>>;

fn recorded(client: Client) -> (Client, Records) {
    let records = Records::default();
    let list = Arc::clone(&records);
    (client.recording(Arc::new(move |exchange| list.lock().unwrap().push(exchange))), records)
}

/// The one record, without its times, which no test knows.
fn only(records: &Records) -> Exchange {
    let mut records = records.lock().unwrap();
    assert_eq!(records.len(), 1, "{records:?}");
    let record = records.remove(0);
    assert!(record.first_byte <= record.took && record.took < Duration::from_secs(60), "{record:?}");
    Exchange { at: Default::default(), first_byte: Duration::ZERO, took: Duration::ZERO, ..record }
}

async fn list_of(stub: &Stub) -> (Result<(), Failure>, Exchange) {
    let (client, records) = recorded(stub.client());
    let result = client.list_pets(&PetQuery::default()).await.map(drop);
    (result, only(&records))
}

#[tokio::test]
async fn a_creation_and_its_answer_are_recorded() {
    let body = "{\"id\":7,\n \"name\":\"Rex\",\n \"categoryId\":3}";
    let headers = "Content-Type: application/json\r\nX-Request-Id: 7f3a91\r\nSet-Cookie: a=b\r\nServer: x\r\n";
    let stub = always(answer("201 Created", headers, body)).await;
    let (client, records) = recorded(stub.client());
    client.called("add Rex").create_pet(&rex(), &key()).await.unwrap();
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        only(&records),
        Exchange {
            what: "add Rex",
            method: "POST".to_owned(),
            path_and_query: "/v1/pets".to_owned(),
            sent: r#"{"name":"Rex","categoryId":3}"#.to_owned(),
            status: Some(201),
            answer: body.to_owned(),
            headers: vec![header("content-type", "application/json"), header("x-request-id", "7f3a91")],
            key_ending: Some("77d0".to_owned()),
            size: body.len(),
            ..Exchange::default()
        }
    );
}

#[tokio::test]
async fn a_refusal_and_a_body_of_another_shape_are_answers_too() {
    for (status, body) in [("401 Unauthorized", "no"), ("200 OK", "<html>")] {
        let (result, record) = list_of(&always(json(status, body)).await).await;
        assert!(result.is_err());
        assert_eq!((record.what, record.answer.as_str(), record.failure), ("request", body, None));
        assert_eq!(record.status, status[..3].parse().ok());
    }
}

#[tokio::test]
async fn why_no_answer_came_is_recorded() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let (client, records) = recorded(client(&base));
    client.list_pets(&PetQuery::default()).await.unwrap_err();
    let record = only(&records);
    assert_eq!(record.status, None);
    let failure = record.failure.unwrap();
    assert!(failure.starts_with("no connection (Connection refused"), "{failure}");

    let (_, record) = list_of(&always("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[]").await).await;
    assert_eq!((record.status, record.answer.as_str()), (Some(200), ""));
    assert!(record.failure.unwrap().starts_with("the connection broke ("));
}

#[tokio::test]
async fn a_request_that_nobody_waits_for_any_more_is_recorded_as_cancelled() {
    for begins in ["", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n["] {
        let arrived = Arc::new(Notify::new());
        let notify = Arc::clone(&arrived);
        let stub = serve(move |_, _, mut socket| {
            let notify = Arc::clone(&notify);
            async move {
                let _ = socket.write_all(begins.as_bytes()).await;
                notify.notify_one();
                std::future::pending::<()>().await;
            }
        })
        .await;
        let (client, records) = recorded(stub.client().called("refresh"));
        {
            let query = PetQuery::default();
            let asking = client.list_pets(&query);
            tokio::select! {
                _ = asking => panic!("there is no answer"),
                () = arrived.notified() => {}
            }
        }
        let record = only(&records);
        assert_eq!((record.what, record.failure.as_deref()), ("refresh", Some("cancelled")));
    }
}

#[tokio::test]
async fn the_key_is_never_recorded_wherever_the_service_puts_it() {
    let echo = serve(|_, request, mut socket| async move {
        let link = format!("link: </v1/pets?limit={KEY}&after=1>; rel=\"next\"\r\netag: \"{KEY}\"\r\n");
        let name = serde_json::to_string(&request).unwrap();
        let body = format!(r#"[{{"id":1,"name":{name},"categoryId":1}}]"#);
        let _ = socket.write_all(&answer("200 OK", &link, &body)).await;
    })
    .await;
    let (client, records) = recorded(echo.client());
    let pets = Mutex::new(Vec::new());
    let take = |part: Vec<Pet>| {
        pets.lock().unwrap().extend(part);
        std::future::ready(())
    };
    in_parts(&client, PetQuery::default(), 100, take).await.unwrap_err();
    assert!(pets.lock().unwrap()[0].name.contains(KEY), "it was sent");
    let new = NewPet { name: KEY.into(), ..rex() };
    client.create_pet(&new, &key()).await.unwrap_err();
    let records = records.lock().unwrap();
    assert_eq!(records.len(), 3);
    for record in &*records {
        let all = format!("{record:?} {}", record.as_curl(&echo.base_url.parse().unwrap()));
        assert!(!all.contains("petk_0123") && !all.contains("abcdef"), "{all}");
    }
    assert!(records[0].answer.contains("Bearer ....77d0"), "{}", records[0].answer);
    assert_eq!(records[0].headers[1], ("etag".to_owned(), "\"....77d0\"".to_owned()));
    assert_eq!(records[1].path_and_query, "/v1/pets?limit=....77d0&after=1");
    assert_eq!(records[2].sent, r#"{"name":"....77d0","categoryId":3}"#);
}

#[tokio::test]
async fn what_a_service_sends_is_bounded_and_safe_to_show() {
    let many = "link: \u{202e}x\r\n".repeat(50) + &format!("etag: {}\r\n", "x".repeat(4000));
    let stub = always(answer("200 OK", &many, &"\x1b[2J".repeat(10_000))).await;
    let (_, record) = list_of(&stub).await;
    assert_eq!(record.size, 40_000);
    assert!(record.answer.starts_with("⟨U+001B⟩[2J") && record.answer.ends_with(".."), "{}", record.answer);
    let headers: usize = record.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    assert!(record.answer.len() + headers < 4096, "{record:?}");
    assert!(record.headers.contains(&("link".to_owned(), "⟨U+202E⟩x".to_owned())), "{record:?}");
}

/// The words that a shell makes of a command for curl.
fn words(command: &str) -> Vec<String> {
    let script = format!("curl() {{ printf '%s\\n' \"$@\"; }}\n{command}");
    let output = Command::new("sh").args(["-c", &script]).env("PETSTORE_API_KEY", "the-key").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_command_of_a_record_asks_the_same() {
    let stub = always(json("200 OK", "[]")).await;
    let (client, records) = recorded(stub.client());
    client.list_pets(&PetQuery { status: Some(PetStatus::Sold), ..PetQuery::default() }).await.unwrap();
    let base: BaseUrl = "https://api.example.com/v1".parse().unwrap();
    let bearer = "Authorization: Bearer the-key";
    let address = "https://api.example.com/v1/pets?limit=20&status=sold";
    assert_eq!(words(&only(&records).as_curl(&base)), ["-sSg", "-H", bearer, address]);

    let hostile = NewPet { name: "o'Neil $(id) `id` \"; é\u{200b}".into(), category_id: 3, status: None };
    client.create_pet(&hostile, &key()).await.unwrap_err();
    let words = words(&only(&records).as_curl(&base));
    let (data, rest) = (&words[6], [&words[..6], &words[7..]].concat());
    let address = "https://api.example.com/v1/pets";
    assert_eq!(rest, ["-sSg", "-H", bearer, "-H", "Content-Type: application/json", "--data-raw", address]);
    let sent: Value = serde_json::from_str(data).unwrap();
    assert_eq!(sent, serde_json::to_value(&hostile).unwrap());
}
