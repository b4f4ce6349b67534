//! Services of a test's own making, and answers for them.

use crate::prelude::*;

use std::ops::RangeInclusive;

use crate::stub::{self, Stub, client, serve};

/// A service made of one function, from the target and the shown entity tag to the answer, and what it was asked.
pub struct Scripted {
    stub: Stub,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub async fn new(answer: impl Fn(&str, Option<&str>) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (list, answer) = (Arc::clone(&asked), Arc::new(answer));
        let stub = serve(move |_, request, mut socket| {
            let target = request.split(' ').nth(1).unwrap().to_owned();
            let shown = stub::header(&request, "if-none-match").map(str::to_owned);
            list.lock()
                .unwrap()
                .push(format!("{target}{}", shown.as_deref().map(|e| format!(" {e}")).unwrap_or_default()));
            let bytes = answer(&target, shown.as_deref());
            async move {
                let _ = socket.write_all(&bytes).await;
            }
        })
        .await;
        Self { stub, asked }
    }

    pub fn client(&self) -> Client {
        client(&self.stub.base_url)
    }

    /// What came since the last time: each target, and the entity tag that was shown.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

/// An answer with these headers, each with its line end.
pub fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}").into_bytes()
}

/// A page of pets with these ids; `next` is its next link and `etag` its entity tag, or empty.
pub fn page(ids: RangeInclusive<i64>, next: &str, etag: &str) -> Vec<u8> {
    answer("200 OK", &headers(next, etag), &rows(ids))
}

pub fn not_modified(etag: &str) -> Vec<u8> {
    format!("HTTP/1.1 304 Not Modified\r\n{}connection: close\r\n\r\n", headers("", etag)).into_bytes()
}

pub fn refused(status: u16) -> Vec<u8> {
    answer(&format!("{status} X"), "", &format!(r#"{{"code":"x","message":"no","status":{status}}}"#))
}

pub fn rows(ids: RangeInclusive<i64>) -> String {
    let rows: Vec<_> = ids.map(|id| format!(r#"{{"id":{id},"name":"a","categoryId":1}}"#)).collect();
    format!("[{}]", rows.join(","))
}

fn headers(next: &str, etag: &str) -> String {
    let link = if next.is_empty() { String::new() } else { format!("link: <{next}>; rel=\"next\"\r\n") };
    let etag = if etag.is_empty() { String::new() } else { format!("etag: {etag}\r\n") };
    link + &etag
}
