//! API keys in the wrong place: refused, never repeated; and what may choose the command that gives one.

use super::fixture::{KEY, against, all, stdout};
use crate::stub::{always, json};

#[tokio::test]
async fn a_name_below_localhost_leads_to_this_machine_and_is_asked_of_nobody() {
    let service = always(json("200 OK", r#"[{"id":7,"name":"Rex","categoryId":1}]"#)).await;
    let address = service.base_url.replace("127.0.0.1", "no-such-till.localhost");
    let listed = against(&address, KEY, &["pets", "list", "-o", "ids"]).await;
    assert_eq!(all(&listed), (Some(0), "7\n".to_owned(), String::new()));
    let doctor = stdout(&against(&address, KEY, &["doctor"]).await);
    assert!(doctor.contains("no-such-till.localhost: this machine"), "{doctor}");
}
