//! What holds on every database.

use crate::prelude::*;

use petstore::model::{AddedBy, PatchOperation, PetHistoryEntry, PetMember, PetMembers, Provenance};
use petstore::store::ChangeOutcome;
use petstore::store::keys::Scope;

use super::fixture::{Database, Kind, added_after, fails, once, rex, till, till_key};

/// Runs each check of this file on each kind of database.
macro_rules! on_each_database {
    ($($check:ident,)*) => {
        mod on_sqlite { on_each_database!(@ Sqlite, $($check,)*); }
        mod on_postgres { on_each_database!(@ Postgres, $($check,)*); }
        mod on_a_serializable_one { on_each_database!(@ Serializable, $($check,)*); }
    };
    (@ $kind:ident, $($check:ident,)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $check() {
            if let Some(database) = super::Database::new(super::Kind::$kind) {
                super::$check(&database).await;
            }
        }
    )*};
}

on_each_database! {
    a_pet_comes_back_as_it_was_added_also_after_reopening,
    every_name_and_number_comes_back_as_it_was,
    pages_follow_the_ids_and_end,
    a_full_last_page_has_no_next_and_a_filter_pages_within_its_status,
    pages_of_the_newest_first_are_the_same_the_other_way_round,
    sixty_four_writers_at_once_get_ids_of_their_own,
    a_closed_store_refuses,
    two_that_open_a_new_database_at_once_both_work,
    a_repeat_gives_the_first_pet_also_after_reopening,
    the_same_creation_at_two_instances_at_once_adds_one_pet,
    a_used_key_with_another_creation_is_refused_and_adds_nothing,
    an_idempotency_key_is_kept_for_a_day,
    a_wrong_clock_forgets_no_idempotency_key,
    a_key_is_found_by_the_right_text_only,
    a_key_revoked_by_one_instance_is_refused_by_the_other_within_five_seconds,
    an_expired_key_is_refused,
    a_rotated_key_and_the_new_one_are_both_good_for_a_while,
    what_was_done_to_keys_is_noted,
    the_log_of_keys_and_what_is_recorded_of_pets_name_the_same_keys,
    the_first_key_is_made_once,
    a_store_says_that_it_is_ready,
    a_change_is_made_only_of_a_pet_that_is_as_it_was_seen_and_is_kept,
    of_many_changes_of_one_pet_at_once_one_is_made,
    a_repeated_change_is_made_once_whatever_came_between,
    whoever_follows_sees_each_change_once_and_after_its_pet,
}

/// The patch that makes a pet of one status one of another.
fn status(from: PetStatus, to: PetStatus) -> PetPatch {
    let [from, to] = [from, to].map(PetMember::Status);
    PetPatch(vec![PatchOperation::Test(from), PatchOperation::Replace(to)])
}

async fn a_change_is_made_only_of_a_pet_that_is_as_it_was_seen_and_is_kept(database: &Database) {
    let (store, now) = (database.open().await, clock::now());
    let (key, _) = till_key(&store).await;
    let pet = store.add_by(rex(), Some(key), now).await.unwrap();
    let sell = status(PetStatus::Available, PetStatus::Sold);
    let sold = Pet { status: Some(PetStatus::Sold.into()), ..pet.clone() };
    let change = async |id, patch: &PetPatch| store.change(id, patch.clone(), None, key, now).await.unwrap();
    assert_eq!(change(pet.id, &sell).await, ChangeOutcome::Changed(sold.clone()));
    assert_eq!(store.get(pet.id).await.unwrap().as_ref(), Some(&sold));
    assert_eq!(change(pet.id, &sell).await, ChangeOutcome::Refused(sold.clone()));
    assert_eq!(change(pet.id, &PetPatch::default()).await, ChangeOutcome::Changed(sold.clone()), "nothing changes");
    assert_eq!(change(pet.id + 1, &sell).await, ChangeOutcome::NoSuchPet);
    let renamed = Pet { name: "Max".to_owned(), category_id: -4, ..sold.clone() };
    store.set_provenance(false);
    assert_eq!(change(pet.id, &PetPatch::between(&sold, &renamed)).await, ChangeOutcome::Changed(renamed.clone()));
    store.close().await;

    let reopened = database.open().await;
    let of_status = |status| PetQuery { status: Some(status), ..PetQuery::default() };
    assert_eq!(reopened.list(&of_status(PetStatus::Sold)).await.unwrap().pets, [renamed]);
    assert_eq!(reopened.list(&of_status(PetStatus::Available)).await.unwrap().pets, []);
    let history = reopened.history(pet.id).await.unwrap().unwrap();
    let at = Some(Timestamp::from_second(now.wall.as_second()).unwrap());
    let by = || Some(AddedBy { key: key.to_string(), name: Some("till".to_owned()) });
    let members = |name: Option<&str>, category_id, status: Option<PetStatus>| PetMembers {
        name: name.map(str::to_owned),
        category_id,
        status: status.map(Into::into),
    };
    let (name, category) = (Some(&*pet.name), Some(pet.category_id));
    let is_available = members(None, None, Some(PetStatus::Available));
    assert_eq!(
        history,
        [
            PetHistoryEntry { at, by: by(), from: None, to: members(name, category, Some(PetStatus::Available)) },
            PetHistoryEntry { at, by: by(), from: Some(is_available), to: members(None, None, Some(PetStatus::Sold)) },
            PetHistoryEntry {
                at: None,
                by: None,
                from: Some(members(name, category, None)),
                to: members(Some("Max"), Some(-4), None)
            },
        ]
    );
    assert_eq!(reopened.history(pet.id + 1).await.unwrap(), None);
}

async fn of_many_changes_of_one_pet_at_once_one_is_made(database: &Database) {
    let (store, other) = (database.open().await, database.open().await);
    let (key, _) = till_key(&store).await;
    let pet = store.add(rex(), clock::now()).await.unwrap();
    let mut tills = JoinSet::new();
    for till in 0..64 {
        let store = [&store, &other][till % 2].clone();
        let patch = status(PetStatus::Available, [PetStatus::Sold, PetStatus::Pending][till / 2 % 2]);
        tills.spawn(async move { store.change(pet.id, patch, None, key, clock::now()).await.unwrap() });
    }
    let mut changed: Vec<_> = tills.join_all().await;
    changed.retain(|outcome| matches!(outcome, ChangeOutcome::Changed(_)));
    let now = store.get(pet.id).await.unwrap().unwrap();
    assert_eq!(changed, [ChangeOutcome::Changed(now)]);
    assert_eq!(store.history(pet.id).await.unwrap().unwrap().len(), 2);
}

async fn a_repeated_change_is_made_once_whatever_came_between(database: &Database) {
    let (store, other) = (database.open().await, database.open().await);
    let (key, _) = till_key(&store).await;
    let pet = store.add(rex(), clock::now()).await.unwrap();
    let (sell, back) = (status(PetStatus::Available, PetStatus::Sold), status(PetStatus::Sold, PetStatus::Available));
    let change = async |store: &Store, patch: &PetPatch, name| {
        store.change(pet.id, patch.clone(), Some(once(key, name)), key, clock::now()).await
    };
    let sold = Pet { status: Some(PetStatus::Sold.into()), ..pet.clone() };
    assert_eq!(change(&store, &sell, "a").await.unwrap(), ChangeOutcome::Changed(sold.clone()));
    assert_eq!(change(&store, &sell, "a").await.unwrap(), ChangeOutcome::Replayed(sold));
    assert_eq!(change(&other, &back, "b").await.unwrap(), ChangeOutcome::Changed(pet.clone()));
    assert_eq!(change(&other, &sell, "a").await.unwrap(), ChangeOutcome::Replayed(pet.clone()));
    assert!(matches!(change(&store, &back, "a").await, Err(StoreError::IdempotencyMismatch)));
    let added = store.add_once(rex(), once(key, "a"), clock::now()).await;
    assert!(matches!(added, Err(StoreError::IdempotencyMismatch)));
    // What was refused may be asked for again.
    assert_eq!(change(&store, &back, "c").await.unwrap(), ChangeOutcome::Refused(pet.clone()));
    let (one, two) = tokio::join!(change(&store, &sell, "c"), change(&other, &sell, "d"));
    assert_eq!([one, two].iter().filter(|one| matches!(one, Ok(ChangeOutcome::Changed(_)))).count(), 1);
    assert_eq!(store.history(pet.id).await.unwrap().unwrap().len(), 4);
}

async fn whoever_follows_sees_each_change_once_and_after_its_pet(database: &Database) {
    const EACH: usize = 60;
    let (store, other) = (database.open().await, database.open().await);
    let (key, _) = till_key(&store).await;
    let mut tills = JoinSet::new();
    for till in 0..8 {
        let store = [&store, &other][till % 2].clone();
        tills.spawn(async move {
            for _ in 0..EACH {
                let pet = store.add(rex(), clock::now()).await.unwrap();
                let sell = status(PetStatus::Available, PetStatus::Sold);
                let sold = store.change(pet.id, sell, None, key, clock::now()).await.unwrap();
                assert!(matches!(sold, ChangeOutcome::Changed(_)), "{sold:?}");
            }
        });
    }
    let (mut position, mut pets, mut changes) = (Position::default(), Vec::new(), Vec::new());
    while changes.len() < 8 * EACH {
        let news = store.news_after(position, 7).await.unwrap();
        for added in news.pets {
            position.pet = added.pet.id;
            pets.push(added.pet.id);
        }
        for changed in news.changes {
            assert!(changed.change > position.change && pets.contains(&changed.pet.id));
            assert_eq!(changed.pet.status, Some(PetStatus::Sold.into()));
            position.change = changed.change;
            changes.push(changed.pet.id);
        }
        yield_now().await;
    }
    tills.join_all().await;
    let news = store.news_after(position, 7).await.unwrap();
    assert_eq!((news.pets.len(), news.changes.len()), (0, 0));
    let all = BTreeSet::from_iter(pets.iter().copied());
    assert!(pets.is_sorted() && all.len() == pets.len() && all == changes.into_iter().collect());
}

async fn a_pet_comes_back_as_it_was_added_also_after_reopening(database: &Database) {
    let store = database.open().await;
    let added = store.add(rex(), clock::now()).await.unwrap();
    assert_eq!(added.status, Some(PetStatus::Available.into()));
    assert!(added.id > 0);
    assert_eq!(store.get(added.id).await.unwrap(), Some(added.clone()));
    assert_eq!(store.get(added.id + 1).await.unwrap(), None);
    store.close().await;
    let reopened = database.open().await;
    assert_eq!(reopened.get(added.id).await.unwrap(), Some(added));
}

async fn every_name_and_number_comes_back_as_it_was(database: &Database) {
    let store = database.open().await;
    let names = ["Zoë", "Zoe\u{308}", "👩‍🚀", "وردة", "猫", "'; DROP TABLE pets; --", "<b>", "=1+1", &"x".repeat(255)];
    for (name, category_id) in
        names.into_iter().zip([0, -1, i64::MAX, i64::MIN, 9_007_199_254_740_993].into_iter().cycle())
    {
        let new = NewPet { name: name.into(), category_id, status: Some(PetStatus::Pending) };
        let added = store.add(new.clone(), clock::now()).await.unwrap();
        assert_eq!(
            (&added.name, added.category_id, added.status.clone()),
            (&new.name, category_id, new.status.map(Into::into))
        );
        assert_eq!(store.get(added.id).await.unwrap(), Some(added));
    }
}

async fn pages_follow_the_ids_and_end(database: &Database) {
    let store = database.open().await;
    store.insert_samples(25, clock::now()).await.unwrap();
    let pages = pages(&store, Limit::try_from(10).unwrap()).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [10, 10, 5]);
    assert!(pages.concat().is_sorted_by(|one, next| one.id < next.id));
}

async fn a_full_last_page_has_no_next_and_a_filter_pages_within_its_status(database: &Database) {
    let store = database.open().await;
    store.insert_samples(20, clock::now()).await.unwrap();
    assert_eq!(store.list(&PetQuery::default()).await.unwrap().next, None);
    let sold = PetQuery { status: Some(PetStatus::Sold), limit: Limit::MIN, ..PetQuery::default() };
    let first = store.list(&sold).await.unwrap();
    let second = store.list(&PetQuery { after: first.next, ..sold }).await.unwrap();
    assert_eq!((first.pets.len(), second.pets.len(), second.next), (1, 1, None));
    assert!(first.pets[0].id < second.pets[0].id);
}

async fn pages_of_the_newest_first_are_the_same_the_other_way_round(database: &Database) {
    let store = database.open().await;
    store.insert_samples(25, clock::now()).await.unwrap();
    for (status, lengths) in [(Some(PetStatus::Pending), vec![2, 2, 2]), (None, vec![2; 14])] {
        let mut query = PetQuery { status, limit: Limit::try_from(2).unwrap(), newest_first: true, after: None };
        let mut pages = Vec::new();
        loop {
            let page = store.list(&query).await.unwrap();
            pages.push(page.pets);
            // It is newer than all pages that follow.
            store.add(rex(), clock::now()).await.unwrap();
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), lengths);
        let query = PetQuery { newest_first: false, limit: Limit::MAX, ..query };
        let mut all = store.list(&query).await.unwrap().pets;
        all.truncate(lengths.iter().sum());
        all.reverse();
        assert_eq!(pages.concat(), all);
    }
    let none = PetQuery { newest_first: true, after: Some(1), ..PetQuery::default() };
    assert_eq!(store.list(&none).await.unwrap().pets, []);
}

async fn sixty_four_writers_at_once_get_ids_of_their_own(database: &Database) {
    let store = database.open().await;
    let writers = (0..64).map(|number| {
        let store = store.clone();
        let new = NewPet { name: format!("Pet {number}"), ..rex() };
        tokio::spawn(async move { store.add(new, clock::now()).await.unwrap() })
    });
    let mut added = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        added.push(writer.await.unwrap());
    }
    store.close().await;
    let reopened = database.open().await;
    assert_eq!(added.iter().map(|pet| pet.id).collect::<BTreeSet<_>>().len(), 64);
    for pet in added {
        assert_eq!(reopened.get(pet.id).await.unwrap(), Some(pet));
    }
    assert_eq!(all(&reopened).await.len(), 64);
}

async fn a_closed_store_refuses(database: &Database) {
    let store = database.open().await;
    store.list(&PetQuery::default()).await.unwrap();
    store.close().await;
    store.close().await;
    fails(store.add(rex(), clock::now()).await, FailureKind::Closed);
    fails(store.list(&PetQuery::default()).await, FailureKind::Closed);
}

async fn two_that_open_a_new_database_at_once_both_work(database: &Database) {
    let (one, two) = tokio::join!(Store::open(&database.url), Store::open(&database.url));
    let (one, two) = (one.unwrap(), two.unwrap());
    let (first, second) = tokio::join!(one.add(rex(), clock::now()), two.add(rex(), clock::now()));
    assert_ne!(first.unwrap().id, second.unwrap().id);
}

async fn a_repeat_gives_the_first_pet_also_after_reopening(database: &Database) {
    let store = database.open().await;
    let (api_key, _) = till_key(&store).await;
    let first = store.add_once(rex(), once(api_key, "k"), clock::now()).await.unwrap();
    store.close().await;
    let reopened = database.open().await;
    let again = reopened.add_once(rex(), once(api_key, "k"), clock::now()).await.unwrap();
    assert_eq!((first.replayed, again.replayed, &again.pet), (false, true, &first.pet));
    let (other, _) = till_key(&reopened).await;
    assert!(!reopened.add_once(rex(), once(other, "k"), clock::now()).await.unwrap().replayed);
    assert_eq!(all(&reopened).await.len(), 2);
}

async fn the_same_creation_at_two_instances_at_once_adds_one_pet(database: &Database) {
    let (one, two) = (database.open().await, database.open().await);
    let (api_key, _) = till_key(&one).await;
    for number in 0..20 {
        let key = number.to_string();
        let add = |store: &Store| {
            let (store, once) = (store.clone(), once(api_key, &key));
            async move { store.add_once(rex(), once, clock::now()).await.unwrap() }
        };
        let (first, second) = tokio::join!(add(&one), add(&two));
        assert_eq!(first.pet, second.pet);
        assert!(first.replayed != second.replayed);
    }
    assert_eq!(all(&one).await.len(), 20);
}

async fn a_used_key_with_another_creation_is_refused_and_adds_nothing(database: &Database) {
    let store = database.open().await;
    let (api_key, _) = till_key(&store).await;
    store.add_once(rex(), once(api_key, "k"), clock::now()).await.unwrap();
    let other = NewPet { status: Some(PetStatus::Sold), ..rex() };
    let refused = store.add_once(other, once(api_key, "k"), clock::now()).await;
    assert!(matches!(refused, Err(StoreError::IdempotencyMismatch)));
    assert_eq!(all(&store).await.len(), 1);
}

async fn an_idempotency_key_is_kept_for_a_day(database: &Database) {
    let store = database.open().await;
    let (api_key, _) = till_key(&store).await;
    let now = clock::now();
    let first = store.add_once(rex(), once(api_key, "k"), now).await.unwrap();
    let nearly = later(now, Idempotency::RETENTION - Duration::from_secs(1));
    add_others(&store, api_key, nearly).await;
    let repeated = store.add_once(rex(), once(api_key, "k"), nearly).await.unwrap();
    assert_eq!((repeated.replayed, repeated.pet.id), (true, first.pet.id));
}

async fn a_wrong_clock_forgets_no_idempotency_key(database: &Database) {
    let (right, wrong) = (database.open().await, database.open().await);
    let (api_key, _) = till_key(&right).await;
    let (now, wrong_by) = (clock::now(), Duration::from_secs(25 * 60 * 60));
    let (ahead, behind) = (Now { wall: now.wall + wrong_by, ..now }, Now { wall: now.wall - wrong_by, ..now });
    let add = async |store: &Store, key: &str, at| store.add_once(rex(), once(api_key, key), at).await.unwrap();
    let first =
        [add(&right, "right", now).await, add(&wrong, "ahead", ahead).await, add(&wrong, "behind", behind).await];
    add_others(&wrong, api_key, ahead).await;
    for (key, first) in ["right", "ahead", "behind"].into_iter().zip(first) {
        for (store, at) in [(&right, now), (&wrong, ahead), (&wrong, behind)] {
            let repeated = add(store, key, at).await;
            assert_eq!((repeated.replayed, repeated.pet.id), (true, first.pet.id), "{key}");
        }
    }
}

/// So many that old keys are looked for, and until that is done.
async fn add_others(store: &Store, api_key: KeyId, at: Now) {
    for number in 0..65 {
        let key = format!("{number} at {}", at.wall);
        store.add_once(rex(), once(api_key, &key), at).await.unwrap();
    }
}

async fn a_key_is_found_by_the_right_text_only(database: &Database) {
    let store = database.open().await;
    let now = clock::now();
    let (id, key) = till_key(&store).await;
    let key = key.expose_secret();
    let identity = store.verify_key(key, now).await.unwrap().unwrap();
    assert_eq!((identity.key, identity.scopes), (id, Scopes::default()));
    let other = store.session_key().unwrap();
    assert!(store.verify_key(other.expose_secret(), now).await.unwrap().is_some());
    for wrong in ["", "petk_", &key[..40], &key.to_lowercase()] {
        assert_eq!(store.verify_key(wrong, now).await.unwrap(), None, "{wrong:?}");
    }
    let evil = NewKey { name: "\x1b".into(), ..till() };
    let refused = store.create_key(evil, "ada", now).await.unwrap_err().to_string();
    assert!(refused.starts_with("Name contains U+"), "{refused}");
    store.close().await;
    let reopened = database.open().await;
    assert!(reopened.verify_key(key, now).await.unwrap().is_some());
    assert_eq!(reopened.verify_key(other.expose_secret(), now).await.unwrap(), None);
}

async fn a_key_revoked_by_one_instance_is_refused_by_the_other_within_five_seconds(database: &Database) {
    let (one, two) = (database.open().await, database.open().await);
    let now = clock::now();
    let (id, key) = till_key(&one).await;
    assert!(two.verify_key(key.expose_secret(), now).await.unwrap().is_some());
    let revoked = one.revoke_key(id, "ada", now).await.unwrap().unwrap();
    assert_eq!(revoked.revoked_at.map(Timestamp::as_second), Some(now.wall.as_second()));
    assert_eq!(one.verify_key(key.expose_secret(), now).await.unwrap(), None);
    assert_eq!(two.verify_key(key.expose_secret(), later(now, Duration::from_secs(5))).await.unwrap(), None);
    let again = two.revoke_key(id, "eve", later(now, Duration::from_secs(60))).await.unwrap().unwrap();
    assert_eq!(again.revoked_at, revoked.revoked_at);
}

async fn an_expired_key_is_refused(database: &Database) {
    let store = database.open().await;
    let now = clock::now();
    let expires_at = Some(later(now, Duration::from_secs(60)).wall);
    let (_, key) = store.create_key(NewKey { expires_at, ..till() }, "ada", now).await.unwrap();
    assert!(store.verify_key(key.expose_secret(), later(now, Duration::from_secs(58))).await.unwrap().is_some());
    assert_eq!(store.verify_key(key.expose_secret(), later(now, Duration::from_secs(61))).await.unwrap(), None);
}

async fn a_rotated_key_and_the_new_one_are_both_good_for_a_while(database: &Database) {
    let store = database.open().await;
    let now = clock::now();
    let admin = NewKey { scopes: Scopes::ADMIN, ..till() };
    let (id, old) = store.create_key(admin, "ada", now).await.unwrap();
    let minute = now.wall + Duration::from_secs(60);
    let (_, new, until) = store.rotate_key(id, minute, "ada", now).await.unwrap().unwrap();
    assert_eq!(until, minute);
    for (key, seconds, is_good) in [(&old, 30, true), (&new, 30, true), (&old, 90, false), (&new, 90, true)] {
        let found = store.verify_key(key.expose_secret(), later(now, Duration::from_secs(seconds))).await.unwrap();
        assert_eq!(found.is_some_and(|identity| identity.scopes.allow(Scope::Admin)), is_good, "{seconds}");
    }
    let soon = now.wall + Duration::from_secs(30);
    let (id, _) = store.create_key(NewKey { expires_at: Some(soon), ..till() }, "ada", now).await.unwrap();
    let (.., until) = store.rotate_key(id, minute, "ada", now).await.unwrap().unwrap();
    assert_eq!(until.as_second(), soon.as_second(), "its own end is not put off");
    let late = later(now, Duration::from_secs(90));
    assert_eq!(store.rotate_key(id, late.wall, "ada", late).await.unwrap().map(|(id, ..)| id), None);
}

async fn what_was_done_to_keys_is_noted(database: &Database) {
    let store = database.open().await;
    let at = |seconds| later(clock::now(), Duration::from_secs(seconds));
    let (id, _) = store.create_key(till(), "ada", at(0)).await.unwrap();
    store.revoke_key(id, "eve", at(10)).await.unwrap();
    store.revoke_key(id, "ida", at(20)).await.unwrap();
    let events = database.key_events().await;
    let told: Vec<_> = events.iter().map(|(_, action, key, actor)| (&**action, &**key, &**actor)).collect();
    assert_eq!(told, [("created", id.as_str(), "ada"), ("revoked", id.as_str(), "eve")]);
    assert_eq!(store.list_keys().await.unwrap().len(), 1);
}

async fn the_log_of_keys_and_what_is_recorded_of_pets_name_the_same_keys(database: &Database) {
    let store = database.open().await;
    let now = clock::now();
    let (old, _) = till_key(&store).await;
    let add = async |key| store.add_by(rex(), key, now).await.unwrap().id;
    let first = add(Some(old)).await;
    store.rename_key(old, "till 2".to_owned(), "ada", now).await.unwrap().unwrap();
    let soon = now.wall + Duration::from_secs(60);
    let (new, ..) = store.rotate_key(old, soon, "ada", now).await.unwrap().unwrap();
    let second = add(Some(new)).await;
    store.revoke_key(old, "ada", now).await.unwrap().unwrap();
    store.rename_key(new, "till 3".to_owned(), "ada", now).await.unwrap().unwrap();
    store.rename_key(new, "till 3".to_owned(), "ada", now).await.unwrap().unwrap();
    let nobody = add(None).await;
    store.set_provenance(false);
    let unrecorded = add(Some(new)).await;
    assert_eq!(store.rename_key("00000000".parse().unwrap(), "x".to_owned(), "ada", now).await.unwrap(), None);

    let at = Some(Timestamp::from_second(now.wall.as_second()).unwrap());
    let by = |key: KeyId, name: &str| Some(AddedBy { key: key.to_string(), name: Some(name.to_owned()) });
    let recorded = [
        (first, Provenance { added_at: at, added_by: by(old, "till 2") }),
        (second, Provenance { added_at: at, added_by: by(new, "till 3") }),
        (nobody, Provenance { added_at: at, added_by: None }),
        (unrecorded, Provenance::default()),
    ];
    for (id, provenance) in &recorded {
        assert_eq!(store.provenance(*id).await.unwrap().as_ref(), Some(provenance));
    }
    let followed = added_after(&store, 0).await;
    assert!(
        followed.iter().map(|added| (added.pet.id, &added.provenance)).eq(recorded.iter().map(|(id, of)| (*id, of)))
    );
    assert_eq!(store.provenance(unrecorded + 1).await.unwrap(), None);
    let events = database.key_events().await;
    let told: BTreeSet<_> = events.iter().map(|(_, action, key, _)| (key.clone(), action.as_str())).collect();
    let (old, new) = (old.to_string(), new.to_string());
    let done = [
        (&old, "created"),
        (&old, "renamed"),
        (&old, "rotated"),
        (&old, "revoked"),
        (&new, "created"),
        (&new, "renamed"),
    ];
    assert_eq!(told, done.into_iter().map(|(key, action)| (key.clone(), action)).collect());
    assert_eq!(events.len(), done.len());
}

async fn the_first_key_is_made_once(database: &Database) {
    let store = database.open().await;
    assert!(store.list_keys().await.unwrap().is_empty());
    let create =
        |hand_over: fn(&SecretString) -> io::Result<()>| store.create_first_key(till(), "ada", clock::now(), hand_over);
    let refused = create(|_| Err(ErrorKind::StorageFull.into())).await;
    assert!(matches!(refused, Err(StoreError::HandOver(_))) && store.list_keys().await.unwrap().is_empty());
    assert!(create(|_| Ok(())).await.unwrap());
    assert!(!create(|_| Err(ErrorKind::StorageFull.into())).await.unwrap());
    assert!(!store.list_keys().await.unwrap().is_empty());
}

async fn a_store_says_that_it_is_ready(database: &Database) {
    let store = database.open().await;
    store.ping().await.unwrap();
    store.close().await;
    assert!(store.ping().await.is_err());
}

/// Every pet, page by page.
pub async fn all(store: &Store) -> Vec<Pet> {
    pages(store, Limit::MAX).await.concat()
}

async fn pages(store: &Store, limit: Limit) -> Vec<Vec<Pet>> {
    let mut query = PetQuery { limit, ..PetQuery::default() };
    let mut pages = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        pages.push(page.pets);
        query.after = page.next;
        if query.after.is_none() {
            return pages;
        }
    }
}

fn later(now: Now, time: Duration) -> Now {
    Now { mono: now.mono + time, wall: now.wall + time }
}
