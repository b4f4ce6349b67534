//! A client of a stream of events: plain enough to be slow, to stop reading, and to see the bytes.

use crate::prelude::*;

use std::mem;

use tokio::io::{AsyncBufReadExt, BufReader};

use crate::service::fixture::head;

/// An open stream.
pub struct Events {
    stream: BufReader<TcpStream>,
    /// The status line and the headers, in lower case.
    pub head: String,
    /// What has come, and how much of it was asked for.
    text: String,
    asked: usize,
    /// The last position that the service has named.
    pub last: Option<PetId>,
}

/// One block of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    pub comment: Option<String>,
    pub event: Option<String>,
    /// The pet of the position.
    pub id: Option<PetId>,
    pub raw_id: Option<String>,
    pub data: Option<String>,
}

impl Block {
    /// The last pet, where pets were lost.
    pub fn lost(&self) -> Option<PetId> {
        self.id.filter(|_| self.event.as_deref() == Some("pets.lost"))
    }

    pub fn pet(&self) -> Option<Pet> {
        if self.lost().is_some() {
            return None;
        }
        assert_eq!(self.event.as_deref(), self.data.as_ref().map(|_| "pet.added"), "{self:?}");
        let pet: Pet = serde_json::from_str(self.data.as_ref()?).unwrap();
        assert_eq!(Some(pet.id), self.id);
        Some(pet)
    }
}

impl Events {
    pub async fn open(address: SocketAddr, key: &str, target: &str, headers: &[(&str, &str)]) -> Self {
        Self::try_open(address, key, target, headers).await.unwrap()
    }

    /// Nothing where there is no whole head of an answer.
    pub async fn try_open(address: SocketAddr, key: &str, target: &str, headers: &[(&str, &str)]) -> Option<Self> {
        Self::over(TcpStream::connect(address).await.ok()?, key, target, headers).await
    }

    /// As `try_open`, over a connection that is there.
    pub async fn over(mut stream: TcpStream, key: &str, target: &str, headers: &[(&str, &str)]) -> Option<Self> {
        let bearer = format!("Bearer {key}");
        let headers = [&[("Authorization", bearer.as_str())], headers].concat();
        stream.write_all(format!("{}\r\n", head("GET", target, &headers)).as_bytes()).await.ok()?;
        let (mut stream, mut head) = (BufReader::new(stream), String::new());
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await.ok()? == 0 {
                return None;
            }
        }
        Some(Self { stream, head: head.to_ascii_lowercase(), text: String::new(), asked: 0, last: None })
    }

    pub fn is_ok(&self) -> bool {
        self.head.starts_with("http/1.1 200")
    }

    /// The next block; nothing at the end.
    pub async fn block(&mut self) -> Option<Block> {
        let end = loop {
            match self.text[self.asked..].find("\n\n") {
                Some(length) => break self.asked + length,
                None => self.chunk().await?,
            }
        };
        let block = &self.text[self.asked..end];
        self.asked = end + 2;
        let mut read = Block::default();
        for line in block.lines() {
            let (name, value) = line.split_once(':').unwrap();
            let value = value.trim_start().to_owned();
            match name {
                "" => read.comment = Some(value),
                "event" => read.event = Some(value),
                "id" => {
                    let pet = value.split('.').next().unwrap();
                    read.id = Some(pet.parse().unwrap());
                    read.raw_id = Some(value);
                }
                "data" => read.data = Some(value),
                "retry" => {}
                other => panic!("{other}: {block}"),
            }
        }
        self.last = read.id.or(self.last);
        Some(read)
    }

    /// The next pet; nothing at the end.
    pub async fn pet(&mut self) -> Option<Pet> {
        loop {
            if let Some(pet) = self.block().await?.pet() {
                return Some(pet);
            }
        }
    }

    /// The next comment with a text; nothing at the end.
    pub async fn comment(&mut self) -> Option<String> {
        loop {
            if let Some(comment) = self.block().await?.comment.filter(|text| !text.is_empty()) {
                return Some(comment);
            }
        }
    }

    /// One part of a chunked body.
    async fn chunk(&mut self) -> Option<()> {
        let mut size = String::new();
        self.stream.read_line(&mut size).await.ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
        let mut bytes = vec![0; size + 2];
        self.stream.read_exact(&mut bytes).await.ok()?;
        self.text.drain(..mem::take(&mut self.asked));
        self.text.push_str(str::from_utf8(&bytes[..size]).unwrap());
        Some(())
    }
}

/// The name of the pet with which those who follow have seen enough.
pub const LAST: &str = "the last one";

/// No byte for this long: whoever sends is not there any more.
const SILENT: Duration = Duration::from_secs(35);

/// What a client sees that follows from the first pet to the [`LAST`], and goes on where it was at the next of `services`
/// whenever its stream ends.
pub async fn follow(services: Vec<SocketAddr>, key: String) -> Vec<Pet> {
    let (mut seen, mut last) = (Vec::new(), 0);
    for service in services.into_iter().cycle() {
        let from = last.to_string();
        let opened = Events::try_open(service, &key, "/v1/pets/events", &[("Last-Event-ID", &from)]).await;
        let Some(mut events) = opened.filter(Events::is_ok) else { continue };
        while let Ok(Some(block)) = timeout(SILENT, events.block()).await {
            seen.extend(block.pet());
            if seen.last().is_some_and(|pet| pet.name == LAST) {
                return seen;
            }
        }
        last = events.last.unwrap_or(last);
    }
    seen
}

/// What somebody who followed missed, saw twice, saw as another one and saw out of order; nothing if that is nothing.
pub fn difference(seen: &[Pet], pets: &[Pet]) -> Option<String> {
    if seen == pets {
        return None;
    }
    let mut times: HashMap<PetId, usize> = HashMap::new();
    seen.iter().for_each(|pet| *times.entry(pet.id).or_default() += 1);
    let missed: Vec<PetId> = pets.iter().map(|pet| pet.id).filter(|id| !times.contains_key(id)).collect();
    let doubled: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    let known: HashMap<PetId, &Pet> = pets.iter().map(|pet| (pet.id, pet)).collect();
    let others: Vec<_> = seen.iter().filter(|pet| known.get(&pet.id) != Some(pet)).collect();
    let behind: Vec<_> = seen.windows(2).filter(|pair| pair[0].id >= pair[1].id).collect();
    Some(format!("missed {missed:?}, twice {doubled:?}, others {others:?}, out of order {behind:?}"))
}
