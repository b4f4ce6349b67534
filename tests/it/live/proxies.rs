//! curl and a browser read a stream through nginx, as the documentation sets it up, and HAProxy.

use crate::prelude::*;

use std::io::stderr;

use super::{EVENTS, PATIENCE};
use crate::instances::{Running, balancer, free_address, instance};
use crate::service::fixture::{JSON, exchange_at, until};
use crate::skipped::skipped;
use crate::sse::Events;
use crate::store::fixture::{rex, till_key};

/// What the documentation says about nginx.
fn location(upstream: &str) -> String {
    let text = include_str!("../../../docs/operating.md");
    let block = text.split("```nginx\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of nginx");
    assert!(block.contains("127.0.0.1:8080"), "{block}");
    block.replace("127.0.0.1:8080", upstream)
}

/// A browser cannot send the key with its `EventSource`: nginx adds it. The page adds a pet that says what it has seen.
const PAGE: &str = "<script>
    const seen = [];
    const events = new EventSource('/browser/pets/events?after=0');
    events.addEventListener('pet.added', event => {
        seen.push(event.lastEventId + JSON.parse(event.data).name);
        if (seen.length < 2) return;
        events.close();
        const body = JSON.stringify({name: seen.join(), categoryId: 1});
        fetch('/browser/pets', {method: 'POST', headers: {'Content-Type': 'application/json'}, body});
    });
</script>";

/// nginx in front of `upstream`, with the page; nothing where it is not installed.
fn nginx(listen: &str, upstream: &str, key: &str, directory: &Path) -> Option<Running> {
    let location = location(upstream);
    let of_browser = location
        .replace("location /v1/ {", &format!("location /browser/ {{ proxy_set_header Authorization \"Bearer {key}\";"))
        .replace(&format!("{upstream};"), &format!("{upstream}/v1/;"));
    let directory = directory.display();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {directory}/{name};"));
    let text = format!(
        "daemon off; master_process off; pid {directory}/pid;
        events {{}}
        http {{
            access_log off; {}
            server {{
                listen {listen};
                location = /page {{ default_type text/html; return 200 \"{PAGE}\"; }}
                {location} {of_browser}
            }}
        }}",
        temporary.concat()
    );
    let file = format!("{directory}/nginx.conf");
    fs::write(&file, text).unwrap();
    Running::start(Command::new("nginx").args(["-c", &file, "-e", "stderr"]))
}

/// The data of the next event that curl prints.
fn next(lines: &mut impl Iterator<Item = io::Result<String>>) -> Pet {
    let data = lines.find_map(|line| line.unwrap().strip_prefix("data: ").map(str::to_owned));
    serde_json::from_str(&data.expect("the stream goes on")).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn haproxy_passes_each_event_on_at_once_and_adds_while_there_are_more_streams_than_one_instance_serves() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", directory.path().join("store.db").display());
    let store = Store::open(&url.parse().unwrap()).await.unwrap();
    let [front, one, two, three] = [free_address(), free_address(), free_address(), free_address()];
    let instances = [&one, &two, &three].map(|address| instance(address, &url));
    let Some(_balancer) = balancer(&front, [&one, &two, &three], &directory).await else {
        return skipped("there is no haproxy (Debian: apt-get install haproxy)");
    };
    let front: SocketAddr = front.parse().unwrap();
    let keys = [till_key(&store).await.1, till_key(&store).await.1];
    let open = async |number: usize| {
        Events::try_open(front, keys[number % 2].expose_secret(), EVENTS, &[]).await.filter(Events::is_ok)
    };
    until(async || open(0).await.is_some()).await;

    let mut events = open(0).await.unwrap();
    let mut fastest = PATIENCE;
    for _ in 0..20 {
        let begun = clock::now().mono;
        let added = store.add(rex(), clock::now()).await.unwrap();
        assert_eq!(events.pet().await, Some(added));
        fastest = fastest.min(begun.elapsed());
    }
    // Without `http-no-delay` each of them waits for 200 ms.
    assert!(fastest < Duration::from_millis(150), "{fastest:?}");

    // More than one key may have at one instance, and than the balancer once had places.
    let mut streams = Vec::new();
    for number in 0..4200 {
        let Some(stream) = open(number).await else { break };
        streams.push(stream);
    }
    if streams.len() < 4200 {
        return skipped("too few files may be open for thousands of streams (ulimit -n 20000)");
    }
    let headers =
        [("Authorization", format!("Bearer {}", keys[0].expose_secret())), ("Content-Type", JSON.1.to_owned())];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let adding = exchange_at(front, "POST", "/v1/pets", &headers, REX.as_bytes());
    assert_eq!(timeout(PATIENCE, adding).await.expect("it is added").status, 201);
    drop(instances);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl_and_a_browser_read_events_as_they_come_through_haproxy_and_nginx() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", directory.path().join("store.db").display());
    let store = Store::open(&url.parse().unwrap()).await.unwrap();
    let (_, key) = till_key(&store).await;
    let key = key.expose_secret();
    let [one, haproxy, proxy] = [free_address(), free_address(), free_address()];
    let _instance = instance(&one, &url);
    let Some(_balancer) = balancer(&haproxy, [&one, &one, &one], &directory).await else {
        return skipped("there is no haproxy (Debian: apt-get install haproxy)");
    };
    let Some(_nginx) = nginx(&proxy, &haproxy, key, directory.path()) else {
        return skipped("there is no nginx (Debian: apt-get install nginx-light)");
    };
    let first = store.add(rex(), clock::now()).await.unwrap();
    let mut readers = Vec::new();
    for front in [&haproxy, &proxy] {
        let address = front.parse().unwrap();
        until(async || Events::try_open(address, key, EVENTS, &[]).await.is_some_and(|events| events.is_ok())).await;
        let mut curl = Command::new("curl");
        curl.args(["-sN", "-H", &format!("Authorization: Bearer {key}"), &format!("http://{front}{EVENTS}?after=0")]);
        let Ok(mut curl) = curl.stdout(Stdio::piped()).spawn() else {
            return skipped("there is no curl (Debian: apt-get install curl)");
        };
        let lines = BufReader::new(curl.stdout.take().unwrap()).lines();
        readers.push((lines, Running(curl)));
    }
    for (lines, _) in &mut readers {
        assert_eq!(next(lines), first);
    }
    let second = store.add(rex(), clock::now()).await.unwrap();
    for (lines, _) in &mut readers {
        assert_eq!(next(lines), second);
    }

    let home = directory.path().join("browser");
    let mut browser = Command::new("chromium");
    browser.args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]);
    browser.arg(format!("--user-data-dir={}", home.display())).arg(format!("http://{proxy}/page"));
    let Some(_browser) = Running::start(&mut browser) else {
        // Too large to be installed for one test.
        let _ = writeln!(stderr(), "the browser: skipped, there is no chromium (Debian: apt-get install chromium)");
        return;
    };
    let seen = format!("{}Rex,{}Rex", first.id, second.id);
    let shown = async {
        while store.list(&PetQuery::default()).await.unwrap().pets.last().is_none_or(|pet| pet.name != seen) {
            yield_now().await;
        }
    };
    timeout(PATIENCE, shown).await.expect("the browser follows");
}
