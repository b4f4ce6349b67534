//! What was asked and answered, on the screen: also of a service that refuses, and never with the key.

use super::*;

const KEY: &str = "petk_a_wrong_key_0123456789";

/// Presses a key until the screen says this: a box that opened by itself takes no keys for a moment.
async fn press_until(app: &mut TestApp, key: &str, wanted: &str) {
    let pressed = timeout(PATIENCE, async {
        while !app.screen.borrow_and_update().contains(wanted) {
            app.press(key);
            let _ = timeout(Duration::from_millis(20), app.screen.changed()).await;
        }
    });
    pressed.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_key_is_seen_in_the_requests_and_explained_but_never_shown() {
    let real = Real::with_samples(5).await;
    let mut app = TestApp::open(&real.server.base_url(), KEY, Timeouts::default());
    app.shows(&["The service needs another API key"]).await;
    press_until(&mut app, "Esc", "Nothing loaded yet.").await;
    app.press("H");
    let list = app.shows(&["this session: 1, failed 1", "GET    /v1/pets?limit=20", "! 401"]).await;
    app.press("Enter");
    let whole = app
        .shows(&[
            "Request and answer",
            "first byte after ",
            "authorization: Bearer ....6789 (hidden)",
            "status 401",
            "content-type: application/json",
        ])
        .await;
    app.press("Esc e");
    let explained =
        app.shows(&["What it means", "It is missing, wrong, expired or", "you enter another key: Esc, then F4."]).await;
    for screen in [list, whole, explained] {
        assert!(!screen.contains("petk_"), "{screen}");
    }
    app.press("H");
    app.shows(&["[Requests]", "Enter whole"]).await;
    app.press("1");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_addition_comes_while_the_screen_is_shown_and_an_echoed_key_is_hidden() {
    use tokio::io::AsyncWriteExt as _;
    // The answer to the addition waits for this, so that the screen is open before it comes.
    let go = Arc::new(tokio::sync::Notify::new());
    let gate = Arc::clone(&go);
    let strict = serve(move |_, request, mut socket| {
        let gate = Arc::clone(&gate);
        async move {
            let answer = if request.starts_with("POST") {
                gate.notified().await;
                let body = format!(r#"{{"code":"INVALID_CATEGORY","message":"9? You are {KEY}","status":400}}"#);
                json("400 Bad Request", &body)
            } else {
                json("200 OK", "[]")
            };
            let _ = socket.write_all(&answer).await;
        }
    })
    .await;
    let mut app = TestApp::open(&strict.base_url, KEY, Timeouts::default());
    app.shows(&["No pets yet.", "sold 0"]).await;
    app.press("a \"Biscuit\" Tab \"9\" F2 Esc H");
    app.shows(&["this session: 1, failed 0"]).await;
    // The newest: which one it was on depends on how many had come when the screen was opened.
    app.press("Home");
    go.notify_one();
    // The cursor stays on the request that it was on.
    let list = app.shows(&["this session: 2, failed 1", "POST   /v1/pets ", "! 400"]).await;
    app.press("k Enter");
    let refused = app.shows(&["Request and answer", "\"name\": \"Biscuit\",", "status 400"]).await;
    app.press("End");
    let end = app.shows(&["You are ....6789"]).await;
    for screen in [list, refused, end] {
        assert!(!screen.replace("petk_...", "").contains("petk_"), "{screen}");
    }
    app.press("Esc 1");
    app.quit().await;
}
