//! Lists that are asked for again cheaply: each page with its entity tag, so that a service which knows those answers
//! 304 and no rows where nothing has changed (RFC 9110, sections 8.8.3 and 13.1.2).

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Client, NextPage, Offers, PetPage, Result};
use crate::clock;
use crate::model::{BaseUrl, Pet, PetId, PetQuery};

/// The pets of one or more pages, each id once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct List {
    /// In the service's order.
    pub pets: Arc<Vec<Pet>>,
    pages: Vec<Page>,
}

/// What is known of one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Page {
    /// Where it came from; `None` for one that no service gave.
    asked: Option<NextPage>,
    /// Only where it can be shown again: the page is here just as it came.
    etag: Option<String>,
    /// How many rows of the list are from it.
    len: usize,
    next: Option<NextPage>,
}

/// What a list request gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListAnswer {
    /// The list; `None` where it is still the known one.
    pub list: Option<List>,
    /// How long the first page took.
    pub took: Duration,
    /// The time by the clock of the service, if known.
    pub there: Option<Timestamp>,
    /// What is offered there beyond the description.
    pub offers: Offers,
}

impl List {
    /// A list of one page that no service gave.
    pub fn of(pets: Vec<Pet>, next: Option<NextPage>) -> Self {
        let mut list = Self::default();
        list.push(Page { asked: None, etag: None, len: pets.len(), next }, pets, &mut HashSet::new());
        list
    }

    /// How many pages it is made of.
    pub fn pages(&self) -> u16 {
        self.pages.len().try_into().unwrap_or(u16::MAX)
    }

    /// Where it goes on, if the service says so.
    pub fn next(&self) -> Option<&NextPage> {
        self.pages.last()?.next.as_ref()
    }

    /// The same list as one of the service at `base`. Where its addresses are those of another service, or none is
    /// known, it keeps only its rows: the key must not follow them. Where it went on, they are as of one page that may
    /// have been cut, so that they are not taken for all.
    pub fn only_of(self, base: Option<&BaseUrl>) -> Self {
        let here = |page: &Option<NextPage>| page.as_ref().is_none_or(|page| base.is_some_and(|base| page.is_of(base)));
        if self.pages.iter().all(|page| here(&page.asked) && here(&page.next)) {
            return self;
        }
        if self.next().is_some() {
            return Self { pages: vec![Page { asked: None, etag: None, len: self.pets.len(), next: None }], ..self };
        }
        let pages = self.pages.into_iter().map(|page| Page { asked: None, etag: None, next: None, ..page });
        Self { pages: pages.collect(), ..self }
    }

    /// Puts a page at the end. `ids` are those of the pets that are here.
    fn push(&mut self, mut page: Page, mut rows: Vec<Pet>, ids: &mut HashSet<PetId>) {
        rows.retain(|pet| ids.insert(pet.id));
        if rows.len() < page.len {
            page.len = rows.len();
            // The omitted rows would be missing if this page stayed the same and another one changed.
            page.etag = None;
        }
        Arc::make_mut(&mut self.pets).append(&mut rows);
        self.pages.push(page);
    }

    /// The pages with their rows.
    fn parts(&self) -> impl Iterator<Item = (&Page, &[Pet])> {
        let mut rest = self.pets.as_slice();
        self.pages.iter().map(move |page| {
            let (rows, after) = rest.split_at(page.len.min(rest.len()));
            rest = after;
            (page, rows)
        })
    }
}

/// A page as it is now with its rows, both borrowed where it is the known one.
type Part<'a> = (Cow<'a, Page>, Cow<'a, [Pet]>);

/// A list with up to `pages` pages of it, at least one. Where `known` has a page of the same address, its rows come only
/// if they are others; a page that fails makes the whole fail.
pub async fn list(client: &Client, query: &PetQuery, pages: u16, known: Option<&List>) -> Result<ListAnswer> {
    let started = clock::now().mono;
    let mut known_parts = known.into_iter().flat_map(List::parts);
    let mut parts = vec![part(client, client.first_page(query), known_parts.next()).await?];
    let took = clock::now().mono.saturating_duration_since(started);
    while parts.len() < usize::from(pages)
        && let Some(next) = parts.last().and_then(|(page, _)| page.next.clone())
    {
        parts.push(part(client, next, known_parts.next()).await?);
    }
    let same_number = known.is_some_and(|known| known.pages.len() == parts.len());
    let unchanged = same_number && parts.iter().all(|(page, _)| matches!(page, Cow::Borrowed(_)));
    let assembled = || {
        let (mut list, mut ids) = (List::default(), HashSet::new());
        for (page, rows) in parts {
            list.push(page.into_owned(), rows.into_owned(), &mut ids);
        }
        list
    };
    let list = (!unchanged).then(assembled);
    Ok(ListAnswer { list, took, there: client.time(), offers: client.offers() })
}

/// The page at `asked`, which may be `known`.
async fn part<'a>(client: &Client, asked: NextPage, known: Option<(&'a Page, &'a [Pet])>) -> Result<Part<'a>> {
    let known = known.filter(|(page, _)| page.asked.as_ref() == Some(&asked));
    let etag = known.and_then(|(page, _)| page.etag.as_deref());
    let mut unread = client.unread_page(&asked, etag).await?;
    if let Some((page, rows)) = known.filter(|_| unread.is_same) {
        // An entity tag may stand for the rows only; a full last page gets its next one without a change of those.
        let next = unread.next.filter(|next| Some(next) != page.next.as_ref());
        let page = next.map_or(Cow::Borrowed(page), |next| Cow::Owned(Page { next: Some(next), ..page.clone() }));
        return Ok((page, Cow::Borrowed(rows)));
    }
    let etag = unread.etag.take();
    let PetPage { pets, next } = unread.read()?;
    let new = Page { asked: Some(asked), etag, len: pets.len(), next };
    Ok((Cow::Owned(new), Cow::Owned(pets)))
}
