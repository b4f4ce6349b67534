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
    app.press("H").shows(&["[Requests]", "Enter whole"]).await;
    app.press("1");
    app.quit().await;
}
