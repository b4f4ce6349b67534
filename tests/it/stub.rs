//! Services that misbehave: raw sockets on loopback that send exactly what a test wants.

use crate::prelude::*;

use std::future::Future;

/// A service made of one function: what to do with each connection, once its first request has been read.
pub struct Stub {
    pub base_url: String,
    requests: Arc<AtomicUsize>,
}

impl Stub {
    /// How many requests have come.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// A client of this stub that is not patient.
    pub fn client(&self) -> Client {
        client(&self.base_url)
    }
}

/// Time limits that a test can wait for.
pub fn impatient() -> Timeouts {
    let limit = Duration::from_millis(300);
    Timeouts { connect: limit, read: limit, total: Duration::from_millis(600), ..Timeouts::default() }
}

pub fn client(base_url: &str) -> Client {
    install_tls_provider();
    let key = ApiKey::new("petk_0123456789abcdef77d0").unwrap();
    Client::new(base_url.parse().unwrap(), Some(key), impatient()).unwrap()
}

/// Serves each connection with `answer(number, request, socket)`; numbers count from 0.
pub async fn serve<F, Fut>(answer: F) -> Stub
where
    F: Fn(usize, String, TcpStream) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let (counter, answer) = (Arc::clone(&requests), Arc::new(answer));
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let (answer, counter) = (Arc::clone(&answer), Arc::clone(&counter));
            tokio::spawn(async move {
                if let Some(request) = read_request(&mut socket).await {
                    let number = counter.fetch_add(1, Ordering::SeqCst);
                    answer(number, request, socket).await;
                }
            });
        }
    });
    Stub { base_url, requests }
}

/// Sends these bytes to every request, then closes.
pub async fn always(bytes: impl Into<Vec<u8>>) -> Stub {
    let bytes = Arc::new(bytes.into());
    serve(move |_, _, mut socket| {
        let bytes = Arc::clone(&bytes);
        async move {
            let _ = socket.write_all(&bytes).await;
            let _ = socket.shutdown().await;
        }
    })
    .await
}

/// A whole answer with a JSON body.
pub fn json(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

/// Passes requests on to the service at `address` and its answers back, but loses the answers to the first `lost`
/// creations or changes: they are carried out, and the connection is cut.
pub async fn losing_answers(address: SocketAddr, lost: usize) -> Stub {
    let writes = Arc::new(AtomicUsize::new(0));
    serve(move |_, request, mut socket| {
        let writes = Arc::clone(&writes);
        async move {
            let mut service = TcpStream::connect(address).await.unwrap();
            service.write_all(request.as_bytes()).await.unwrap();
            let answer = read_request(&mut service).await.unwrap();
            let is_write = request.starts_with("POST") || request.starts_with("PATCH");
            let is_lost = is_write && writes.fetch_add(1, Ordering::SeqCst) < lost;
            if !is_lost {
                let _ = socket.write_all(answer.as_bytes()).await;
            }
        }
    })
    .await
}

/// Passes requests on to the service at `address` and its answers back, as if its clock said `date`.
pub async fn answering_at(address: SocketAddr, date: &'static str) -> Stub {
    serve(move |_, request, mut socket| async move {
        let mut service = TcpStream::connect(address).await.unwrap();
        service.write_all(request.as_bytes()).await.unwrap();
        let answer = read_request(&mut service).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let dated = head.lines().map(|line| match line.starts_with("date:") {
            true => format!("date: {date}\r\n"),
            false => format!("{line}\r\n"),
        });
        let _ = socket.write_all(format!("{}\r\n{body}", dated.collect::<String>()).as_bytes()).await;
    })
    .await
}

/// The value of a header of a request; the name in small letters.
pub fn header<'a>(request: &'a str, name: &str) -> Option<&'a str> {
    request.lines().filter_map(|line| line.split_once(": ")).find(|(found, _)| *found == name).map(|(_, value)| value)
}

/// Headers and, where a length is given, the body.
pub async fn read_request(socket: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    loop {
        if let Some(end) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&request[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if request.len() >= end + 4 + length.unwrap_or(0) {
                return Some(String::from_utf8_lossy(&request).into_owned());
            }
        }
        let mut more = [0; 4096];
        match socket.read(&mut more).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => request.extend_from_slice(&more[..count]),
        }
    }
}
