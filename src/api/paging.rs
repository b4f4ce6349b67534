//! A page of a list, and the way to the next one.
//!
//! The description shows no way to a further page (section 4.1). Where a service offers one it does so with
//! `Link: <...>; rel="next"` (RFC 8288); only links to the very service that was asked are followed, since the key goes
//! along.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::model::{BaseUrl, Pet, PetQuery};

/// What one list request gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PetPage {
    /// The pets, in the service's order.
    pub pets: Vec<Pet>,
    /// Where the list goes on, if the service says so.
    pub next: Option<NextPage>,
}

/// The address of a page, on the same service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NextPage(pub(super) Url);

impl NextPage {
    /// The first page of the list that `query` asks `base` for.
    pub(super) fn first(base: &BaseUrl, query: &PetQuery) -> Self {
        let mut url = base.join("pets");
        url.set_query(Some(&query.to_string()));
        Self(url)
    }

    /// Whether it is a page of the service at `base`.
    pub(super) fn is_of(&self, base: &BaseUrl) -> bool {
        self.0.origin() == base.join("").origin()
    }

    /// Reads the `Link` header values of an answer from `asked`. A link to another origin is not taken.
    pub(crate) fn from_links<'a>(asked: &Url, values: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        values
            .into_iter()
            .flat_map(links)
            .filter(|(_, params)| is_next(params))
            .filter_map(|(target, _)| asked.join(target).ok())
            .find(|url| url.origin() == asked.origin())
            .map(Self)
    }
}

/// Splits one header value into `(target, parameters)`. Targets may contain commas, so it goes by the brackets.
fn links(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value.split('<').skip(1).filter_map(|link| link.split_once('>'))
}

/// Whether the parameters of a link say `rel=next`, alone or among other relations.
fn is_next(params: &str) -> bool {
    params.split([';', ',']).filter_map(|param| param.split_once('=')).any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("rel")
            && value.trim().trim_matches('"').split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("next"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(value: &str) -> Option<String> {
        let asked = Url::parse("http://127.0.0.1:80/v1/pets?limit=20").unwrap();
        NextPage::from_links(&asked, [value]).map(|page| page.0.to_string())
    }

    #[test]
    fn the_next_link_of_the_same_origin_is_taken() {
        let there = Some("http://127.0.0.1/v1/pets?limit=20&after=7".to_owned());
        assert_eq!(next("</v1/pets?limit=20&after=7>; rel=\"next\""), there);
        assert_eq!(next("<?limit=20&after=7>; rel=next"), there);
        assert_eq!(
            next("<x>; rel=prev, <http://127.0.0.1/v1/pets?limit=20&after=7>; title=\"a\"; REL=\"last next\""),
            there
        );
    }

    #[test]
    fn other_relations_and_other_origins_are_not_followed() {
        for value in [
            "",
            "</v1/pets?after=7>; rel=\"prev\"",
            "<https://127.0.0.1/v1/pets>; rel=next",
            "<http://evil.example/v1/pets>; rel=next",
            "<http://127.0.0.1:81/v1/pets>; rel=next",
            "</v1/pets; rel=next",
        ] {
            assert_eq!(next(value), None, "{value}");
        }
    }
}
