//! The engine: what is sent, how often, and what is said of it.

use crate::prelude::*;

use std::io::{Cursor, Read};

use petstore::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use petstore::transfer::import::{
    ImportControl, ImportEnded, ImportOptions, ImportProgress, ImportRun, ImportedRow, Patience, Start, Summary, Work,
    run,
};
use petstore::transfer::journal::{Journal, RowOutcome, Target};
use petstore::transfer::{ColumnMapping, Input, TransferError};

use crate::service::fixture::Service;
use crate::stub::{self, json, losing_answers, serve};

/// A file to import, and the service that it goes to.
struct Import {
    directory: TempDir,
    file: PathBuf,
    client: Client,
    how: ImportOptions,
    told: Arc<Mutex<Vec<String>>>,
    control: watch::Sender<ImportControl>,
}

fn impatient() -> Patience {
    let short = Duration::from_millis(5);
    Patience { first: short, longest: short, give_up: Some(Duration::from_millis(500)), stop_within: short * 20 }
}

impl Import {
    fn new(client: Client, csv: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("pets.csv");
        fs::write(&file, csv).unwrap();
        let how = ImportOptions { concurrency: 2, patience: impatient(), ..ImportOptions::default() };
        Self { directory, file, client, how, told: Arc::default(), control: watch::Sender::new(ImportControl::Go) }
    }

    fn report(&self) -> PathBuf {
        Journal::beside(&self.file)
    }

    fn target() -> Target {
        Target { service: "a".into(), key: "b".into() }
    }

    async fn begin(&self) -> Result<Summary, TransferError> {
        self.run(self.work(Start::New, Input::file(&self.file)?, &Self::target())?).await
    }

    async fn resume(&self) -> Result<Summary, TransferError> {
        self.resume_as(&Self::target()).await
    }

    async fn resume_as(&self, target: &Target) -> Result<Summary, TransferError> {
        self.run(self.work(Start::GoOn, Input::file(&self.file)?, target)?).await
    }

    fn work(&self, start: Start, input: Input, target: &Target) -> Result<(Input, Work), TransferError> {
        let (reading, report) = (ColumnMapping::default(), Some(self.report()));
        Work::start(ImportRun { reading, counts: None, start, report, how: self.how }, input, target)
    }

    async fn run(&self, ready: (Input, Work)) -> Result<Summary, TransferError> {
        let told = Arc::clone(&self.told);
        let tell = Arc::new(move |ImportedRow { line, name, outcome, was_sent }: ImportedRow| {
            let text = match outcome {
                RowOutcome::Added(_) => format!("{line} {name} added"),
                RowOutcome::Refused(answer) => format!("{line} {name} refused {:?}", answer.status),
                RowOutcome::Unknown(_) if was_sent => format!("{line} {name} unknown"),
                RowOutcome::Unknown(_) => format!("{line} in doubt"),
                RowOutcome::NotSent(_) => format!("{line} {name} not sent"),
                RowOutcome::Invalid(_) => format!("{line} bad"),
            };
            told.lock().unwrap().push(text);
        });
        let progress = watch::Sender::new(ImportProgress::default());
        run(&self.client, ready, (tell, progress, self.control.subscribe())).await
    }

    /// What was told since the last time, by line.
    fn told(&self) -> Vec<String> {
        let mut told = std::mem::take(&mut *self.told.lock().unwrap());
        told.sort_by_key(|text| text.split(' ').next().unwrap().parse::<u64>().unwrap());
        told
    }
}

fn rows(names: &[&str]) -> String {
    format!("name,cat\n{}", names.iter().map(|name| format!("{name},3\n")).collect::<String>())
}

fn client_at(base_url: &str, key: &str) -> Client {
    install_tls_provider();
    Client::new(base_url.parse().unwrap(), Some(ApiKey::new(key).unwrap()), Timeouts::default()).unwrap()
}

async fn service() -> (Service, Client) {
    let service = Service::start().await;
    let client = service.client();
    (service, client)
}

async fn names(service: &Service) -> Vec<String> {
    let mut names = Vec::new();
    for id in 1..1000 {
        let Some(pet) = service.store.get(id).await.unwrap() else { break };
        names.push(pet.name);
    }
    names.sort();
    names
}

fn counts(summary: &Summary) -> [u64; 5] {
    let ImportProgress { added, added_before, refused, invalid, unknown, .. } = summary.progress;
    [added, added_before, refused, invalid, unknown]
}

#[tokio::test]
async fn good_rows_are_added_and_bad_ones_named() {
    let (service, client) = service().await;
    let import = Import::new(client, "name,cat,status\nRex,3,Sold \n,3,\nZoë,x,\nBean,3,\n");
    let summary = import.begin().await.unwrap();
    assert!(matches!(summary.ended, ImportEnded::Complete));
    assert_eq!((counts(&summary), summary.left), ([2, 0, 0, 2, 0], Some(0)));
    assert_eq!(import.told(), ["2 Rex added", "3 bad", "4 bad", "5 Bean added"]);
    assert_eq!(names(&service).await, ["Bean", "Rex"]);
    let again = import.begin().await.unwrap_err().to_string();
    assert!(again.contains("the report of an earlier import") && again.contains("--resume"), "{again}");
    let summary = import.resume().await.unwrap();
    assert_eq!(counts(&summary), [0, 2, 0, 2, 0]);
    assert_eq!(names(&service).await, ["Bean", "Rex"]);
}

/// A reader that gives up on what it reads.
struct Stumbles;

impl Read for Stumbles {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("on purpose");
    }
}

#[tokio::test]
async fn a_reader_that_gives_up_is_not_taken_for_the_end() {
    let (service, client) = service().await;
    let import = Import::new(client, "");
    // The first MiB is read at once.
    let begin = Cursor::new(format!("name,cat\nRex,3\n{}", "\n".repeat(1 << 20)));
    let input = Input::stream("a stream", Read::chain(begin, Stumbles)).unwrap();
    let ready = import.work(Start::New, input, &Import::target()).unwrap();
    let summary = import.run(ready).await.unwrap();
    let ImportEnded::Failed(error) = &summary.ended else { panic!("{:?}", summary.ended) };
    assert_eq!(error.to_string(), "cannot read a stream: its reader crashed. Report this as a bug.");
    assert!(names(&service).await.len() <= 1);
    assert!(!fs::read_to_string(import.report()).unwrap().contains("\"end\""));
}

/// A service without idempotency keys; `answer` is asked for each creation, by the request's text.
async fn plain_service(answer: impl Fn(&str) -> Option<Vec<u8>> + Send + Sync + 'static) -> stub::Stub {
    let answer = Arc::new(answer);
    serve(move |_, request, mut socket| {
        let bytes = if request.starts_with("GET") { Some(json("200 OK", "[]")) } else { answer(&request) };
        async move {
            if let Some(bytes) = bytes {
                let _ = socket.write_all(&bytes).await;
            }
        }
    })
    .await
}

fn added() -> Vec<u8> {
    json("201 Created", r#"{"id":1,"name":"a","categoryId":3}"#)
}

#[tokio::test]
async fn what_the_service_refused_is_sent_again_when_the_import_goes_on() {
    let refuses = Arc::new(AtomicUsize::new(2));
    let left = Arc::clone(&refuses);
    let stub = plain_service(move |request| {
        let refuse = request.contains("\"b\"") && left.load(Ordering::SeqCst) > 0;
        Some(if refuse { json("400 Bad Request", r#"{"code":"c","message":"no","status":400}"#) } else { added() })
    })
    .await;
    let import = Import::new(stub.client(), &rows(&["a", "b", "c"]));
    let summary = import.begin().await.unwrap();
    assert_eq!(counts(&summary), [2, 0, 1, 0, 0]);
    assert_eq!(import.told(), ["2 a added", "3 b refused Some(400)", "4 c added"]);
    assert_eq!(counts(&import.resume().await.unwrap()), [0, 2, 1, 0, 0]);
    refuses.store(0, Ordering::SeqCst);
    assert_eq!(counts(&import.resume().await.unwrap()), [1, 2, 0, 0, 0]);
}

#[tokio::test]
async fn a_pause_that_the_service_asks_for_is_kept_by_all() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&calls);
    let stub = plain_service(move |_| {
        let mut calls = list.lock().unwrap();
        calls.push(clock::now().mono);
        Some(if calls.len() == 1 {
            b"HTTP/1.1 429 X\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec()
        } else {
            added()
        })
    })
    .await;
    let mut import = Import::new(stub.client(), &rows(&["a", "b", "c", "d", "e", "f"]));
    import.how.patience.give_up = Some(Duration::from_secs(60));
    assert_eq!(counts(&import.begin().await.unwrap()), [6, 0, 0, 0, 0]);
    let calls = calls.lock().unwrap();
    let early = calls[1..].iter().filter(|at| **at - calls[0] < Duration::from_millis(950)).count();
    assert_eq!(calls.len(), 7);
    assert!(early <= 1, "only what was under way already: {early}");
}

#[tokio::test]
async fn lost_answers_add_nothing_twice_where_keys_are_kept() {
    let service = Service::start().await;
    let names_sent: Vec<String> = (100..150).map(|number| format!("pet {number}")).collect();
    let list: Vec<&str> = names_sent.iter().map(String::as_str).collect();
    let stub = losing_answers(address(&service), 7).await;
    let import = Import::new(client_at(&stub.base_url, service.key()), &rows(&list));
    assert_eq!(counts(&import.begin().await.unwrap()), [50, 0, 0, 0, 0]);
    assert_eq!(names(&service).await, names_sent);
}

fn address(service: &Service) -> SocketAddr {
    service.server.local_addr()
}

#[tokio::test]
async fn without_keys_a_lost_answer_is_a_doubt_that_only_people_resolve() {
    let lost = Arc::new(AtomicUsize::new(1));
    let left = Arc::clone(&lost);
    let stub = plain_service(move |request| {
        let lose = request.contains("\"b\"") && left.fetch_sub(1, Ordering::SeqCst) == 1;
        (!lose).then(added)
    })
    .await;
    let mut import = Import::new(stub.client(), &rows(&["a", "b", "c"]));
    let summary = import.begin().await.unwrap();
    assert_eq!((counts(&summary), summary.left), ([2, 0, 0, 0, 1], Some(0)));
    assert_eq!(import.told(), ["2 a added", "3 b unknown", "4 c added"]);
    let requests = stub.requests();
    assert_eq!(counts(&import.resume().await.unwrap()), [0, 2, 0, 0, 1]);
    assert_eq!((import.told(), stub.requests()), (vec!["3 in doubt".to_owned()], requests + 1), "only the probe");
    import.how.send_unknown = true;
    assert_eq!(counts(&import.resume().await.unwrap()), [1, 2, 0, 0, 0]);
}

/// Cuts the journal after the line that says that the row `row` is sent.
fn forget_the_outcome(report: &Path, row: u64) {
    let text = fs::read_to_string(report).unwrap();
    let begin = format!("{{\"row\":{row},");
    let kept = text.lines().filter(|line| !(line.starts_with(&begin) && line.contains("outcome")));
    fs::write(report, kept.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

#[tokio::test]
async fn a_row_in_doubt_is_sent_again_with_its_key_unless_that_is_not_known_any_more() {
    let (service, client) = service().await;
    let import = Import::new(client, &rows(&["a", "b"]));
    import.begin().await.unwrap();
    forget_the_outcome(&import.report(), 2);
    assert_eq!(counts(&import.resume().await.unwrap()), [1, 1, 0, 0, 0]);
    assert_eq!(names(&service).await, ["a", "b"]);
    // Another API key: what the service remembers does not count for it.
    forget_the_outcome(&import.report(), 2);
    let other_key = Target { key: "other".into(), ..Import::target() };
    assert_eq!(counts(&import.resume_as(&other_key).await.unwrap()), [0, 1, 0, 0, 1]);
    // Sent two days ago: forgotten. Two days ahead: nobody knows how long ago that was.
    for days in [-2, 4] {
        shift_the_times(&import.report(), days * 24 * 3600);
        assert_eq!(counts(&import.resume().await.unwrap()), [0, 1, 0, 0, 1], "{days}");
    }
    assert_eq!(names(&service).await, ["a", "b"]);
    // Five minutes ahead is how much clocks differ: just now.
    shift_the_times(&import.report(), -2 * 24 * 3600 + 300);
    assert_eq!(counts(&import.resume().await.unwrap()), [1, 1, 0, 0, 0]);
    assert_eq!(names(&service).await, ["a", "b"]);
}

/// As if rows had been sent so many seconds later.
fn shift_the_times(report: &Path, seconds: i64) {
    let text = fs::read_to_string(report).unwrap();
    let shifted = text.lines().map(|line| {
        let Some((before, rest)) = line.split_once("\"sent\":") else { return format!("{line}\n") };
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap();
        let sent = rest[..end].parse::<i64>().unwrap() + seconds;
        format!("{before}\"sent\":{sent}{}\n", &rest[end..])
    });
    fs::write(report, shifted.collect::<String>()).unwrap();
}

#[tokio::test]
async fn the_age_of_a_row_is_measured_by_the_clock_of_the_service() {
    let (service, client) = service().await;
    let import = Import::new(client, &rows(&["a"]));
    // The service is years ahead of this machine, and the row was sent to it just now.
    let ahead = stub::answering_at(address(&service), "Sat, 01 Jan 2050 00:00:00 GMT").await;
    let import = Import { client: client_at(&ahead.base_url, service.key()), ..import };
    import.begin().await.unwrap();
    let text = fs::read_to_string(import.report()).unwrap();
    assert!(text.contains("\"sent\":25246"), "the date of the service: {text}");
    forget_the_outcome(&import.report(), 1);
    assert_eq!(counts(&import.resume().await.unwrap()), [1, 0, 0, 0, 0]);
    // Then its clock is put right: that row was sent in the future.
    forget_the_outcome(&import.report(), 1);
    let import = Import { client: client_at(&service.server.base_url(), service.key()), ..import };
    assert_eq!(counts(&import.resume().await.unwrap()), [0, 0, 0, 0, 1]);
    assert_eq!(names(&service).await, ["a"]);
}

#[tokio::test]
async fn a_service_that_keeps_keys_for_an_hour_is_not_trusted_for_longer() {
    let stub = plain_service(|_| {
        let body = r#"{"id":1,"name":"a","categoryId":3}"#;
        let head = "HTTP/1.1 201 Created\r\nidempotency-key-retention: 3600\r\nconnection: close\r\n";
        Some(format!("{head}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into())
    })
    .await;
    let import = Import::new(stub.client(), &rows(&["a", "b"]));
    import.begin().await.unwrap();
    for (hours, wanted) in [(-2, [0, 1, 0, 0, 1]), (2, [1, 1, 0, 0, 0])] {
        forget_the_outcome(&import.report(), 1);
        shift_the_times(&import.report(), hours * 3600);
        assert_eq!(counts(&import.resume().await.unwrap()), wanted, "{hours}");
    }
}

#[tokio::test]
async fn a_row_in_doubt_keeps_its_key_when_its_file_has_changed() {
    let (service, client) = service().await;
    let import = Import::new(client, &rows(&["a", "b", "c"]));
    import.begin().await.unwrap();
    forget_the_outcome(&import.report(), 2);
    fs::write(&import.file, rows(&["new", "c", "b", "b", "a"])).unwrap();
    // One b is the one that was sent before; two of them are two pets.
    let summary = import.resume().await.unwrap();
    assert_eq!((counts(&summary), summary.left), ([3, 2, 0, 0, 0], Some(0)));
    assert_eq!(names(&service).await, ["a", "b", "b", "c", "new"]);
    assert_eq!(counts(&import.resume().await.unwrap()), [0, 5, 0, 0, 0]);
    // Of another API key it is never sent unasked, also after one more change.
    forget_the_outcome(&import.report(), 1);
    fs::write(&import.file, rows(&["c", "b", "b", "a", "new"])).unwrap();
    let other_key = Target { key: "other".into(), ..Import::target() };
    assert_eq!(counts(&import.resume_as(&other_key).await.unwrap()), [0, 4, 0, 0, 1]);
    assert_eq!(names(&service).await.len(), 5);
}

#[tokio::test]
async fn rows_that_changed_after_the_file_was_compared_end_it() {
    let (service, client) = service().await;
    let import = Import::new(client, &rows(&["a", "b"]));
    import.begin().await.unwrap();
    let input = Input::file(&import.file).unwrap();
    let (_, work) = import.work(Start::GoOn, input, &Import::target()).unwrap();
    fs::write(&import.file, rows(&["b", "c"])).unwrap();
    let summary = import.run((Input::file(&import.file).unwrap(), work)).await.unwrap();
    let ImportEnded::Failed(error) = &summary.ended else { panic!("{:?}", summary.ended) };
    assert!(error.to_string().ends_with("line 2 is a different row."), "{error}");
    assert_eq!(names(&service).await, ["a", "b"]);
}

#[tokio::test]
async fn a_new_import_of_which_nothing_was_sent_puts_the_report_before_back() {
    let (_service, client) = service().await;
    let import = Import::new(client, &rows(&["a"]));
    import.begin().await.unwrap();
    let before = fs::read(import.report()).unwrap();
    fs::write(&import.file, rows(&["b"])).unwrap();
    let away = Import { client: client_at("http://127.0.0.1:9/v1", "petk_0123456789abcdef77d0"), ..import };
    let start = |start: Start| away.work(start, Input::file(&away.file).unwrap(), &Import::target());
    let ready = start(Start::Anew(None)).unwrap();
    assert!(ready.1.journal.as_ref().unwrap().kept.as_ref().unwrap().exists());
    assert!(matches!(away.run(ready).await, Err(TransferError::Api(_))));
    assert_eq!(fs::read(away.report()).unwrap(), before);
    assert_eq!(fs::read_dir(away.directory.path()).unwrap().count(), 2);
    // What was looked at is not what is there now.
    let earlier =
        EarlierImport::look(&away.file, &ColumnMapping::default(), &away.report(), &Import::target()).unwrap().unwrap();
    assert_eq!(earlier.way(), EarlierVerdict::Anew);
    fs::write(&away.file, rows(&["a", "c"])).unwrap();
    let changed = start(earlier.anew()).map(|(_, work)| work);
    assert!(matches!(changed, Err(TransferError::Changed { .. })), "{changed:?}");
    assert_eq!(fs::read(away.report()).unwrap(), before);
}

#[tokio::test]
async fn a_key_that_is_refused_ends_everything_at_once() {
    let service = Service::start().await;
    let import = Import::new(client_at(&service.server.base_url(), "petk_0123456789abcdef77d0"), &rows(&["a"]));
    let error = import.begin().await.unwrap_err();
    assert!(matches!(&error, TransferError::Api(error) if error.is_unauthorized()), "{error:?}");
    let stub = plain_service(|_| Some(json("401 Unauthorized", r#"{"code":"c","message":"no","status":401}"#))).await;
    let import = Import::new(stub.client(), &rows(&["a"; 100]));
    let summary = import.begin().await.unwrap();
    assert!(matches!(summary.ended, ImportEnded::Unauthorized(_)), "{:?}", summary.ended);
    assert_eq!(counts(&summary), [0; 5]);
    assert!(stub.requests() <= 3, "the probe, and one of each sender");
}

#[tokio::test]
async fn a_service_that_stays_away_ends_it_and_nothing_is_lost() {
    let gone = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&gone);
    let stub = plain_service(move |_| {
        let is_gone = (3..1000).contains(&count.fetch_add(1, Ordering::SeqCst));
        Some(if is_gone { json("503 Unavailable", "") } else { added() }).map(|mut answer| {
            let end = answer.windows(2).position(|two| two == b"\r\n").unwrap();
            answer.splice(end..end, *b"\r\nidempotency-key-retention: 86400");
            answer
        })
    })
    .await;
    let import = Import::new(stub.client(), &rows(&["a", "b", "c", "d", "e", "f"]));
    let summary = import.begin().await.unwrap();
    assert!(matches!(summary.ended, ImportEnded::NoAnswer(_)), "{:?}", summary.ended);
    assert_eq!(summary.progress.added, 3);
    gone.store(1000, Ordering::SeqCst);
    assert_eq!(counts(&import.resume().await.unwrap()), [3, 3, 0, 0, 0]);
}

#[tokio::test]
async fn it_stops_after_an_error_as_asked() {
    let (_service, client) = service().await;
    let mut import = Import::new(client, &format!("{},x\n{}", rows(&["a"]), ",3\n".repeat(100)));
    import.how.stop_on_error = true;
    let summary = import.begin().await.unwrap();
    assert!(matches!(summary.ended, ImportEnded::OnError), "{:?}", summary.ended);
    assert!((1..100).contains(&summary.progress.invalid));
    drop(import.directory);
}

#[tokio::test]
async fn what_was_made_ready_and_not_sent_is_no_doubt_after_a_stop() {
    let (control, sent) = (watch::Sender::new(ImportControl::Go), Arc::new(AtomicUsize::new(0)));
    let (stop, count) = (control.clone(), Arc::clone(&sent));
    // It keeps no keys: a row in doubt would not be sent again.
    let stub = plain_service(move |_| {
        if count.fetch_add(1, Ordering::SeqCst) == 2 {
            stop.send_replace(ImportControl::Stop);
        }
        Some(added())
    })
    .await;
    let mut import = Import::new(stub.client(), &rows(&["a"; 50]));
    import.control = control;
    let summary = import.begin().await.unwrap();
    assert!(matches!(summary.ended, ImportEnded::Stopped), "{:?}", summary.ended);
    let before = summary.progress.added;
    assert!((3..50).contains(&before) && summary.progress.errors() == 0, "{:?}", summary.progress);
    import.control.send_replace(ImportControl::Go);
    assert_eq!(counts(&import.resume().await.unwrap()), [50 - before, before, 0, 0, 0]);
    assert_eq!(sent.load(Ordering::SeqCst), 50);
}
