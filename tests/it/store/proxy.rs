//! What may happen between an instance and its database server: a proxy that forwards until it is told otherwise.

use crate::prelude::*;

use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Whole,
    /// Nothing more comes from the server.
    Frozen,
    /// Nothing gets through in either direction, as in a network that is cut.
    Cut,
    /// Whoever is connected loses the connection, and so does everybody who connects.
    Refused,
    /// What asks for this, a statement or its beginning, reaches the server and is carried out; the connection is lost
    /// when the server says so.
    LosesAnswerTo(&'static str),
    /// What asks for this reaches the server, and all that follows, up to the commit; the answers from there on are lost.
    LosesAnswersFrom(&'static str),
}

pub struct Proxy {
    pub port: u16,
    line: watch::Sender<Line>,
}

impl Proxy {
    pub async fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (line, now) = watch::channel(Line::Whole);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let now = now.clone();
                tokio::spawn(async move {
                    // Where there is no server, the client loses its connection as well.
                    if let Ok(server) = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], server))).await {
                        forward(client, server, now).await;
                    }
                });
            }
        });
        Self { port, line }
    }

    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

async fn forward(client: TcpStream, server: TcpStream, line: watch::Receiver<Line>) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let (lose, lost) = watch::channel(None);
    let requests = requests(from_client, to_server, line.clone(), lose);
    let answers = answers(from_server, to_client, line.clone(), lost);
    let mut refused = line;
    tokio::select! {
        _ = refused.wait_for(|line| *line == Line::Refused) => {}
        _ = requests => {}
        _ = answers => {}
    }
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
    lost: watch::Sender<Option<&'static str>>,
) -> io::Result<()> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 {
            return Ok(());
        }
        let what = match *line.borrow() {
            // The server's word is the first one of the statement.
            Line::LosesAnswerTo(what) => Some((what, what.split(' ').next())),
            Line::LosesAnswersFrom(what) => Some((what, Some("COMMIT"))),
            _ => None,
        };
        if let Some((what, word)) = what
            && contains(&bytes[..read], what)
        {
            lost.send_replace(word);
        }
        line.wait_for(|line| *line != Line::Cut).await.map_err(|_| ErrorKind::BrokenPipe)?;
        to.write_all(&bytes[..read]).await?;
    }
}

async fn answers(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
    lost: watch::Receiver<Option<&'static str>>,
) -> io::Result<()> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 {
            return Ok(());
        }
        if let Some(word) = *lost.borrow() {
            if contains(&bytes[..read], word) {
                return Ok(());
            }
            continue;
        }
        line.wait_for(|line| !matches!(line, Line::Frozen | Line::Cut)).await.map_err(|_| ErrorKind::BrokenPipe)?;
        to.write_all(&bytes[..read]).await?;
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}
