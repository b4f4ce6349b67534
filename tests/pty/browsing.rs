//! Browsing in a real terminal: what is kept from one start to the next, and keys of one's own.

use crate::prelude::*;

use std::io::Read as _;

/// A service that answers this many requests with two pets, and is then gone.
fn answering(requests: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(requests) {
            let mut stream = stream.unwrap();
            let mut request = [0; 2048];
            let read = stream.read(&mut request).unwrap();
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            let rex = r#"{"id":7,"name":"Rex","categoryId":1,"status":"available"}"#;
            let mochi = r#"{"id":9,"name":"Mochi","categoryId":3,"status":"sold"}"#;
            let body = match request.split_once("status=") {
                Some((_, rest)) if rest.starts_with("available") => format!("[{rex}]"),
                Some((_, rest)) if rest.starts_with("sold") => format!("[{mochi}]"),
                Some(_) => "[]".to_owned(),
                None => format!("[{rex},{mochi}]"),
            };
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ";
            stream.write_all(format!("{head}{}\r\n\r\n{body}", body.len()).as_bytes()).unwrap();
        }
    });
    format!("http://{address}/v1")
}

#[test]
fn with_the_service_away_the_last_lists_are_browsed_and_searched() {
    let state = tempfile::tempdir().unwrap();
    let base_url = answering(1);
    let start = || {
        let start = Start::petstore(&["--base-url", &base_url]).env("PETSTORE_API_KEY", "petk_0123456789abcdef77d0");
        start.env("XDG_STATE_HOME", state.path().to_str().unwrap()).open()
    };
    let mut app = start();
    app.shows(&["Rex", "Mochi", "[All 2]", "sold 1"]);
    let lists = state.path().join("petstore/lists");
    app.wait_until("the kept file", |_, _| fs::read_dir(&lists).is_ok_and(|mut files| files.next().is_some()));
    app.quit();
    let mut app = start();
    app.shows(&["Rex", "Mochi", "OFFLINE", "No connection to 127.0.0.1", "Retry in"]);
    app.send("/moc").shows(&["1 of 2 rows", "> 9 "]);
    app.send("\r\x1b[D").shows(&["sold 1]"]);
    app.quit();
    for file in fs::read_dir(&lists).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("Mochi") && !text.contains("petk_"), "{text}");
    }
}

#[test]
fn keys_of_ones_own_act_and_a_clash_names_both_owners() {
    let config = tempfile::tempdir().unwrap();
    fs::create_dir(config.path().join("petstore")).unwrap();
    let file = config.path().join("petstore/keymap.toml");
    fs::write(&file, "[pets]\nnewest = \"Z\"\nrefresh = \"x\"\n").unwrap();
    let mut app = Start::petstore(&["--demo"]).env("XDG_CONFIG_HOME", config.path().to_str().unwrap()).open();
    app.shows(&["keymap.toml:3: in pets x is bound to both refresh and export.", "Rex"]);
    app.send("Z").shows(&["newest first", "> 250 "]);
    app.send("?").shows(&["Help: Pets", "Z            newest first", "r F5         refresh"]);
    app.send("\x1b").shows(&["[All 250]", "Enter detail"]);
    app.quit();
}
