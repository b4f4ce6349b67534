//! What may happen between an instance and its database server: a proxy that forwards until it is told otherwise.

use std::io::ErrorKind;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Whole,
    /// Nothing more comes from the server.
    Frozen,
    /// What asks for this reaches the server, and is carried out; its answer is lost with the connection.
    LosesAnswerTo(&'static str),
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
                let server = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], server))).await.unwrap();
                tokio::spawn(forward(client, server, now.clone()));
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
    let (lost, is_lost) = watch::channel(false);
    let requests = requests(from_client, to_server, line.clone(), lost);
    let answers = answers(from_server, to_client, line, is_lost);
    tokio::select! {
        _ = requests => {}
        _ = answers => {}
    }
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    line: watch::Receiver<Line>,
    lost: watch::Sender<bool>,
) -> std::io::Result<()> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 {
            return Ok(());
        }
        if let Line::LosesAnswerTo(what) = *line.borrow()
            && bytes[..read].windows(what.len()).any(|part| part == what.as_bytes())
        {
            lost.send_replace(true);
        }
        to.write_all(&bytes[..read]).await?;
    }
}

async fn answers(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
    is_lost: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let mut bytes = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 || *is_lost.borrow() {
            return Ok(());
        }
        line.wait_for(|line| *line != Line::Frozen).await.map_err(|_| ErrorKind::BrokenPipe)?;
        to.write_all(&bytes[..read]).await?;
    }
}
