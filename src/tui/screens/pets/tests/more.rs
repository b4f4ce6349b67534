//! Search, marks of changes, all pets, one pet by its id, what is kept, and what leaves the screen.

use crate::tui::testing::prelude::*;

use crate::api::List;
use crate::api::find::Ask;
use crate::app::inventory::changes::ChangeKind;
use crate::app::inventory::store::PetStore;
use crate::model::export;
use crate::tui::screens::pets::popups::LookupBox;
use crate::tui::testing::{ids_of, listed};

use super::{ids, marked, next_page, selected};

fn unchanged() -> Result<ListAnswer, Failure> {
    let (took, offers) = (Duration::from_millis(3), Offers { changes: true, ..Offers::default() });
    Ok(ListAnswer { list: None, took, there: None, offers })
}

/// An app on a service with these pets, of which it lists only 100 of each status.
fn limited(columns: u16, rows: u16, pets: &[Pet]) -> TestApp {
    let mut app = TestApp::started(remote(), columns, rows);
    app.answer_limited(pets, 100);
    app.screen();
    app
}

// --- search ---

#[test]
fn the_best_match_stands_first_until_another_order_is_chosen() {
    let mut app = TestApp::loaded(80, 24).after("/ \"cap\"");
    assert_eq!(app.state.pets.selected().unwrap().name, "Captain Fluff");
    app.shows("sort: best match").keys("Enter o").shows("sort: id, up").keys("Esc");
    assert!(app.state.pets.best_first && app.says("sort: id, up"));
}

#[test]
fn categories_statuses_and_what_must_not_be_are_searched_for() {
    let mut app = TestApp::loaded(80, 24);
    let all = app.state.pets.row_count();
    app.keys("/ \"cat:3\"");
    let threes = app.state.pets.row_count();
    assert!(app.state.pets.rows_from(0).all(|pet| pet.category_id == 3) && threes > 0);
    app.keys("C-u \"-cat:3\"");
    assert_eq!(app.state.pets.row_count(), all - threes);
    app.keys("C-u \"is:sold id:1002\"");
    assert!(app.state.pets.rows_from(0).all(|pet| pet.status == Some(PetStatus::Sold.into())));
}

// --- changes ---

#[test]
fn what_changes_is_marked_and_an_unchanged_answer_changes_nothing() {
    let mut pets = animals(12);
    let mut app = TestApp::loaded_from(Service::Demo, 80, 24, &pets);
    pets[0].status = Some(PetStatus::Sold.into());
    pets.push(Pet { id: 200_000, name: "Newcomer".into(), category_id: 1, status: None });
    app.keys("r").answer::<ListPets>(listed(pets, None));
    let screen = app.screen();
    assert!(screen.contains(">*100231    Biscuit") && screen.contains("+200000    Newcomer"), "{screen}");
    app.keys("A").wait(Duration::from_secs(30));
    let counted = app.effects.len();
    app.answer::<ListPets>(unchanged());
    assert_eq!(app.effects.len(), counted, "nothing is kept again, nothing else is asked");
    app.keys("A");
    assert!(app.screen().contains(">*100231    Biscuit"), "marks stay while nothing else changes");
}

#[test]
fn samples_of_ones_own_are_no_news_also_where_a_list_was_read_among_them() {
    for is_read in [false, true] {
        let mut app = TestApp::loaded_from(Service::Demo, 80, 24, &[]).after("S").later(DEAF).after("y");
        if is_read {
            app.keys("r").answer::<ListPets>(listed(animals(13), None));
            assert_eq!(marked(&app).len(), 13, "nobody knows yet whose they are");
        }
        app.answer::<AddSamples>(Ok((ids_of(&animals(25)), None))).answer_lists(&animals(25));
        assert_eq!((app.state.pets.row_count(), marked(&app).len()), (25, 0), "{is_read}");
    }
}

#[test]
fn rows_are_as_old_as_the_last_reading_of_all() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    let read = app.state.pets.store.read();
    app.wait(Duration::from_secs(240)).keys("r").answer::<ListPets>(listed(animals(20), None));
    assert_eq!(app.state.pets.store.read(), read);
    app.answer_lists(&animals(39));
    assert_ne!(app.state.pets.store.read(), read);
}

#[test]
fn known_rows_go_along_so_that_they_need_not_come_again() {
    let mut app = TestApp::loaded(80, 24).after("r");
    let Some(ListPets { known: Some(known), .. }) = app.asked() else { panic!("asked blindly") };
    assert_eq!(known.pets.len(), 20);
    app.answer::<ListPets>(unchanged());
    assert_eq!(app.state.pets.row_count(), 39);
}

// --- all pets ---

#[test]
fn all_pets_come_in_parts_and_every_tab_of_them_is_here() {
    let mut app = TestApp::started(Service::Demo, 80, 24).answered::<ListPets>(listed(animals(20), None));
    app.shows("[All 20+]").shows("Row 1 of 20. Loading more ...");
    app.say::<ReadInventory>(animals(100)).shows("[All 100+]");
    app.say::<ReadInventory>(animals(250).split_off(100)).answer::<ReadInventory>(Ok(Coverage::ALL));
    app.shows("[All 250]").shows("sold 50").shows("No more rows.");
    let asked = app.effects.len();
    app.keys("Right Right Right");
    assert_eq!((app.state.pets.row_count(), app.effects.len()), (50, asked));
}

#[test]
fn what_may_be_missing_is_reported_and_what_was_stopped_stays() {
    let mut app = limited(80, 24, &animals(237));
    app.shows("lists only 100 of a status").shows("[All 195+]");
    app.keys("r").answer::<ListPets>(listed(animals(20), None)).say::<ReadInventory>(animals(10)).keys("C-c");
    assert!(app.effects.contains(&Effect::Cancel(Slot::Inventory)));
    assert_eq!(app.state.pets.row_count(), 195, "a part of a new reading does not replace a longer one");
    let mut app = TestApp::started(Service::Demo, 80, 24).answered::<ListPets>(listed(animals(20), None));
    app.say::<ReadInventory>(animals(60));
    app.answer::<ReadInventory>(Err(Failure::NoAnswer { after: Duration::from_secs(30) }));
    app.shows("No answer from the embedded store within 30 s.");
    app.shows("Not all pets were read; r reads them again.");
    assert_eq!(app.state.pets.row_count(), 60);
}

#[test]
fn of_a_very_large_store_only_so_many_are_read_and_there_are_more() {
    let mut app = TestApp::started(Service::Demo, 80, 24).answered::<ListPets>(listed(animals(20), None));
    app.say::<ReadInventory>(animals(60));
    app.answer::<ReadInventory>(Ok(Coverage { complete: false, is_cut: true, ..Coverage::ALL }));
    app.shows("[All 60+]").shows("There are more: only 60 are loaded.");
}

#[test]
fn where_the_newest_are_loaded_a_list_of_the_oldest_leaves_no_gap() {
    let pets = animals(60);
    let mut app = TestApp::started(Service::Demo, 80, 24);
    app.state.pets.store = PetStore::new(100);
    app.answer::<ListPets>(listed(pets[..20].to_vec(), Some(next_page())));
    assert_eq!(app.asked::<ReadInventory>(), Some(ReadInventory { most: 100 }));
    app.say::<ReadInventory>(pets[30..].to_vec());
    let newest = || Ok(Coverage { from: Some(animals(60)[30].id), ..Coverage::SOME });
    app.answer::<ReadInventory>(newest()).shows("[All 30+]").shows("only the newest 30 are loaded.");
    app.keys("r").answer::<ListPets>(listed(pets[..20].to_vec(), Some(next_page())));
    assert_eq!(app.all_asked::<ReadInventory>(), [ReadInventory { most: 100 }, ReadInventory { most: 100 }]);
    assert_eq!(app.state.pets.row_count(), 30);
    app.say::<ReadInventory>(pets[30..].to_vec()).answer::<ReadInventory>(newest());
    // A list of one status may have others.
    app.keys("Right").answer::<ListPets>(listed(vec![pets[0].clone()], Some(next_page()))).keys("0");
    assert_eq!(app.state.pets.row_count(), 31);
}

#[test]
fn pets_added_here_are_among_all_and_in_the_numbers() {
    let mut app = TestApp::loaded(80, 24).after("a \"Rex\" Tab 3 F2");
    let pet = Pet { id: 900_000, name: "Rex".to_owned(), ..animals(1).remove(0) };
    app.added(pet).keys("Esc").shows("[All 40]").shows("of 40.").keys("/ \"rex\"");
    assert!(ids(&app).contains(&900_000), "{}", app.screen());
}

#[test]
fn changes_are_seen_anywhere_among_all() {
    let mut pets = animals(150);
    let mut app = TestApp::loaded_from(remote(), 80, 24, &pets);
    pets[140].status = Some(PetStatus::Sold.into());
    pets.push(Pet { id: 500_000, name: "Late".into(), category_id: 1, status: Some(PetStatus::Pending.into()) });
    app.keys("r").answer_lists(&pets);
    assert_eq!(marked(&app), [100_371, 500_000]);
}

#[test]
fn what_was_asked_for_another_tab_is_asked_for_this_one() {
    let mut app = TestApp::loaded(80, 24).after("r");
    let late = app.job(Slot::List).unwrap();
    app.keys("Right");
    assert!(app.effects.contains(&Effect::Cancel(Slot::List)));
    app.answer_to::<ListPets>(late.id, listed(animals(20), None));
    let ListPets { query, .. } = app.asked().unwrap();
    assert_eq!(query.status, Some(PetStatus::Available));
    let available = |pet: &Pet| pet.status == Some(PetStatus::Available.into());
    assert!(app.state.pets.rows_from(0).all(available), "{}", app.screen());
    app.answer::<ListPets>(listed(animals(1), None));
    assert!(app.asked::<ReadInventory>().is_some(), "the others may have another status now");
    app.say::<ReadInventory>(animals(1)).answer::<ReadInventory>(Ok(Coverage::ALL));
    assert_eq!(app.state.pets.row_count(), 1);
}

#[test]
fn a_reading_that_gives_nothing_is_no_empty_store_and_no_news() {
    let mut app = TestApp::loaded(80, 24).after("r").answered::<ListPets>(listed(animals(20), None));
    app.answer::<ReadInventory>(Err(Failure::NotSent { why: "refused".into() }));
    app.shows("Not all pets were read; r reads them again.");
    assert_eq!((app.state.pets.row_count(), marked(&app).len()), (39, 0));
}

#[test]
fn away_or_not_is_known_from_every_answer_and_looking_around_asks_nothing() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    let away = || Failure::NotSent { why: "connection refused".into() };
    app.keys("r").answer::<ListPets>(Err(away())).shows("OFFLINE").shows("Retry in 0:02");
    let asked = app.effects.len();
    app.keys("Right Right 0 Left");
    assert_eq!(app.effects.iter().skip(asked).filter(|effect| matches!(effect, Effect::Job(_))).count(), 0);
    app.shows("Retry in 0:02").keys("0 # \"42\" Enter").answer::<FindPet>(Ok(LookupResult::default()));
    assert!(app.state.pending.is_running(Slot::List), "it answers: the rows are asked for at once");
    app.answer_lists(&animals(39)).keys("Esc").shows("| ok, ");
}

#[test]
fn asking_by_hand_does_not_make_the_next_pause_longer() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    for _ in 0..9 {
        app.keys("r").answer::<ListPets>(Err(Failure::NotSent { why: "connection refused".into() }));
    }
    app.shows("Retry in 0:02");
}

#[test]
fn a_part_of_the_inventory_is_written_as_one() {
    let mut app = limited(80, 24, &animals(237)).after("x");
    app.shows("195 pets loaded, there may be more");
    let write = app.state.popups.get::<WriteBox>().unwrap_or_else(|| panic!("no box"));
    assert_eq!(write.path.value(), "pets-part.csv");
    app.keys("C-u \"part.xlsx\" Enter").shows("Unknown format. The name must end in one of .csv, .tsv");
    assert_eq!(app.job(Slot::Write), None);
    app.keys("C-u \"part.csv\" Enter").answer::<WriteFile>(Ok("/home/ada/part.csv".into()));
    app.shows("Written to /home/ada/part.csv: 195 pets loaded, there may be more.");
}

#[test]
fn a_pet_that_moves_into_a_list_is_not_called_new() {
    let pets = animals(150);
    let mut app = TestApp::loaded_from(remote(), 80, 24, &pets).after("Right Right");
    app.answer_lists(&pets);
    let mut moved = pets.clone();
    moved[149].status = Some(PetStatus::Pending.into());
    app.keys("r").answer_lists(&moved);
    let is_new = |id: &i64| app.state.pets.store.mark(*id) == Some(ChangeKind::New);
    assert!(!marked(&app).iter().any(is_new), "{}", app.screen());
}

#[test]
fn a_reading_that_fails_is_not_tried_for_ever_and_the_rows_are_no_older_for_it() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("r");
    app.answer::<ListPets>(listed(animals(20), None));
    app.answer::<ReadInventory>(Err(Failure::NoAnswer { after: Duration::from_secs(30) }));
    app.effects.clear();
    app.wait(Duration::from_secs(3600));
    assert!(app.job(Slot::List).is_none() && !app.says("Retry in"), "{}", app.screen());
}

#[test]
fn an_automatic_refresh_that_was_cancelled_begins_again_after_its_pause() {
    let mut app = TestApp::loaded(80, 24);
    app.keys("A").wait(Duration::from_secs(30)).keys("C-c");
    app.effects.clear();
    app.wait(Duration::from_secs(29));
    assert!(app.job(Slot::List).is_none());
    app.wait(Duration::from_secs(1));
    assert!(app.job(Slot::List).is_some());
}

#[test]
fn while_pets_come_the_cursor_stays_on_the_first_row_until_it_was_moved() {
    for (keys, row) in [("N", 0), ("N Down", 20)] {
        let mut app = TestApp::started(remote(), 80, 24).answered::<ListPets>(listed(animals(20), None)).after(keys);
        app.say::<ReadInventory>(animals(39));
        assert_eq!(app.state.pets.cursor(), row, "{keys}");
    }
}

// --- by id ---

#[test]
fn a_pet_that_is_here_is_found_without_a_request() {
    let mut app = TestApp::loaded(80, 24);
    let asked = app.effects.len();
    app.keys("# \"100232\" Enter");
    assert_eq!(app.effects.len(), asked);
    assert!(!app.state.popups.is_open() && app.says("Pet 100232 found in the loaded rows."), "{}", app.screen());
    app.shows("Name       Mr. Whiskers the Third of Springfield").keys("Y");
    let CopyText { text: json, .. } = app.asked().expect("not copied");
    assert!(json.contains("\"id\":100232"), "{json}");
}

#[test]
fn a_pet_that_is_looked_up_is_selected_and_the_cursor_stays_there() {
    let mut app = TestApp::loaded(80, 24).after("Right / \"zzz\" Enter # \"100232\" Enter");
    assert_eq!((selected(&app), app.state.pets.filter()), (100_232, None), "{}", app.screen());
    app.keys("r").answer_lists(&animals(45));
    assert_eq!(selected(&app), 100_232);
}

#[test]
fn a_look_that_was_cancelled_is_not_shown_as_under_way() {
    let mut app = TestApp::loaded(80, 24).after("# \"-7\" Enter C-c");
    assert!(app.effects.contains(&Effect::Cancel(Slot::ById)));
    app.lacks("Looking for it");
}

#[test]
fn the_lists_are_asked_before_the_operation_that_goes_away() {
    let mut app = TestApp::loaded(80, 24).after("# \"-7\" Enter");
    assert_eq!(app.asked(), Some(FindPet { id: -7, ask: Ask::IfNeeded, sells: false }));
    app.answer::<FindPet>(Ok(LookupResult { pet: None, get: Some(404), is_cut: true, steps: 4 }));
    app.shows("This pet does not exist (404).").shows("be removed on 5 December 2030").keys("8 Enter");
    assert_eq!(app.asked(), Some(FindPet { id: 8, ask: Ask::IfNeeded, sells: false }));
    app.keys("- 7 Enter g");
    assert_eq!(app.asked(), Some(FindPet { id: -7, ask: Ask::Now, sells: false }));
    let pet = Pet { id: -7, ..animals(1).remove(0) };
    app.answer::<FindPet>(Ok(LookupResult { pet: Some(pet), get: Some(200), is_cut: false, steps: 1 }));
    assert!(app.says("Pet -7 found with 1 request.") && app.state.pets.drawer, "{}", app.screen());
    app.keys("# \"-8\" Enter Esc");
    assert!(app.effects.contains(&Effect::Cancel(Slot::ById)));
}

#[test]
fn from_its_day_on_the_operation_is_asked_only_by_hand() {
    let mut app = TestApp::loaded(80, 24);
    app.now.wall = "2030-12-05T00:00:00Z".parse().unwrap();
    app.keys("# \"42\" Enter");
    assert_eq!(app.asked(), Some(FindPet { id: 42, ask: Ask::Never, sells: false }));
    app.keys("g");
    assert_eq!(app.asked(), Some(FindPet { id: 42, ask: Ask::Now, sells: false }));
}

#[test]
fn an_invalid_id_is_reported_before_any_request_and_the_text_stays() {
    let mut app = TestApp::loaded(80, 24);
    for wrong in ["rex", "1.5", "9223372036854775808"] {
        app.keys(&format!("Esc # \"{wrong}\" Enter")).shows(&format!("\"{wrong}\" is not an id."));
        let lookup = app.state.popups.get::<LookupBox>().unwrap();
        assert_eq!(lookup.field.input.value(), wrong);
    }
    assert_eq!(app.job(Slot::ById), None);
}

// --- kept ---

/// What `app` would keep, read back into a new start.
fn started_again(app: &TestApp) -> TestApp {
    let kept: SessionCache = app.asked().unwrap();
    let mut next = TestApp::started(remote(), 80, 24);
    let read = SessionCache::read(&kept.text(), "production https://api.example.com/v1").expect("cannot be read back");
    read.restore(&mut next.state, next.now);
    next
}

#[test]
fn the_pets_are_there_at_the_next_start_marked_with_their_age() {
    let app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    let mut next = started_again(&app);
    next.now.mono += Duration::from_secs(3 * 3600);
    assert_eq!((next.state.pets.row_count(), next.state.pets.store.is_cached()), (39, true));
    next.shows("From 14:03.").keys("/ \"whis\" Enter Right");
    assert!(next.state.pets.row_count() > 0, "one browses and searches before any answer");
    next.keys("Esc 0").answer::<ListPets>(Err(Failure::NotSent { why: "connection refused".into() }));
    next.shows("The rows below are 3 h old.").shows("Retry in");
}

#[test]
fn what_changed_while_nobody_looked_is_news_at_the_next_start() {
    let mut pets = animals(12);
    let app = TestApp::loaded_from(remote(), 80, 24, &pets);
    let mut next = started_again(&app);
    pets[3].status = Some(PetStatus::Available.into());
    next.answer_lists(&pets);
    assert_eq!(marked(&next), [pets[3].id], "{}", next.screen());
}

#[test]
fn what_is_kept_of_another_service_is_not_shown_and_addresses_of_another_are_not_followed() {
    let app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    let kept: SessionCache = app.asked().unwrap();
    assert_eq!(SessionCache::read(&kept.text(), "other https://api.example.com/v1"), None);
    assert_eq!(SessionCache::read("{", "production https://api.example.com/v1"), None);
    let next = |address: &str| serde_json::from_value(address.into()).ok();
    let list = List::of(animals(2), next("https://evil.example/v1/pets?after=2"));
    let base = "https://api.example.com/v1".parse().unwrap();
    assert_eq!(list.clone().only_of(Some(&base)).next(), None);
    let own = List::of(animals(2), next("https://api.example.com/v1/pets?after=2"));
    assert_eq!(own.clone().only_of(Some(&base)), own);
    assert_eq!(own.only_of(None).next(), None);
}

#[test]
fn a_store_that_was_empty_in_an_earlier_session_is_not_called_empty_before_an_answer() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &[]);
    let kept = SessionCache::at_the_end(&app.state).unwrap();
    app.shows("No pets yet.");
    let mut next = TestApp::started(remote(), 80, 24);
    kept.restore(&mut next.state, next.now);
    next.answer::<ListPets>(Err(Failure::NotSent { why: "connection refused".into() }));
    next.shows("Nothing loaded yet.").lacks("No pets yet.");
}

#[test]
fn of_the_demo_nothing_is_kept() {
    let app = TestApp::loaded(80, 24);
    assert_eq!(app.job(Slot::Cache), None);
}

// --- what leaves the screen ---

#[test]
fn the_id_the_pet_and_a_curl_line_without_the_key_are_copied() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    let copied = |app: &TestApp| app.asked().map(|CopyText { text, .. }| text).unwrap();
    app.keys("y");
    assert_eq!(copied(&app), "100231");
    app.keys("Y");
    assert_eq!(serde_json::from_str::<Pet>(&copied(&app)).unwrap(), animals(1)[0]);
    app.keys("Right c");
    let curl = copied(&app);
    assert!(curl.contains("'https://api.example.com/v1/pets?limit=20&status=available'"), "{curl}");
    assert!(curl.contains("$PETSTORE_API_KEY") && !curl.contains("77d0"), "{curl}");
}

#[test]
fn what_is_found_the_tab_or_all_can_be_written_and_are_named_so() {
    let mut app = TestApp::loaded(80, 24).after("Right / \"cat:3\" Enter x");
    for (keys, chosen, count) in
        [("", " found", 8), ("Down", " of available", 23), ("Down", " in all", 39), ("Down", " found", 8)]
    {
        app.keys(keys).shows(&format!("(*) {count} pets{chosen}"));
    }
    app.keys("Up C-u \"all.ndjson\" Enter");
    let Some(WriteFile { path, what: Contents::Pets { sets, chosen }, .. }) = app.asked() else { panic!() };
    let text = export::for_file(&path, &sets[chosen].pets);
    assert_eq!(text.lines().count(), 39);
    app.answer::<WriteFile>(Ok("/tmp/all.ndjson".into())).shows("Written to /tmp/all.ndjson: 39 pets in all.");
}

#[test]
fn tab_completes_the_path_of_an_export() {
    let mut app = TestApp::loaded(80, 24).after("x C-u \"~/exp\" Tab");
    assert_eq!(app.asked(), Some(CompletePath("~/exp".into())));
    let completion = Completion { more: "orts/".into(), names: vec!["exports/".into()] };
    app.answer::<CompletePath>(Ok(completion));
    let write = app.state.popups.get::<WriteBox>().unwrap_or_else(|| panic!("no box"));
    assert_eq!(write.path.value(), "~/exports/");
}

#[test]
fn the_rows_shown_are_written_in_the_format_of_the_name() {
    let mut app = TestApp::loaded(80, 24).after("/ \"cat:12\" Enter x");
    let write = app.state.popups.get::<WriteBox>().unwrap_or_else(|| panic!("no box"));
    assert_eq!(write.path.value(), "pets-found.csv");
    let Contents::Pets { sets, .. } = &write.text else { panic!() };
    assert!(sets[0].pets.iter().all(|pet| pet.category_id == 12));
    app.keys("C-u \"twelve.ndjson\" Enter");
    let Some(WriteFile { path, what: Contents::Pets { sets, chosen }, replace }) = app.asked() else { panic!() };
    assert_eq!((path.as_str(), replace), ("twelve.ndjson", false));
    let text = export::for_file(&path, &sets[chosen].pets);
    let read: Vec<Pet> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read.iter().map(|pet| pet.id).collect::<Vec<_>>(), ids(&app));
}

// --- how it looks ---

fn changed(columns: u16, rows: u16) -> TestApp {
    let mut pets = animals(20);
    let mut app = TestApp::loaded_from(remote(), columns, rows, &pets[..18]);
    pets[2].status = Some(PetStatus::Sold.into());
    pets[4].name = "\u{1b}[2Jeclair".into();
    pets[4].status = Some(PetStatus::Pending.into());
    app.wait(Duration::from_secs(65)).keys("r").answer::<ListPets>(listed(pets, None));
    app
}

#[test]
fn looks_of_marks_and_reading() {
    let mut looks = Looks::after("browsing", TestApp::loaded);
    looks.state("marks", changed);
    looks.frame("marks_mono", &mut changed(80, 24).in_monochrome());
    looks.state("limited", |columns, rows| limited(columns, rows, &animals(237)));
    looks.state("categories", named);
    looks.state("reading", |columns, rows| {
        let mut app = TestApp::started(remote(), columns, rows).answered::<ListPets>(listed(animals(20), None));
        app.say::<ReadInventory>(animals(100)).wait(Duration::from_secs(3));
        app
    });
    looks.state("kept", |columns, rows| {
        let app = TestApp::loaded_from(remote(), columns, rows, &animals(39)).after("r");
        let kept: SessionCache = app.asked().unwrap();
        let mut next = TestApp::started(remote(), columns, rows);
        SessionCache::read(&kept.text(), "production https://api.example.com/v1")
            .unwrap()
            .restore(&mut next.state, next.now);
        next.wait(Duration::from_secs(1));
        next
    });
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_of_one_pet_by_its_id() {
    let mut looks = Looks::after("browsing", TestApp::loaded);
    looks.state("by_id", |columns, rows| TestApp::loaded(columns, rows).after("#"));
    looks.state("by_id_found", |columns, rows| {
        let mut app = TestApp::loaded(columns, rows).after("# \"100270\" Enter");
        let pet = Pet { id: 100_270, ..animals(2)[1].clone() };
        app.answer::<FindPet>(Ok(LookupResult { pet: Some(pet), get: None, is_cut: true, steps: 2 }));
        app
    });
    looks.state("by_id_wrong", |columns, rows| TestApp::loaded(columns, rows).after("# \"rex\" Enter"));
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_of_the_commands_and_the_themes() {
    let mut looks = Looks::after("browsing", TestApp::loaded);
    looks.state("commands", |columns, rows| TestApp::loaded(columns, rows).after(": \"copy\""));
    looks.state("themes", |columns, rows| TestApp::loaded(columns, rows).after("T Down Down Down"));
    insta::assert_snapshot!(looks);
}

// --- pets without a status ---

#[test]
fn pets_without_a_status_are_counted_and_a_search_that_misses_one_added_here_says_where_it_is() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(12));
    app.lacks("not set ").keys("a \"Whiskers\" Tab \"3\" Tab Up F2");
    let whiskers = Pet { id: 100_400, name: "Whiskers".into(), category_id: 3, status: None };
    app.added(whiskers.clone()).keys("Esc");
    let mut pets = animals(12);
    pets.push(whiskers);
    app.answer_lists(&pets).shows("1 not set ");
    app.keys("Right").answer_lists(&pets).keys("/ \"whiskers\"");
    app.shows("Whiskers (#100400) has no status; All (0) shows it.");
    app.keys("Enter 0").lacks("All (0) shows it");
}

// --- names of categories ---

/// An app whose configuration names two of the categories.
fn named(columns: u16, rows: u16) -> TestApp {
    TestApp::loaded_from(remote(), columns, rows, &animals(12)).name_categories("3 = \"dog\"\n12 = \"guinea pig\"")
}

#[test]
fn names_of_categories_are_beside_their_numbers_wherever_there_is_room() {
    let mut app = named(80, 24);
    for text in ["  3 dog ", " 12 guinea pig ", "  7 "] {
        assert!(app.says(text), "{text}\n{}", app.screen());
    }
    app.keys("Enter").shows("Category   3 dog ").keys("Esc / \"cat:gui\"");
    assert!(app.state.pets.row_count() > 0 && app.state.pets.rows_from(0).all(|pet| pet.category_id == 12));
    let mut app = named(60, 16);
    app.lacks("dog").keys("Enter").shows("Category   3 dog ");
}

#[test]
fn the_form_takes_the_name_of_a_category_and_sends_its_number() {
    let mut app = named(80, 24).after("a Tab");
    app.shows("a number, or dog, guinea pig").keys("\"Dog\" S-Tab \"Rex\" Tab").shows("3 dog");
    app.keys("F2");
    assert_eq!(app.state.add.outbox.lines[0].typed.pet.category_id, "3", "kept whatever the configuration says");

    let mut app = named(80, 24).after("a \"Rex\" Tab \"cat\" F2");
    assert!(app.state.add.outbox.lines.is_empty());
    app.shows("\"cat\" is not a category. Type its number, or a name: dog, guinea pig.");
    app.keys("\"guinea pig\" Enter").shows("12 guinea pig").keys("Enter");
    assert_eq!(app.state.add.outbox.lines[0].typed.pet.category_id, "12");
}
