//! What Prometheus gets: every request counted once, and no label from a client.

mod text;

use crate::prelude::*;

use petstore::server::RateLimit;

use self::text::Figures;
use super::fixture::{JSON, Service, exchange_at, head, read_answer, until};
use super::tls::Pair;
use crate::documents;

pub async fn with_metrics(config: Config) -> (Service, SocketAddr) {
    let mut service = Service::with(config).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = service.server.serve_metrics(listener).unwrap();
    (service, at)
}

pub async fn figures(at: SocketAddr) -> Figures {
    let answer = exchange_at(at, "GET", "/metrics", &[], b"").await;
    assert_eq!(answer.status, 200);
    let open_metrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert_eq!(answer.header("content-type"), Some(open_metrics));
    Figures::parse(answer.text())
}

#[tokio::test]
async fn each_request_counts_once_by_its_method_route_and_status() {
    let (service, at) = with_metrics(Service::config()).await;
    let before = figures(at).await;
    assert_eq!(before.of("http_requests_total").count(), 0);
    for _ in 0..3 {
        service.get("/v1/pets?limit=5").await;
    }
    service.post(REX).await;
    service.post("{}").await;
    service.get("/v1/pets/1").await;
    service.get("/v1/pets/99").await;
    service.send("GET", "/v1/pets/1", &[], "").await;
    service.send("GET", "/healthz", &[], "").await;
    service.get("/v1/store/orders").await;
    service.call("DELETE", "/v1/pets", &[], "").await;
    let after = figures(at).await;
    let series = |method: &str, route: &str, status: u16| {
        format!("http_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}")
    };
    let mut expected = vec![
        (series("GET", "/v1/pets", 200), 3.0),
        (series("POST", "/v1/pets", 201), 1.0),
        (series("POST", "/v1/pets", 400), 1.0),
        (series("GET", "/v1/pets/{petId}", 200), 1.0),
        (series("GET", "/v1/pets/{petId}", 404), 1.0),
        (series("GET", "/v1/pets/{petId}", 401), 1.0),
        (series("GET", "/healthz", 204), 1.0),
        (series("GET", "other", 404), 1.0),
        (series("DELETE", "/v1/pets", 405), 1.0),
    ];
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    let grown: Vec<_> = expected.iter().map(|(series, by)| (series.as_str(), *by)).collect();
    assert_eq!(after.growth("http_requests_total", &before), grown);
    for (route, count) in [("/v1/pets", 6.0), ("/v1/pets/{petId}", 3.0), ("/healthz", 1.0), ("other", 1.0)] {
        assert_eq!(after.get(&format!("http_request_duration_seconds_count{{route=\"{route}\"}}")), count, "{route}");
    }
    assert_eq!(after.get("petstore_failed_authentications_total"), 1.0);
    assert_eq!(after.get("petstore_connections_accepted_total"), 11.0);
    assert_eq!((after.get("http_requests_in_flight"), after.get("http_requests_aborted_total")), (0.0, 0.0));
    until(async || figures(at).await.get("petstore_connections_open") == 0.0).await;
}

#[tokio::test]
async fn no_client_can_make_series_without_end() {
    let (service, at) = with_metrics(Service::config()).await;
    let ask = async |round: u32| {
        for (method, target) in [
            ("GET", format!("/v1/pets/needle{round}")),
            ("GET", format!("/needle{round}")),
            ("GET", format!("/v1/pets/1/needle{round}?needle={round}")),
            (&*format!("NEEDLE{round}"), "/v1/pets".to_owned()),
        ] {
            service.call(method, &target, &[("X-Request-Id", "needle")], "").await;
        }
        figures(at).await
    };
    let (first, second) = (ask(1).await, ask(2).await);
    assert_eq!(first.0.keys().collect::<Vec<_>>(), second.0.keys().collect::<Vec<_>>());
    assert!(!second.0.keys().any(|series| series.to_ascii_lowercase().contains("needle")), "{second:?}");
    assert_eq!(second.get(r#"http_requests_total{method="other",route="/v1/pets",status="405"}"#), 2.0);
}

#[tokio::test]
async fn a_request_is_in_flight_until_it_is_answered_or_its_client_is_gone() {
    let (service, at) = with_metrics(Service::config()).await;
    let bearer = service.bearer();
    let length = REX.len().to_string();
    let head = head("POST", "/v1/pets", &[("Authorization", &bearer), JSON, ("Content-Length", &length)]);
    let mut patient = service.connect().await;
    let mut hasty = service.connect().await;
    for stream in [&mut patient, &mut hasty] {
        stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    }
    until(async || figures(at).await.get("http_requests_in_flight") == 2.0).await;
    patient.write_all(REX.as_bytes()).await.unwrap();
    assert_eq!(read_answer(&mut patient).await.status, 201);
    assert_eq!(figures(at).await.get("http_requests_in_flight"), 1.0);
    drop(hasty);
    until(async || figures(at).await.get("http_requests_in_flight") == 0.0).await;
}

#[tokio::test]
async fn connections_count_as_open_and_as_evicted() {
    let (service, at) = with_metrics(Config { connections: 2, ..Service::config() }).await;
    let _silent = [service.connect().await, service.connect().await];
    until(async || figures(at).await.get("petstore_connections_open") == 2.0).await;
    assert_eq!(service.get("/v1/pets").await.status, 200);
    let then = figures(at).await;
    assert_eq!(then.get("petstore_connections_evicted_total"), 1.0);
    assert_eq!(then.get("petstore_connections_accepted_total"), 3.0);
    until(async || figures(at).await.get("petstore_connections_open") == 1.0).await;
}

#[tokio::test]
async fn failures_of_the_storage_count_by_their_kind() {
    let (service, at) = with_metrics(Config { request_time: Duration::from_millis(30), ..Service::config() }).await;
    let failures = |kind: &str| format!("petstore_storage_failures_total{{kind=\"{kind}\"}}");
    let before = figures(at).await;
    assert!(before.of("petstore_storage_failures_total").count() > 3, "they are there before the first failure");
    let other_process = service.locked();
    service.post(REX).await.is_error(503, "storage_unavailable");
    assert_eq!(figures(at).await.growth("petstore_storage_failures_total", &before), [(&*failures("timeout"), 1.0)]);
    other_process.execute_batch("ROLLBACK").unwrap();
    service.store.close().await;
    service.get("/v1/pets").await.is_error(503, "storage_unavailable");
    assert_eq!(figures(at).await.get(&failures("closed")), 1.0);
}

#[tokio::test]
async fn each_scrape_tells_whether_pets_can_be_added_and_listed_and_why_not() {
    let (service, at) = with_metrics(Service::config()).await;
    let ready =
        |figures: &Figures| ["writes", "reads"].map(|what| figures.get(&format!("petstore_ready{{for=\"{what}\"}}")));
    let why = |figures: &Figures, what: &str| {
        let reasons = figures.of("petstore_not_ready").filter(|(_, value)| *value == 1.0).map(|(series, _)| series);
        let of_it: Vec<_> =
            reasons.filter(|series| series.contains(&format!("for=\"{what}\""))).map(str::to_owned).collect();
        of_it.concat()
    };
    let begun = figures(at).await;
    assert_eq!((ready(&begun), why(&begun, "writes").as_str()), ([1.0, 1.0], ""));
    fs::rename(service.file(), service.directory.path().join("moved.db")).unwrap();
    until(async || ready(&figures(at).await)[0] == 0.0).await;
    let moved = figures(at).await;
    assert_eq!(why(&moved, "writes"), r#"petstore_not_ready{for="writes",reason="read_only"}"#);
    assert_eq!(begun.0.keys().collect::<Vec<_>>(), moved.0.keys().collect::<Vec<_>>(), "a closed list of reasons");
    service.store.close().await;
    let closed = figures(at).await;
    assert_eq!(ready(&closed), [0.0, 0.0]);
    assert_eq!(why(&closed, "reads"), r#"petstore_not_ready{for="reads",reason="closed"}"#);
}

#[tokio::test]
async fn the_alerts_are_about_metrics_that_there_are() {
    let certificate = Pair::new();
    let (_service, at) = with_metrics(Config { tls: Some(certificate.tls()), ..Service::config() }).await;
    let (figures, mut seen) = (figures(at).await, 0);
    for expression in
        documents::text("assets/alerts.yaml").lines().filter_map(|line| line.trim().strip_prefix("expr: "))
    {
        let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for metric in words.filter(|word| word.starts_with("petstore_")) {
            assert!(figures.of(metric).count() > 0, "{metric} in {expression}");
            seen += 1;
        }
        let reasons = expression.split("reason=\"").skip(1).filter_map(|rest| rest.split('"').next());
        for reason in reasons {
            assert!(figures.0.keys().any(|series| series.contains(&format!("reason=\"{reason}\""))), "{reason}");
        }
    }
    assert!(seen >= 5, "{seen}");
}

#[tokio::test]
async fn slowed_requests_count_by_the_limit_that_they_met() {
    let one = NonZeroU32::MIN;
    let rate_limit = Some(RateLimit { each_second: one, burst: one });
    let (service, at) =
        with_metrics(Config { failed_authentications: Some(one), rate_limit, ..Config::default() }).await;
    let limited = async || {
        let figures = figures(at).await;
        ["address", "key"].map(|limit| figures.get(&format!("petstore_rate_limited_total{{limit=\"{limit}\"}}")))
    };
    assert_eq!(limited().await, [0.0, 0.0]);
    service.slowed("GET", "/v1/pets").await.is_error(429, "rate_limited");
    assert_eq!(limited().await, [1.0, 0.0]);
    until(async || service.get("/v1/pets").await.status == 429).await;
    assert_eq!(limited().await, [1.0, 1.0]);
}

#[tokio::test]
async fn the_program_and_its_start_are_reported() {
    let (_service, at) = with_metrics(Service::config()).await;
    let figures = figures(at).await;
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(figures.get(&format!("petstore_build_info{{version=\"{version}\"}}")), 1.0);
    let now = clock::now().wall.as_duration().as_secs_f64();
    let age = now - figures.get("process_start_time_seconds");
    assert!((0.0..600.0).contains(&age), "{age}");
}

#[tokio::test]
async fn metrics_are_at_one_path_of_one_listener_only() {
    let (service, at) = with_metrics(Service::config()).await;
    for target in ["/", "/v1/pets", "/healthz", "/metrics/", "/metrics/x"] {
        assert_eq!(exchange_at(at, "GET", target, &[], b"").await.status, 404, "{target}");
    }
    let head = exchange_at(at, "HEAD", "/metrics", &[], b"").await;
    assert_eq!((head.status, head.text()), (200, ""));
    let posted = exchange_at(at, "POST", "/metrics", &[], b"").await;
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET,HEAD")));
    service.send("GET", "/metrics", &[], "").await.is_error(401, "unauthorized");
    service.get("/metrics").await.is_error(404, "not_found");
}

#[tokio::test]
async fn the_listener_of_the_metrics_has_the_same_time_limits_and_stops_with_the_service() {
    let moment = Duration::from_millis(30);
    let (_service, at) = with_metrics(Config { header_time: moment, ..Service::config() }).await;
    let mut slow = TcpStream::connect(at).await.unwrap();
    slow.write_all(b"GET /metrics HT").await.unwrap();
    assert_eq!(slow.read(&mut [0]).await.unwrap(), 0);

    let (service, at) = with_metrics(Service::config()).await;
    let mut idle = TcpStream::connect(at).await.unwrap();
    // Whoever asks after it was accepted after it.
    figures(at).await;
    service.server.shutdown().await;
    assert_eq!(idle.read(&mut [0]).await.unwrap(), 0);
}
