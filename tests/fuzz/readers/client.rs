//! What services answer to the client.

use std::sync::Arc;

use parking_lot::Mutex;
use petstore::api::client::{Timeouts, install_tls_provider};
use petstore::api::follow::{EventPosition, Followed, Follower};
use petstore::api::{Client, Exchange, Failure};
use petstore::model::{AddedBy, ApiKey, IdempotencyKey, Pet, PetPatch, PetQuery};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use super::{contains, is_clean, runtime};

const KEY: &str = "petk_0123456789abcdef77d0";

/// A service that answers everything alike, and its client.
struct Stub {
    runtime: &'static Runtime,
    base: String,
    client: Client,
    answer: Arc<Mutex<Vec<u8>>>,
    recorded: Arc<Mutex<Vec<Exchange>>>,
}

thread_local! {
    static ANSWERS: Stub = Stub::start();
    static EVENTS: Stub = {
        let stub = Stub::start();
        *stub.answer.lock() = b"HTTP/1.1 200 OK\r\npets-events: x\r\ncontent-length: 2\r\n\r\n[]".to_vec();
        stub.runtime.block_on(stub.client.list_pets(&PetQuery::default())).unwrap();
        stub
    };
}

impl Stub {
    fn start() -> Self {
        install_tls_provider();
        let (runtime, answer, recorded) =
            (runtime(), <Arc<Mutex<Vec<u8>>>>::default(), <Arc<Mutex<Vec<_>>>>::default());
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let base = format!("http://{}/", listener.local_addr().unwrap());
        let answers = Arc::clone(&answer);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = answers.lock().clone();
                tokio::spawn(serve(stream, answer));
            }
        });
        let (key, recorder) = (ApiKey::new(KEY).unwrap(), Arc::clone(&recorded));
        let client = Client::new(format!("{base}v1").parse().unwrap(), Some(key), Timeouts::default()).unwrap();
        let client = client.recording(Arc::new(move |exchange| recorder.lock().push(exchange)));
        Self { runtime, base, client, answer, recorded }
    }
}

/// Reads a request, whose body is one packet with its head, answers it, and hangs up.
async fn serve(mut stream: TcpStream, answer: Vec<u8>) {
    let mut request = Vec::new();
    while !contains(&request, b"\r\n\r\n") {
        if stream.read_buf(&mut request).await.is_ok_and(|count| count == 0) {
            return;
        }
    }
    let _ = stream.write_all(&answer).await;
    let _ = stream.shutdown().await;
    let _ = stream.read_to_end(&mut request).await;
}

/// Its texts can be shown and are short, and the key is in none.
fn is_harmless(failure: &Failure) {
    let lines = failure.details("it");
    if let Failure::Refused { body: Some(body), .. } = failure {
        is_clean(body);
    }
    lines.iter().for_each(|line| is_clean(line));
    assert!(lines.iter().all(|line| line.len() < 4096) && !lines.concat().contains(KEY));
}

/// What is read of an answer is what it says, and leads to no other service; what cannot be read, and the record, can
/// be shown.
pub fn answer(bytes: &[u8]) {
    let text =
        bytes.utf8_chunks().map(|chunk| [chunk.valid().replace("KEY", KEY).as_bytes(), chunk.invalid()].concat());
    let bytes = text.collect::<Vec<_>>().concat();
    ANSWERS.with(|stub| {
        *stub.answer.lock() = bytes;
        let once = IdempotencyKey::try_from("once".to_owned()).unwrap();
        let client = &stub.client;
        let (listed, changed, history) = stub.runtime.block_on(async {
            let listed = client.list_pets(&PetQuery::default()).await;
            (listed, client.change_pet(7, &PetPatch::default(), &once).await, client.history(7).await)
        });
        for failure in [listed.as_ref().err(), changed.as_ref().err(), history.as_ref().err()].into_iter().flatten() {
            is_harmless(failure);
        }
        if let Ok(page) = listed {
            let again = serde_json::to_vec(&page.pets).unwrap();
            assert_eq!(serde_json::from_slice::<Vec<Pet>>(&again).unwrap(), page.pets);
            let next = page.next.map(|next| serde_json::to_value(next).unwrap());
            assert!(next.is_none_or(|next| next.as_str().unwrap().starts_with(&stub.base)));
        }
        assert!(changed.is_err() || changed.is_ok_and(|pet| pet.id == 7));
        for Exchange { answer, headers, failure, .. } in stub.recorded.lock().drain(..) {
            let headers = headers.iter().map(|(_, value)| value);
            for text in headers.chain(&failure).map(String::as_str).chain(answer.lines()) {
                is_clean(text);
                assert!(text.len() <= 2048 && !text.contains(KEY));
            }
        }
    });
}

/// The body of a list, a pet or a history; and that of an error.
pub fn json(bytes: &[u8]) {
    for status in ["200 OK", "409 Conflict"] {
        answer(&[format!("HTTP/1.1 {status}\r\n\r\n").as_bytes(), bytes].concat());
    }
}

/// Pets are added in the order of their ids, nothing before the position is told again, and it does not matter in which
/// pieces the events come.
pub fn events(bytes: &[u8]) {
    // Beyond its limit an event may be refused early or late.
    let bytes = &bytes[..bytes.len().min(8 << 10)];
    EVENTS.with(|stub| {
        let whole = followed(stub, bytes, bytes.len().max(1));
        assert_eq!(followed(stub, bytes, 1), whole);
        stub.recorded.lock().clear();
    });
}

fn followed(stub: &Stub, bytes: &[u8], size: usize) -> Vec<Followed> {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let chunk = |part: &[u8]| [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
    let body = bytes.chunks(size).flat_map(chunk).chain(*b"0\r\n\r\n");
    *stub.answer.lock() = head.into_iter().chain(body).collect();
    stub.runtime.block_on(async {
        let start = Some(EventPosition::after(3));
        let (mut follower, mut all) = (Follower::new(&stub.client, start, None).unwrap().unwrap(), Vec::new());
        loop {
            let before = follower.position().unwrap().pet;
            let followed = follower.next().await.unwrap_or_else(|failure| Followed::Lost(Some(failure)));
            let after = follower.position().unwrap().pet;
            let is_short = |by: &AddedBy| by.key.len() <= 255 && by.name.as_ref().is_none_or(|name| name.len() <= 255);
            assert!(after >= before || matches!(followed, Followed::PetsLost(_)));
            match &followed {
                Followed::Added(added) => {
                    let by = added.iter().filter_map(|added| added.provenance.as_ref()?.added_by.as_ref());
                    assert!(
                        added.iter().all(|added| added.pet.id > before && added.pet.id == after)
                            && by.clone().all(is_short)
                    );
                }
                Followed::Changed(changed) => assert!(changed.iter().flat_map(|one| &one.changed_by).all(is_short)),
                Followed::PetsLost(pet) => assert_eq!(*pet, after),
                Followed::Connected(..) => assert!(!all.iter().any(|one| matches!(one, Followed::Connected(..)))),
                Followed::Lost(failure) => failure.iter().for_each(is_harmless),
            }
            all.push(followed);
            if let Some(Followed::Lost(_)) = all.last() {
                return all;
            }
        }
    })
}
