//! The curl commands for the requests of this program. The key stays in the environment.

use crate::model::escape::{ascii_json, shell_word};
use crate::model::{BaseUrl, NewPet, PetQuery};

use super::NextPage;

/// The command for a list.
pub fn curl_for_list(base: &BaseUrl, query: &PetQuery) -> String {
    command(NextPage::first(base, query).0.as_str(), None)
}

/// The command that adds a pet. Each run adds another one.
pub fn curl_for_pet(base: &BaseUrl, new: &NewPet) -> String {
    // Strings and numbers can always be written.
    let json = serde_json::to_string(new).unwrap_or_default();
    command(base.join("pets").as_str(), Some(&ascii_json(&json)))
}

/// The command for `url`: a GET, or a POST of the JSON `body`.
pub(super) fn command(url: &str, body: Option<&str>) -> String {
    // -g: brackets and braces of an address mean nothing.
    let mut command = "curl -sSg -H \"Authorization: Bearer $PETSTORE_API_KEY\"".to_owned();
    if let Some(body) = body {
        // Not --data, for which an @ would be the name of a file.
        command += " -H 'Content-Type: application/json' --data-raw ";
        command += &shell_word(body);
    }
    command + " " + &shell_word(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Limit, PetStatus};

    fn base() -> BaseUrl {
        "https://api.example.com/v1".parse().unwrap()
    }

    #[test]
    fn a_list_is_asked_for_as_the_client_does() {
        let query = PetQuery { status: Some(PetStatus::Sold), limit: Limit::MAX, after: Some(-7) };
        assert_eq!(
            curl_for_list(&base(), &query),
            "curl -sSg -H \"Authorization: Bearer $PETSTORE_API_KEY\" \
             'https://api.example.com/v1/pets?limit=100&status=sold&after=-7'"
        );
    }

    #[test]
    fn no_name_leaves_its_quotes() {
        let new = NewPet { name: "o'Neil $(rm) `x` \u{200b}".into(), category_id: 3, status: None };
        assert_eq!(
            curl_for_pet(&base(), &new),
            "curl -sSg -H \"Authorization: Bearer $PETSTORE_API_KEY\" -H 'Content-Type: application/json' --data-raw \
             '{\"name\":\"o'\\''Neil $(rm) `x` \\u200b\",\"categoryId\":3}' 'https://api.example.com/v1/pets'"
        );
    }
}
