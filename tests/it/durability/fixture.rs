//! A shop, the real service on it, and clients that remember what they were told.

use crate::prelude::*;

use std::error::Error;
use std::net::TcpStream;
use std::process::{ChildStderr, ExitStatus};
use std::sync::mpsc::{self, Receiver};

use petstore::store;

use super::disk::Disk;

pub const WRITERS: usize = 16;

/// A herd whose names fill the database quickly.
pub const LONG: &str = "a herd with a long name, so that its pets fill page after page of the database, and the \
    write-ahead log is soon long enough to be folded into it, even where sixteen of them share one commit";

/// Longer than anything here may take: a service that hangs fails its test.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A database with a key, made by the real binary in a directory that was not there before.
pub struct Shop {
    home: TempDir,
    disk: Option<Disk>,
    clock: Option<(PathBuf, i64)>,
    file_size: Option<u32>,
    key: String,
}

impl Shop {
    pub fn new() -> Self {
        Self::on(tempfile::tempdir().unwrap(), None)
    }

    /// A shop whose files are on a [`Disk`].
    pub fn on_a_watched_disk() -> Self {
        let home = tempfile::tempdir().unwrap();
        let disk = Disk::new(home.path());
        Self::on(home, Some(disk))
    }

    fn on(home: TempDir, disk: Option<Disk>) -> Self {
        let mut shop = Self { home, disk, clock: None, file_size: None, key: String::new() };
        let made = shop.run(&["keys", "create", "--database", &shop.url(), "--name", "test"]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        shop.key = str::from_utf8(&made.stdout).unwrap().trim().to_owned();
        shop
    }

    pub fn disk(&self) -> &Disk {
        self.disk.as_ref().unwrap()
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn database(&self) -> PathBuf {
        self.disk.as_ref().map_or(self.home.path(), Disk::directory).join("shop/store.db")
    }

    pub fn url(&self) -> String {
        format!("sqlite:{}", self.database().display())
    }

    /// The binary with nothing in its environment but a home and the disk.
    fn petstore(&self, arguments: &[&str]) -> Command {
        let binary = env!("CARGO_BIN_EXE_petstore");
        let mut command = match self.file_size {
            None => Command::new(binary),
            Some(kibibytes) => {
                let mut limited = Command::new("bash");
                limited.args(["-c", "ulimit -f \"$0\" && exec \"$@\"", &kibibytes.to_string(), binary]);
                limited
            }
        };
        command.args(arguments).env_clear().env("HOME", self.home.path()).stdin(Stdio::null());
        if let Some(disk) = &self.disk {
            disk.put_under(&mut command);
        }
        if let Some((library, seconds)) = &self.clock {
            command.env("LD_PRELOAD", library).env("CLOCK_AHEAD", seconds.to_string());
        }
        command
    }

    /// From the next start on the clock is so many seconds ahead, by the library made from `source`.
    pub fn set_clock_ahead(&mut self, source: &str, seconds: i64) {
        let library = self.home.path().join("clock.so");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status().unwrap();
        assert!(built.success());
        self.clock = Some((library, seconds));
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.petstore(arguments).output().unwrap()
    }

    /// Starts it, and says nothing of what it says.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.petstore(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// From the next start on no file may be larger than so many KiB (`ulimit -f`).
    pub fn limit_file_size(&mut self, kibibytes: u32) {
        self.file_size = Some(kibibytes);
    }

    /// Starts `petstore serve`; returns once it accepts requests.
    pub fn serve(&self) -> Service {
        let (service, mut stderr) = self.serve_and_listen();
        // What else it says is not looked at, but somebody must take it.
        thread::spawn(move || io::copy(&mut stderr, &mut io::sink()));
        service
    }

    /// The same with what it says after its address.
    pub fn serve_and_listen(&self) -> (Service, BufReader<ChildStderr>) {
        let mut command = self.petstore(&["serve", "--listen", "127.0.0.1:0", "--database", &self.url()]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/v1\n"));
        let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        let log = self.disk.as_ref().map(|disk| disk.log().to_owned());
        (Service { child, client: Client { address, key: self.key.clone(), log } }, stderr)
    }

    /// Every pet, as the library finds them.
    pub fn pets(&self) -> Vec<Pet> {
        pets(&self.database(), Some(&self.key)).unwrap()
    }
}

/// A running `petstore serve`; killed when dropped.
pub struct Service {
    child: Child,
    client: Client,
}

impl Service {
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub fn wait(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    pub fn kill_9(mut self) {
        self.child.kill().unwrap();
        self.wait();
    }

    /// Stops it as an operator would.
    pub fn stop(mut self) {
        self.signal(Signal::TERM);
        assert_eq!(self.wait().code(), Some(0));
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends requests, each on a connection of its own.
#[derive(Clone)]
pub struct Client {
    address: SocketAddr,
    key: String,
    log: Option<PathBuf>,
}

impl Client {
    pub fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    /// The head of a request with the key, without the blank line that ends it.
    pub fn head(&self, request_line: &str) -> String {
        let key = &self.key;
        format!("{request_line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n")
    }

    pub fn get(&self, target: &str) -> Answer {
        self.call(&format!("{}\r\n", self.head(&format!("GET {target}")))).unwrap()
    }

    /// Adds a pet of this name. Fails where the service went away before it had answered in full.
    pub fn add(&self, name: &str) -> io::Result<Told> {
        self.add_with("", name)
    }

    /// The same with further headers, each with its line end.
    pub fn add_with(&self, headers: &str, name: &str) -> io::Result<Told> {
        // Every status in turn, so that the whole index grows.
        let status = PetStatus::ALL[name.bytes().map(usize::from).sum::<usize>() % PetStatus::ALL.len()];
        let body = format!(r#"{{"name":"{name}","categoryId":1,"status":"{status}"}}"#);
        let headers = format!("{headers}Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        let answer = self.call(&format!("{}{headers}\r\n{body}", self.head("POST /v1/pets")))?;
        let log_length = self.log.as_ref().map_or(Ok(0), |log| fs::metadata(log).map(|log| log.len()))?;
        Ok(Told { name: name.to_owned(), answer, log_length })
    }

    fn call(&self, request: &str) -> io::Result<Answer> {
        let mut stream = self.connect()?;
        stream.write_all(request.as_bytes())?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Answer::parse(&text).ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// Nothing where the end is missing.
    fn parse(text: &str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n")?;
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let is_whole = length.map_or(0, |length| length.parse().unwrap()) == body.len();
        let status = head.split(' ').nth(1)?.parse().unwrap();
        is_whole.then(|| Self { status, head, body: body.to_owned() })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// That it says that the database cannot take this now, and when to try again.
    #[track_caller]
    pub fn is_unavailable(&self) {
        assert_eq!(self.status, 503, "{self:?}");
        let code = self.json()["code"].clone();
        assert!(code == "storage_unavailable" || code == "not_added", "{self:?}");
        assert!(self.head.contains("\nretry-after: "), "{self:?}");
    }
}

/// What a client heard about the pet that it wanted to add.
#[derive(Debug)]
pub struct Told {
    pub name: String,
    pub answer: Answer,
    /// How much the disk's log had when the answer was read, in bytes; 0 where nobody watches.
    pub log_length: u64,
}

/// An acknowledged pet.
#[derive(Debug)]
pub struct Added {
    pub id: PetId,
    pub name: String,
    pub log_length: u64,
}

impl Told {
    /// Panics unless it was acknowledged.
    #[track_caller]
    pub fn added(self) -> Added {
        assert_eq!(self.answer.status, 201, "{self:?}");
        let id = self.answer.json()["id"].as_i64().unwrap();
        Added { id, name: self.name, log_length: self.log_length }
    }
}

/// Clients that add one pet after the other until the service is gone. What they are told comes out at the other
/// end, which ends with the last of them. No two pets of one `herd` have the same name.
pub fn writers(number: usize, service: &Service, herd: &str) -> Receiver<Told> {
    let (told, all_told) = mpsc::channel();
    for writer in 0..number {
        let (client, told, herd) = (service.client.clone(), told.clone(), herd.to_owned());
        thread::spawn(move || {
            let mut answers = (0..).map_while(|pet| client.add(&format!("{herd} {writer}-{pet}")).ok());
            // Whoever listened may have gone.
            answers.try_for_each(|answer| told.send(answer))
        });
    }
    all_told
}

/// What is wrong with a store that has `pets` after it has acknowledged `added`.
pub fn faults<'a>(added: impl IntoIterator<Item = &'a Added>, pets: &[Pet]) -> Vec<String> {
    let by_id: HashMap<PetId, &Pet> = pets.iter().map(|pet| (pet.id, pet)).collect();
    let mut faults = Vec::new();
    for Added { id, name, .. } in added {
        if by_id.get(id).is_none_or(|pet| pet.name != *name) {
            faults.push(format!("{id} was acknowledged as {name}, and is {:?}", by_id.get(id)));
        }
    }
    let mut ids = HashMap::new();
    for Pet { id, name, .. } in pets {
        faults.extend(ids.insert(name, id).map(|first| format!("{name} is there as {first} and as {id}")));
    }
    faults
}

/// Every pet of a database, in the order of their ids. Fails where the database is not sound, or has not the key.
pub fn pets(database: &Path, key: Option<&str>) -> Result<Vec<Pet>, Box<dyn Error>> {
    let url = DatabaseUrl::Sqlite(database.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Store::open(&url).await?;
        let problems = store::check(&url, false).await?.problems;
        if !problems.is_empty() {
            return Err(problems.join("; ").into());
        }
        if let Some(key) = key {
            store.verify_key(key, clock::now()).await?.ok_or("the key is lost")?;
        }
        let pets = list(&store).await?;
        store.close().await;
        Ok(pets)
    })
}

async fn list(store: &Store) -> Result<Vec<Pet>, StoreError> {
    let mut query = PetQuery { limit: Limit::MAX, ..PetQuery::default() };
    let mut pets = Vec::new();
    loop {
        let page = store.list(&query).await?;
        pets.extend(page.pets);
        match page.next {
            None => return Ok(pets),
            next => query.after = next,
        }
    }
}
