//! A service on a free port, and the plainest client there is: it sends just the bytes that a test wants.

use crate::prelude::*;

use petstore::server::ServerHandle;

use super::contract;

pub const JSON: (&str, &str) = ("Content-Type", "application/json");

pub struct Service {
    pub directory: TempDir,
    pub store: Store,
    pub server: ServerHandle,
    key: SecretString,
}

impl Service {
    pub async fn start() -> Self {
        Self::with(Self::config()).await
    }

    /// The default one, but that nobody is slowed for sending wrong keys, as many tests do.
    pub fn config() -> Config {
        Config { failed_authentications: None, ..Config::default() }
    }

    pub async fn with(config: Config) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&DatabaseUrl::Sqlite(directory.path().join("store.db"))).await.unwrap();
        let key = store.session_key().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = server::start(config, store.clone(), vec![listener]).unwrap();
        Self { directory, store, server, key }
    }

    pub fn file(&self) -> PathBuf {
        self.directory.path().join("store.db")
    }

    pub fn key(&self) -> &str {
        self.key.expose_secret()
    }

    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.key())
    }

    /// What another process does that keeps the database from being written, until it rolls back or ends.
    pub fn locked(&self) -> rusqlite::Connection {
        let other_process = rusqlite::Connection::open(self.file()).unwrap();
        other_process.execute_batch("BEGIN IMMEDIATE").unwrap();
        other_process
    }

    /// A client of it, with the key.
    pub fn client(&self) -> Client {
        install_tls_provider();
        let key = Some(ApiKey::new(self.key()).unwrap());
        Client::new(self.server.base_url().parse().unwrap(), key, Timeouts::default()).unwrap()
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.server.local_addr()).await.unwrap()
    }

    /// A further key, stored in the database.
    pub async fn new_key(&self, scopes: &str) -> (KeyId, String) {
        let new = NewKey { name: "test".into(), scopes: scopes.parse().unwrap(), expires_at: None };
        let (id, key) = self.store.create_key(new, "test", clock::now()).await.unwrap();
        (id, key.expose_secret().to_owned())
    }

    /// Any request with another key.
    pub async fn call_as(&self, key: &str, method: &str, target: &str, body: &str) -> Answer {
        self.send(method, target, &[("Authorization", &format!("Bearer {key}")), JSON], body).await
    }

    /// A connection on which a POST has begun: the service waits for its body.
    pub async fn half_sent(&self, key: &str) -> TcpStream {
        let bearer = format!("Bearer {key}");
        let headers = [("Authorization", &*bearer), JSON, ("Content-Length", "29"), ("Expect", "100-continue")];
        let mut stream = self.connect().await;
        stream.write_all(format!("{}\r\n", head("POST", "/v1/pets", &headers)).as_bytes()).await.unwrap();
        let mut go_on = [0; 25];
        stream.read_exact(&mut go_on).await.unwrap();
        assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream
    }

    /// Asks without a key until that is slowed, which takes two requests where no second passes between them.
    pub async fn slowed(&self, method: &str, target: &str) -> Answer {
        loop {
            let answer = self.send(method, target, &[], "").await;
            if answer.status != 401 {
                return answer;
            }
        }
    }

    /// POST of a JSON body to /v1/pets with an Idempotency-Key.
    pub async fn post_once(&self, key: &str, body: &str) -> Answer {
        self.call("POST", "/v1/pets", &[JSON, ("Idempotency-Key", key)], body).await
    }

    /// GET with the key.
    pub async fn get(&self, target: &str) -> Answer {
        self.call("GET", target, &[], "").await
    }

    /// POST of a JSON body to /v1/pets with the key.
    pub async fn post(&self, body: impl AsRef<[u8]>) -> Answer {
        self.call("POST", "/v1/pets", &[JSON], body).await
    }

    /// Any request with the key.
    pub async fn call(&self, method: &str, target: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Answer {
        let bearer = self.bearer();
        let headers = [&[("Authorization", bearer.as_str())], headers].concat();
        self.send(method, target, &headers, body).await
    }

    /// Any request with just these headers, `Host`, `Connection: close`, and the length of the body if it has one. The
    /// answer is as described.
    pub async fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Answer {
        let answer = self.exchange(method, target, headers, body).await;
        contract::check(method, target, &answer);
        answer
    }

    /// As `send`, without looking at the answer.
    pub async fn exchange(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Answer {
        exchange_at(self.server.local_addr(), method, target, headers, body.as_ref()).await
    }
}

/// One request on a connection of its own.
pub async fn exchange_at(
    address: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut head = head(method, target, headers);
    if !body.is_empty() {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    // The service may answer and close before it has read the whole body.
    let _ = stream.write_all(body).await;
    read_answer(&mut stream).await
}

/// Asks until it is so, which it must be within ten seconds.
pub async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let asking = async {
        while !is_so().await {
            yield_now().await;
        }
    };
    timeout(Duration::from_secs(60), asking).await.expect("it should have become so");
}

/// Request line and headers, without the blank line that ends them.
pub fn head(method: &str, target: &str, headers: &[(&str, &str)]) -> String {
    let mut head = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}

/// Everything until the service closes.
pub async fn read_answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes).await {
        Ok(_) => {}
        // It closed while we were still sending; what it had said before is here.
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}"),
    }
    Answer::parse(&bytes)
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole head");
        let head = str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        };
        Self { status, headers: lines.map(header).collect(), body: bytes[end + 4..].to_vec() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).unwrap()
    }

    /// That it refuses with this status and code, in an Error body of three members, and the pet where that has changed.
    #[track_caller]
    pub fn is_error(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["status"], status, "{body}");
        assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()), "{body}");
        let members = if code == "changed" { 4 } else { 3 };
        assert_eq!(body.as_object().unwrap().len(), members, "{body}");
    }
}
