//! Pets that others add, as the service reports them.

use crate::tui::testing::prelude::*;

use crate::app::inventory::changes::ChangeKind;
use crate::app::inventory::store::PetStore;
use crate::model::Provenance;
use crate::transfer::preview::RowCounts;
use crate::transfer::{ImportOptions, ImportRun};
use crate::tui::job::Started;
use crate::tui::testing::{job_of, listed, provenance};

use super::{count, ids, marked, next_page, refused, selected, unauthorized};
use crate::tui::screens::pets::reading::MOST_HELD;

fn offered(pets: &[Pet]) -> Result<ListAnswer, Failure> {
    listed(pets.to_vec(), None).map(|answer| ListAnswer { offers: Offers { events: true, ..answer.offers }, ..answer })
}

/// The same, of a service that has more.
fn offered_part(pets: &[Pet]) -> Result<ListAnswer, Failure> {
    listed(pets.to_vec(), Some(next_page()))
        .map(|answer| ListAnswer { offers: Offers { events: true, ..answer.offers }, ..answer })
}

/// An app on a service with these pets, whose events it follows.
fn live(columns: u16, lines: u16, pets: &[Pet]) -> TestApp {
    let mut app = TestApp::started(remote(), columns, lines).answered::<ListPets>(offered(pets));
    // What is read before the connection is there may miss changes.
    followed(&mut app, Followed::Connected(EventPosition::after(pets.last().map_or(0, |pet| pet.id)), false));
    app.answer::<ListPets>(offered(pets)).answer_lists(pets);
    app.screen();
    app
}

fn followed(app: &mut TestApp, news: Followed) {
    let id = app.job(Slot::Follow).expect("the service is followed").id;
    let position = match &news {
        Followed::Added(added) => added.last().map(|added| EventPosition::after(added.pet.id)),
        _ => None,
    };
    app.say_to::<FollowPets>(id, (news, position));
}

fn connected(after: PetId) -> Followed {
    Followed::Connected(EventPosition::after(after), true)
}

fn reported(pets: Vec<Pet>) -> Followed {
    Followed::Added(pets.into_iter().map(|pet| AddedPet { pet, provenance: None }).collect())
}

fn newcomer(id: PetId, name: &str, status: PetStatus) -> Pet {
    Pet { id, name: name.into(), category_id: 1, status: Some(status.into()) }
}

fn requests(app: &TestApp) -> usize {
    let asks = |job: &Started| {
        matches!(
            job.job.slot(),
            Slot::List | Slot::Inventory | Slot::ById | Slot::Follow | Slot::Provenance | Slot::Samples
        )
    };
    app.effects.iter().filter_map(job_of).filter(|job| asks(job)).count()
}

#[test]
fn a_pet_of_another_appears_marked_in_its_lists_and_numbers() {
    let mut app = live(80, 24, &animals(12));
    let (asked, available) = (requests(&app), app.state.pets.store.count(Some(PetStatus::Available)).unwrap().seen);
    app.shows("ok, live");
    followed(&mut app, reported(vec![newcomer(200_000, "Newcomer", PetStatus::Available)]));
    let screen = app.screen();
    assert!(screen.contains("+200000    Newcomer"), "{screen}");
    assert_eq!(count(&app, None), "13");
    assert_eq!(app.state.pets.store.count(Some(PetStatus::Available)).unwrap().seen, available + 1);
    assert_eq!(requests(&app), asked, "nothing is asked for it");
}

#[test]
fn neither_the_cursor_nor_the_rows_around_it_move_when_a_pet_comes_in_before_them() {
    let pets = animals(30);
    let mut app = TestApp::started(remote(), 80, 24).after("L \"100\" Enter").answered::<ListPets>(offered(&pets));
    app.answer_lists(&pets);
    followed(&mut app, connected(pets[29].id));
    app.keys("O G Up Up");
    let (row, pet, screen) = (app.state.pets.cursor(), selected(&app), app.screen());
    followed(&mut app, reported((0..3).map(|n| newcomer(200_000 + n, "Zoe", PetStatus::Sold)).collect()));
    assert_eq!((app.state.pets.cursor(), selected(&app)), (row + 3, pet));
    let rows =
        |screen: &str| screen.lines().filter(|line| line.contains("1002")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rows(&app.screen()), rows(&screen));
}

#[test]
fn a_pet_outside_the_rows_shown_is_named_and_one_key_goes_there() {
    let mut app = live(80, 24, &animals(39));
    let pet = newcomer(200_000, "New\u{1b}comer", PetStatus::Available);
    followed(&mut app, Followed::Added(vec![AddedPet { provenance: Some(provenance(200_000)), pet }]));
    app.shows("Added by till 2: New?U+001B?comer (#200000). n goes there.").keys("Right Right n");
    assert_eq!((selected(&app), app.state.pets.filter()), (200_000, None));
    app.keys("g");
    let pets = [200_002, 200_003].map(|id| newcomer(id, "Rex", PetStatus::Sold));
    followed(&mut app, reported(pets.to_vec()));
    app.shows("Added: Rex (#200003), and 1 pet before it. n goes there.");
    let mut app = live(80, 24, &animals(5));
    followed(&mut app, reported(vec![newcomer(200_001, "Zoe", PetStatus::Sold)]));
    assert!(app.says("+200001    Zoe") && !app.says("goes there"), "it is seen: {}", app.screen());
}

#[test]
fn what_arrives_while_a_list_is_on_its_way_is_not_lost() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets).after("r");
    followed(&mut app, reported(vec![newcomer(200_000, "Newcomer", PetStatus::Sold)]));
    // These were read before it was added.
    app.answer::<ListPets>(offered(&pets)).answer_lists(&pets);
    assert!(ids(&app).contains(&200_000), "{}", app.screen());
    assert_eq!(count(&app, None), "13");
}

#[test]
fn an_answer_that_has_a_reported_pet_already_shows_it_once() {
    let mut pets = animals(12);
    let mut app = live(80, 24, &pets);
    pets.push(newcomer(200_000, "Newcomer", PetStatus::Sold));
    app.keys("r").answer::<ListPets>(offered(&pets)).answer_lists(&pets);
    followed(&mut app, reported(vec![pets[12].clone()]));
    assert_eq!(ids(&app).iter().filter(|id| **id == 200_000).count(), 1);
    assert_eq!(marked(&app), [200_000]);
}

#[test]
fn with_reports_all_pets_stay_all_and_their_number_exact() {
    let mut app = live(80, 24, &animals(20));
    let added: Vec<_> = (0..500).map(|n| newcomer(200_000 + n, "Zoe", PetStatus::Sold)).collect();
    for some in added.chunks(7) {
        followed(&mut app, reported(some.to_vec()));
    }
    assert_eq!((app.state.pets.row_count(), count(&app, None)), (520, "520".into()));
}

#[test]
fn what_this_program_adds_is_no_news_however_the_reports_and_its_own_answers_come() {
    let mut app = live(80, 24, &animals(12));
    let progress = |added| ImportPart::Progress { progress: ImportProgress::default(), rows: Vec::new(), added };
    let (reading, counts) = (ColumnMapping::default(), Some(RowCounts { good: 2, bad: 0 }));
    let run = ImportRun { reading, counts, start: Start::GoOn, report: None, how: ImportOptions::default() };
    app.begin(RunImport { source: ImportSource::Pasted("name\n".into()), run });
    followed(&mut app, reported(vec![newcomer(200_000, "Before", PetStatus::Sold)]));
    app.say::<RunImport>(progress(vec![200_000, 200_001]));
    followed(&mut app, reported(vec![newcomer(200_001, "After", PetStatus::Sold)]));
    followed(&mut app, reported(vec![newcomer(200_002, "Another", PetStatus::Sold)]));
    assert_eq!(marked(&app), [0; 0], "it may be of the import");
    app.state.pending.forget_all(|slot| slot == Slot::Import);
    app.wait(Duration::from_millis(1));
    assert_eq!(marked(&app), [200_002]);
}

#[test]
fn a_service_is_followed_once_and_while_it_is_nothing_is_refreshed() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets).after("r").answered::<ListPets>(offered(&pets));
    let is_follow = |effect: &&Effect| matches!(effect, Effect::Job(job) if job.job.slot() == Slot::Follow);
    assert_eq!(app.effects.iter().filter(is_follow).count(), 1);
    app.answer_lists(&pets).keys("A").shows("The list is live: new pets appear at once.");
    let asked = requests(&app);
    app.wait(Duration::from_secs(3600));
    assert_eq!(requests(&app), asked);
    app.shows("ok, live");
}

#[test]
fn a_lost_connection_is_shown_and_the_next_one_goes_on_where_it_was() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets).later(Duration::from_secs(600));
    followed(&mut app, Followed::Lost(None));
    app.answer_lists(&pets).lacks("live");
    followed(&mut app, connected(pets[11].id));
    app.shows("ok, live");
    // Only the profile or its key ends it: the position goes along to the next.
    app.keys("C-c");
    assert!(app.state.pending.is_running(Slot::Follow));
    let id = app.job(Slot::Follow).unwrap().id;
    app.answer_to::<FollowPets>(id, Err(Failure::Crashed { why: "panicked".into() }));
    app.keys("r").answer::<ListPets>(offered(&pets));
    assert_eq!(app.job(Slot::Follow).unwrap().id, id, "what cannot be followed is not tried again");
}

#[test]
fn a_service_that_answers_again_is_followed_at_once() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets);
    let before = app.job(Slot::Follow).unwrap().id;
    followed(&mut app, Followed::Lost(None));
    app.answer::<ListPets>(Err(refused())).shows("OFFLINE");
    app.keys("r").answer::<ListPets>(offered(&pets));
    let again = app.job(Slot::Follow).unwrap();
    assert!(again.id != before && app.state.pending.is_running(Slot::Follow));
    assert_eq!(app.asked(), Some(FollowPets { after: Some(EventPosition::after(pets[11].id)) }));
    // A slow answer changes nothing about it.
    let now = again.id;
    app.keys("r").answer::<ListPets>(offered(&pets));
    assert_eq!(app.job(Slot::Follow).unwrap().id, now);
}

#[test]
fn a_key_that_is_refused_is_asked_for_and_another_one_follows_again() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets);
    let id = app.job(Slot::Follow).unwrap().id;
    app.answer_to::<FollowPets>(id, Err(unauthorized()));
    app.shows("The API key is missing or not accepted. F4 asks for one.");
    app.keys("F4 \"petk_x\" Enter").answer::<TestKey>(Ok(())).answer::<ListPets>(offered(&pets));
    let FollowPets { after } = app.asked().unwrap();
    assert_eq!(after, Some(EventPosition::after(pets[11].id)));
    assert_ne!(app.job(Slot::Follow).unwrap().id, id);
}

#[test]
fn a_service_without_events_is_refreshed_as_it_was() {
    let mut app = TestApp::loaded_from(Service::Demo, 80, 24, &animals(12));
    assert!(app.job(Slot::Follow).is_none());
    app.keys("A").wait(Duration::from_secs(30));
    assert!(app.state.pending.is_running(Slot::List));
    app.answer::<ListPets>(Err(refused())).lacks("live");
}

#[test]
fn a_service_that_has_lost_pets_is_reported_and_read_again_and_its_next_pets_appear() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets);
    followed(&mut app, Followed::Lost(None));
    app.answer::<ListPets>(Err(refused()));
    let last = pets[9].id;
    followed(&mut app, connected(pets[11].id));
    followed(&mut app, Followed::PetsLost(last));
    app.answer_lists(&pets[..10]).shows("has lost pets, for example because a backup was restored.");
    assert_eq!((ids(&app).len(), count(&app, None)), (10, "10".into()));
    // The ids come again.
    followed(&mut app, reported(vec![newcomer(pets[10].id, "Newcomer", PetStatus::Sold)]));
    app.shows("Newcomer");
    assert_eq!(count(&app, None), "11");
}

#[test]
fn a_pet_with_the_id_of_a_lost_one_is_new() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets);
    let [seen, own] = [pets[11].id, pets[11].id + 1];
    app.state.pets.added(&newcomer(own, "Pochi", PetStatus::Sold));
    followed(&mut app, Followed::PetsLost(pets[9].id));
    for id in [seen, own] {
        followed(&mut app, reported(vec![newcomer(id, "Newcomer", PetStatus::Sold)]));
        assert_eq!(app.state.pets.store.mark(id), Some(ChangeKind::New), "{id}");
    }
    assert_eq!(app.state.pets.store.mark(pets[10].id), None);
}

#[test]
fn of_a_flood_of_reported_pets_only_so_many_are_kept() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets);
    let flood = |app: &mut TestApp, from: PetId| {
        for some in 0..200 {
            let first = from + some * 1000;
            let added = (first..first + 1000)
                .map(|id| AddedPet { pet: newcomer(id, "Zoe", PetStatus::Sold), provenance: Some(provenance(1)) });
            followed(app, Followed::Added(added.collect()));
        }
    };
    flood(&mut app, 1_000_000);
    let kept = |app: &TestApp| {
        let pets = &app.state.pets;
        [
            pets.store.pets().len(),
            (0..3_000_000).filter(|id| pets.store.mark(*id).is_some()).count(),
            pets.provenance.of.len(),
            pets.follow.held.len(),
        ]
    };
    assert_eq!(kept(&app), [30_000, 30_000, 30_000, 0]);
    assert_eq!(count(&app, None), "30000+", "there are more");
    // Lists are on their way, and an import runs.
    app.keys("r");
    app.state.pending.begin(Slot::Import, app.now.mono);
    flood(&mut app, 2_000_000);
    assert_eq!((kept(&app)[0], kept(&app)[3]), (30_000, MOST_HELD));
    assert!(kept(&app).iter().all(|kept| *kept <= 30_000), "{:?}", kept(&app));
}

#[test]
fn what_an_earlier_session_read_is_not_read_again_where_the_service_reports_what_is_new() {
    let pets = animals(39);
    let before = live(80, 24, &pets);
    let kept = SessionCache::at_the_end(&before.state).unwrap();
    let mut app = TestApp::started(remote(), 80, 24);
    kept.restore(&mut app.state, app.now);
    app.answer::<ListPets>(offered(&pets[..20]));
    assert!(app.job(Slot::Inventory).is_none());
    assert_eq!(app.asked(), Some(FollowPets { after: Some(EventPosition::after(pets[38].id)) }));
    followed(&mut app, connected(pets[38].id));
    followed(&mut app, reported(vec![newcomer(200_000, "Newcomer", PetStatus::Sold)]));
    assert_eq!((count(&app, None), marked(&app)), ("40".to_owned(), vec![200_000]));
    app.keys("r").answer::<ListPets>(offered(&pets[..20]));
    assert!(app.job(Slot::Inventory).is_some(), "r reads all again");
}

#[test]
fn of_the_newest_pets_that_an_earlier_session_read_only_what_is_new_since_comes_unless_more_are_wanted() {
    let pets = animals(139);
    let started = |limit| {
        let mut app = TestApp::started(remote(), 80, 24);
        app.state.pets.store = PetStore::new(limit);
        app
    };
    let mut before = started(100).answered::<ListPets>(offered_part(&pets[..20]));
    assert!(before.job(Slot::Inventory).is_none(), "what is read before the connection is there may miss changes");
    followed(&mut before, Followed::Connected(EventPosition::after(pets[138].id), false));
    before.answer::<ListPets>(offered_part(&pets[..20]));
    before.say::<ReadInventory>(pets[39..].to_vec());
    before.answer::<ReadInventory>(Ok(Coverage { from: Some(pets[39].id), ..Coverage::SOME }));
    let kept = SessionCache::at_the_end(&before.state).unwrap();
    let again = |limit| {
        let mut app = started(limit);
        SessionCache::read(&kept.text(), &kept.identity).unwrap().restore(&mut app.state, app.now);
        app.answer::<ListPets>(offered_part(&pets[..20]));
        app
    };
    let mut app = again(100);
    assert!(app.job(Slot::Inventory).is_none());
    assert_eq!(app.asked(), Some(FollowPets { after: Some(EventPosition::after(pets[138].id)) }));
    followed(&mut app, connected(pets[138].id));
    followed(&mut app, reported(vec![newcomer(200_000, "Newcomer", PetStatus::Sold)]));
    assert_eq!((count(&app, None), marked(&app)), ("101+".to_owned(), vec![200_000]));
    assert_eq!(again(101).asked(), Some(ReadInventory { most: 101 }));
}

#[test]
fn while_the_newest_pets_are_here_a_service_is_not_read_again_for_being_followed() {
    let pets = animals(39);
    let mut app = TestApp::started(remote(), 80, 24).answered::<ListPets>(offered_part(&pets[..20]));
    followed(&mut app, Followed::Connected(EventPosition::after(pets[38].id), false));
    app.answer::<ListPets>(offered_part(&pets[..20])).say::<ReadInventory>(pets[10..].to_vec());
    app.answer::<ReadInventory>(Ok(Coverage { from: Some(pets[10].id), ..Coverage::SOME }));
    let asked = requests(&app);
    followed(&mut app, Followed::Lost(None));
    assert_eq!(requests(&app), asked + 1);
    app.answer::<ListPets>(offered_part(&pets[..20]));
    let asked = requests(&app);
    followed(&mut app, connected(pets[38].id));
    assert_eq!(requests(&app), asked, "nothing can be missing");
    followed(&mut app, Followed::Lost(None));
    assert_eq!(requests(&app), asked + 1);
}

// --- who added what ---

/// Answers what was asked about who added pets, as a service that reports it.
fn tell(app: &mut TestApp) -> usize {
    let AskProvenance(ids) = app.asked().expect("it is asked");
    let count = ids.len();
    let known = ids.into_iter().map(|id| (id, provenance(id))).collect();
    app.answer::<AskProvenance>(Ok(Some(known)));
    count
}

fn asked_who(app: &TestApp) -> usize {
    let asks = |effect: &&Effect| matches!(effect, Effect::Job(job) if job.job.slot() == Slot::Provenance);
    app.effects.iter().filter(asks).count()
}

#[test]
fn the_detail_says_who_added_a_pet_and_asks_once_for_all_rows() {
    let mut app = live(80, 24, &animals(12)).after("Down Down");
    assert_eq!(asked_who(&app), 0, "nothing shows it");
    app.keys("Enter");
    assert_eq!(tell(&mut app), 12);
    for _ in 0..3 {
        let added = match selected(&app) % 3 {
            0 => "added: not recorded".to_owned(),
            till => format!("added: by till {till}, 14:03"),
        };
        assert!(app.says(&added), "{added}: {}", app.screen());
        app.keys("Down");
    }
    assert_eq!(asked_who(&app), 1);
    let mut wide = live(120, 40, &animals(12));
    tell(&mut wide);
    wide.shows("Added");
}

#[test]
fn a_wide_list_shows_how_pets_were_added_as_far_as_that_is_known() {
    let heading = |app: &mut TestApp| app.screen().lines().find(|line| line.contains("NAME")).unwrap().to_owned();
    let mut app = live(200, 50, &animals(300));
    assert!(!heading(&mut app).contains("ADDED"));
    tell(&mut app);
    let of_all = heading(&mut app);
    assert!(of_all.contains("STATUS       ADDED BY       ADDED AT          AGE"), "{of_all}");
    for keys in ["PgDn", "PgDn", "Down Down", "G", "Up"] {
        let asked = asked_who(&app);
        app.keys(keys);
        if asked_who(&app) > asked {
            tell(&mut app);
        }
        let (pets, layout) = (&app.state.pets, &app.state.layout);
        let mut rows = pets.rows_from(layout.table_top).take(layout.table_rows.into());
        assert!(rows.all(|pet| pets.provenance.of.contains_key(&pet.id)), "{keys}");
    }
    assert!(asked_who(&app) < 6, "each asks for more rows than are shown");
    let mut app = live(200, 50, &animals(12));
    let only_when = |id| (id, Provenance { added_by: None, ..provenance(id) });
    let AskProvenance(ids) = app.asked().expect("it is asked");
    app.answer::<AskProvenance>(Ok(Some(ids.into_iter().map(only_when).collect())));
    assert!(heading(&mut app).contains("ADDED AT          AGE") && !heading(&mut app).contains("BY"));
    let mut app = live(200, 50, &animals(12)).answered::<AskProvenance>(Ok(None));
    assert!(!heading(&mut app).contains("ADDED"));
}

#[test]
fn a_search_by_the_key_shows_a_column_and_what_others_add_meanwhile() {
    let mut app = live(80, 24, &animals(12)).after("/ \"by:\"");
    tell(&mut app);
    app.shows("ADDED BY").shows("till 1").shows("12 of 12 rows").keys("\"till\"");
    let of_tills = animals(12).iter().filter(|pet| pet.id % 3 > 0).count();
    assert_eq!(app.state.pets.row_count(), of_tills);
    let pet = newcomer(200_003, "Newcomer", PetStatus::Sold);
    followed(&mut app, Followed::Added(vec![AddedPet { provenance: Some(provenance(200_003)), pet }]));
    assert_eq!(app.state.pets.row_count(), of_tills + usize::from(200_003 % 3 > 0));
    assert_eq!(asked_who(&app), 1, "it came with the report");
    app.keys("C-u \"-by:till\"");
    assert_eq!(app.state.pets.row_count(), 12 - of_tills);
}

#[test]
fn who_added_pets_is_not_asked_where_the_key_may_not_see_it_and_again_after_a_failure() {
    let pets = animals(12);
    let mut app = live(80, 24, &pets).after("Enter").answered::<AskProvenance>(Err(refused()));
    app.shows("Who added the pets is not known: ").keys("Down");
    assert_eq!(asked_who(&app), 1);
    app.keys("r").answer::<ListPets>(offered(&pets));
    assert_eq!(asked_who(&app), 2);
    app.answer::<AskProvenance>(Ok(None)).answer_lists(&pets).keys("Down r").answer::<ListPets>(offered(&pets));
    assert_eq!(asked_who(&app), 2);
    app.shows("from the list");
}

#[test]
fn who_added_a_pet_and_the_live_list_are_whole_at_every_size() {
    whole_at_every_size("live", |columns, lines| {
        let mut app = live(columns, lines, &animals(12)).after("Enter");
        if asked_who(&app) > 0 {
            tell(&mut app);
        }
        followed(&mut app, reported(vec![newcomer(200_000, "Newcomer", PetStatus::Sold)]));
        app.keys("/ \"by:till\" Enter");
        app
    });
}
