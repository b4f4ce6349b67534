//! Sell, reserve, return, undo.

use crate::tui::testing::prelude::*;

use crate::api::follow::ChangedPet;
use crate::app::Fate;
use crate::app::outbox::queue::QueuedChange;
use crate::clock::Now;
use crate::model::{AddedBy, PetHistoryEntry, PetMembers};
use crate::tui::screens::add_pet::lines::restore;
use crate::tui::testing::{changed_meanwhile, listed, refused_with};

/// An app with one pet of each status, and the cursor on the first.
fn app() -> (TestApp, Vec<Pet>) {
    let mut pets = animals(3);
    for (pet, status) in pets.iter_mut().zip(PetStatus::ALL) {
        pet.status = Some(status.into());
    }
    (TestApp::loaded_from(remote(), 80, 24, &pets), pets)
}

fn with(pet: &Pet, status: PetStatus) -> Pet {
    Pet { status: Some(status.into()), ..pet.clone() }
}

/// An app with three pets of a service that it follows.
fn followed() -> (TestApp, Vec<Pet>) {
    let pets = animals(3);
    let mut app = TestApp::started(remote(), 80, 24);
    let listed = listed(pets.clone(), None);
    app.answer::<ListPets>(
        listed.map(|answer| ListAnswer { offers: Offers { events: true, ..answer.offers }, ..answer }),
    );
    follow(&mut app, Followed::Connected(EventPosition::after(pets[2].id), true));
    (app, pets)
}

fn follow(app: &mut TestApp, news: Followed) {
    let id = app.job(Slot::Follow).expect("the service is followed").id;
    app.say_to::<FollowPets>(id, (news, None));
}

/// Confirms what is written, and gives what was sent so far.
fn sent(app: &mut TestApp) -> Vec<SendLine> {
    while app.state.pending.is_running(Slot::Queue) {
        app.answer::<WriteLines>(Ok(()));
    }
    app.all_asked()
}

/// The change that was sent last.
fn newest(app: &mut TestApp) -> Option<QueuedChange> {
    let number = sent(app).pop()?.line.line;
    app.state.add.outbox.line(number)?.typed.change.as_deref().cloned()
}

fn is_sending(app: &mut TestApp) -> bool {
    sent(app);
    app.state.pending.is_running(Slot::Line(0))
}

fn answered_in(app: &mut TestApp, lane: usize, answer: Result<Pet, Failure>) {
    sent(app);
    app.answer_in::<SendLine>(Slot::Line(lane), Ok(answer.map_or_else(LineSent::Failed, LineSent::Saved)));
    sent(app);
}

fn answered(app: &mut TestApp, answer: Result<Pet, Failure>) {
    answered_in(app, 0, answer);
}

fn away() -> Failure {
    Failure::NotSent { why: "connection refused".into() }
}

#[test]
fn a_sale_is_two_keys_and_undone_with_one() {
    let (mut app, pets) = app();
    app.keys("s Enter");
    let asked = newest(&mut app).unwrap();
    assert_eq!((&asked.seen, &asked.wanted), (&pets[0], &with(&pets[0], PetStatus::Sold)));
    // At once, marked, and under the hand.
    assert!(app.screen().contains(" >."), "{}", app.screen());
    assert_eq!(app.state.pets.store.get(pets[0].id), Some(&pets[0]));
    answered(&mut app, Ok(asked.wanted.clone()));
    assert!(app.says("u undoes it.") && !app.screen().contains(" >."), "{}", app.screen());
    app.shows("<- -> status u undo");
    assert_eq!(app.state.pets.store.mark(pets[0].id), None, "no mark for what is done here");
    app.keys("u");
    let undo = newest(&mut app).unwrap();
    assert_eq!((&undo.seen, &undo.wanted), (&asked.wanted, &pets[0]));
    answered(&mut app, Ok(pets[0].clone()));
    app.shows("undone, available").keys("u").shows("Nothing to undo");
}

#[test]
fn the_likely_status_is_chosen_and_the_one_that_it_has_changes_nothing() {
    let (mut app, pets) = app();
    for (at, likely) in [PetStatus::Sold, PetStatus::Sold, PetStatus::Available].into_iter().enumerate() {
        app.keys("g").keys(&"j ".repeat(at)).keys("s Enter");
        assert_eq!(newest(&mut app).unwrap().wanted, with(&pets[at], likely));
        answered(&mut app, Ok(pets[at].clone()));
    }
    app.keys("g s k k Enter");
    assert!(app.says("is available already") && !is_sending(&mut app), "{}", app.screen());
    app.keys("s Esc");
    assert!(!is_sending(&mut app));
}

#[test]
fn whoever_is_slower_learns_who_was_faster() {
    let (mut app, pets) = app();
    app.keys("s Enter");
    answered(&mut app, Err(changed_meanwhile(&with(&pets[0], PetStatus::Pending))));
    app.shows("was reserved by somebody.").shows("Nothing was changed.");
    assert_eq!(app.state.pets.store.get(pets[0].id), Some(&with(&pets[0], PetStatus::Pending)));
}

#[test]
fn what_others_change_is_marked_and_named_where_it_was_faster() {
    let (mut app, pets) = followed();
    app.keys("s Enter");
    let sold = with(&pets[0], PetStatus::Sold);
    let (from, to) = PetMembers::of_change(&pets[0], &sold);
    let changed_by = Some(AddedBy { key: "AAAAAAAA".to_owned(), name: Some("Ada".to_owned()) });
    let other = with(&pets[1], PetStatus::Sold);
    for pet in [sold.clone(), other.clone()] {
        let news = ChangedPet {
            pet,
            from: from.clone(),
            to: to.clone(),
            changed_at: Some(app.now.wall),
            changed_by: changed_by.clone(),
        };
        follow(&mut app, Followed::Changed(vec![news]));
    }
    assert!(app.state.pets.store.mark(other.id).is_some());
    answered(&mut app, Err(changed_meanwhile(&sold)));
    app.shows("was sold by Ada just now.");
}

#[test]
fn what_the_service_does_not_take_waits_and_is_sent_again_with_its_key() {
    for failure in [Failure::NoAnswer { after: Duration::from_secs(30) }, away()] {
        let (mut app, pets) = app();
        app.keys("s Enter");
        answered(&mut app, Err(failure));
        app.shows("Changed once").shows("u takes it back.");
        assert!(app.screen().contains(" >.") && app.says("1 waiting"), "{}", app.screen());
        app.wait(Duration::from_secs(1));
        let lines = sent(&mut app);
        assert!(
            lines.len() == 2 && lines[0].line.key == lines[1].line.key && lines[0].line.patch == lines[1].line.patch
        );
        answered(&mut app, Ok(with(&pets[0], PetStatus::Sold)));
        app.shows("sold. u undoes it.").lacks("waiting");
        assert_eq!(app.state.add.outbox.lines, []);
    }
}

/// An app whose service is away since its first change, which sold the first pet.
fn left_alone() -> (TestApp, Vec<Pet>) {
    let (mut app, pets) = app();
    app.keys("s Enter");
    answered(&mut app, Err(away()));
    (app, pets)
}

/// What the file has after a kill.
fn killed(app: &mut TestApp, pets: &[Pet]) -> TestApp {
    sent(app);
    let open = app.state.add.outbox.lines.iter().cloned().map(|line| match line.fate {
        Fate::Sending(..) => crate::app::Line { fate: Fate::Waiting, ..line },
        _ => line,
    });
    let mut next = TestApp::loaded_from(remote(), 80, 24, pets);
    restore(&mut next.state, Ok(Unfinished { open: open.collect(), saved: vec![] }));
    next.wait(Duration::from_millis(1));
    next
}

#[test]
fn changes_of_a_pet_are_sent_in_their_order_also_by_the_next_session() {
    let (mut app, pets) = left_alone();
    app.keys("s Enter");
    let [first, second] = [1, 2].map(|number| app.state.add.outbox.line(number).unwrap().typed.change.clone().unwrap());
    let sold = with(&pets[0], PetStatus::Sold);
    assert_eq!((&first.wanted, &second.seen, &second.wanted), (&sold, &sold, &pets[0]), "as the row shows it");
    let mut next = killed(&mut app, &pets);
    next.shows("2 pets from your last session are being sent now.");
    assert_eq!(newest(&mut next).as_ref(), Some(&*first));
    answered(&mut next, Ok(sold.clone()));
    assert_eq!(newest(&mut next).as_ref(), Some(&*second));
    answered(&mut next, Ok(pets[0].clone()));
    assert!(sent(&mut next).len() == 2 && next.state.pets.changing.is_empty(), "{}", next.screen());
}

#[test]
fn where_somebody_was_faster_what_was_changed_on_top_is_not_sent_and_stays_to_be_seen() {
    let (mut app, pets) = left_alone();
    app.keys("s Enter Down s Enter").wait(Duration::from_secs(1));
    answered(&mut app, Err(changed_meanwhile(&with(&pets[0], PetStatus::Pending))));
    assert_eq!((sent(&mut app).len(), app.state.pets.changing.len()), (3, 1));
    // Another one that was made does not hide that.
    answered(&mut app, Ok(with(&pets[1], PetStatus::Sold)));
    app.shows("was reserved by somebody. Nothing was changed.");
    assert_eq!(app.state.pets.store.get(pets[0].id), Some(&with(&pets[0], PetStatus::Pending)));
    app.keys("2 F6").shows("So far: 2 to fix").shows("not changed").shows("was reserved by somebody");
    app.keys("Enter").shows("Change the pet again").keys("Del Del");
    assert_eq!(app.state.add.outbox.lines, []);
}

#[test]
fn what_waits_is_taken_back_and_what_may_have_been_made_is_undone_after_it() {
    let (mut app, pets) = left_alone();
    app.keys("u");
    assert!(app.says("Taken back") && app.state.pets.changing.is_empty(), "{}", app.screen());
    assert_eq!(app.state.add.outbox.lines, []);
    app.wait(Duration::from_secs(1)).keys("s Enter");
    answered(&mut app, Err(Failure::NoAnswer { after: Duration::from_secs(30) }));
    app.keys("u");
    assert_eq!(app.state.pets.changing[&pets[0].id], pets[0]);
    app.wait(Duration::from_secs(2));
    let sold = with(&pets[0], PetStatus::Sold);
    assert_eq!(newest(&mut app).unwrap().wanted, sold);
    answered(&mut app, Ok(sold.clone()));
    let undo = newest(&mut app).unwrap();
    assert_eq!((&undo.seen, &undo.wanted, undo.is_undo), (&sold, &pets[0], true));
    answered(&mut app, Ok(pets[0].clone()));
    app.shows("undone, available");
    app.state.link.health = crate::tui::state::Health::Unknown;
    app.keys("s Enter 2 F6");
    sent(&mut app);
    answered(&mut app, Err(away()));
    app.keys("Del");
    assert!(app.says("Dropped") && app.state.pets.changing.is_empty(), "{}", app.screen());
}

#[test]
fn a_service_without_changes_and_a_profile_that_is_read_only_say_so() {
    let (mut app, _) = app();
    app.state.pets.offers_changes = Some(false);
    app.keys("s").shows("does not offer to change pets");
    app.state.pets.offers_changes = Some(true);
    app.state.link.read_only = true;
    app.keys("s");
    assert!(app.state.popups.top().is_none() && !is_sending(&mut app));
}

#[test]
fn a_protected_profile_asks_before_the_first_change() {
    let (mut app, _) = app();
    app.state.link.protect = true;
    app.keys("s Enter");
    assert!(app.says("is protected") && !is_sending(&mut app), "{}", app.screen());
    app.wait(DEAF).keys("y");
    assert!(is_sending(&mut app), "{}", app.screen());
}

#[test]
fn what_was_read_before_a_change_does_not_take_it_back() {
    let (mut app, pets) = app();
    app.keys("r s Enter");
    let sold = with(&pets[0], PetStatus::Sold);
    answered(&mut app, Ok(sold.clone()));
    // Asked before, answered after.
    app.answer::<ListPets>(listed(pets.clone(), None));
    assert_eq!(app.state.pets.store.get(pets[0].id), Some(&sold));
    app.keys("r").answer::<ListPets>(listed(pets.clone(), None));
    assert_eq!(app.state.pets.store.get(pets[0].id), Some(&pets[0]), "a later reading counts");
}

#[test]
fn undo_takes_back_only_what_was_changed_here() {
    let (mut app, pets) = app();
    app.keys("s Enter");
    // Another till has given it another name meanwhile.
    let renamed = Pet { name: "Max".to_owned(), ..with(&pets[0], PetStatus::Sold) };
    answered(&mut app, Ok(renamed.clone()));
    app.keys("u");
    let undo = newest(&mut app).unwrap();
    assert_eq!((undo.seen, undo.wanted), (renamed.clone(), with(&renamed, PetStatus::Available)));
}

/// An app with so many available pets, all of them marked, and the cursor on the last.
fn marked(count: usize) -> (TestApp, Vec<Pet>) {
    let mut pets = animals(count);
    pets.iter_mut().for_each(|pet| pet.status = Some(PetStatus::Available.into()));
    let mut app = TestApp::loaded_from(remote(), 80, 24, &pets);
    app.keys(&"Space ".repeat(count));
    // Answers were slow: several are sent at a time.
    app.state.add.pacing.took = Duration::from_secs(1);
    (app, pets)
}

/// The newest change that was sent of this pet is answered.
fn answered_for(app: &mut TestApp, pet: &Pet, answer: impl Fn(&QueuedChange) -> Result<Pet, Failure>) {
    let of_pet = |job: &SendLine| job.line.patch.as_ref().is_some_and(|(id, _)| *id == pet.id);
    let job = sent(app).into_iter().rfind(of_pet).unwrap_or_else(|| panic!("{} was not sent", pet.id));
    let change = app.state.add.outbox.line(job.line.line).unwrap().typed.change.clone().unwrap();
    answered_in(app, job.lane, answer(&change));
}

#[test]
fn marks_are_seen_counted_and_stay_with_their_pets() {
    let (mut app, pets) = app();
    app.keys("Space");
    assert_eq!(app.state.pets.cursor(), 1);
    assert!(app.says("1 marked; Esc unmarks. Row 2 of 3.") && app.screen().contains("\nx  "), "{}", app.screen());
    app.keys("O");
    assert_eq!(app.state.pets.chosen(), [pets[0].clone()], "sorted");
    app.keys("/ \"zzz\" Enter").shows("1 marked, 1 not in these rows; Esc unmarks.");
    app.keys("Esc Right Right").shows("1 marked, 1 not in these rows; Esc unmarks.").keys("0 Esc");
    assert!(!app.says("1 marked") && !app.screen().contains("\nx  "), "{}", app.screen());
    app.keys("g Space g Space");
    assert_eq!(app.state.pets.marked.len(), 0, "the same key takes a mark back");
}

#[test]
fn several_are_sold_as_one_and_undone_as_one() {
    let (mut app, pets) = marked(3);
    app.keys("s").shows("3 pets:").shows("(3 now)").keys("Enter");
    assert_eq!(app.state.pets.marked.len(), 0);
    for pet in &pets {
        app.lacks("3 sold.");
        answered_for(&mut app, pet, |job| {
            assert_eq!((&job.seen, &job.wanted), (pet, &with(pet, PetStatus::Sold)));
            Ok(job.wanted.clone())
        });
    }
    app.shows("3 sold. u undoes it.").keys("u");
    for pet in &pets {
        answered_for(&mut app, pet, |job| {
            assert_eq!((&job.seen, &job.wanted), (&with(pet, PetStatus::Sold), pet));
            Ok(pet.clone())
        });
    }
    app.shows("3 undone: ").keys("u").shows("Nothing to undo");
}

#[test]
fn those_that_were_not_changed_are_named_with_their_reasons() {
    let (mut app, pets) = marked(3);
    let pending = with(&pets[1], PetStatus::Pending);
    let (from, to) = PetMembers::of_change(&pets[1], &pending);
    let changed_by = Some(AddedBy { key: "AAAAAAAA".to_owned(), name: Some("Ada".to_owned()) });
    let change = ChangedPet { pet: pending, from, to, changed_at: Some(app.now.wall), changed_by };
    app.state.pets.changed_by.insert(pets[1].id, change);
    app.wait(Duration::from_secs(130)).keys("s Enter");
    answered_for(&mut app, &pets[1], |job| Err(changed_meanwhile(&with(&job.seen, PetStatus::Pending))));
    app.keys("u").shows("still on its way");
    for pet in [&pets[0], &pets[2]] {
        answered_for(&mut app, pet, |job| Ok(job.wanted.clone()));
    }
    let text = format!("2 sold, 1 not: {} (#{}) was reserved by Ada 2 min ago.", pets[1].name, pets[1].id);
    app.shows(&text).keys("u");
    answered_for(&mut app, &pets[0], |_| Err(Failure::refused(403, Err(""), None)));
    answered_for(&mut app, &pets[2], |job| Err(changed_meanwhile(&with(&job.seen, PetStatus::Pending))));
    app.shows("2 not:").shows("was not changed").shows("was reserved by").keys("u");
    assert_eq!(newest(&mut app).unwrap().wanted, pets[0], "what was not undone still can be");
}

#[test]
fn many_are_changed_at_the_pace_of_the_lines() {
    let (mut app, pets) = marked(40);
    app.keys("s Enter");
    assert_eq!(sent(&mut app).len(), 8);
    for pet in &pets {
        answered_for(&mut app, pet, |job| Ok(job.wanted.clone()));
    }
    assert!(app.says("40 sold.") && app.state.pets.changing.is_empty(), "{}", app.screen());
}

#[test]
fn of_many_those_wait_that_the_service_did_not_take_and_all_are_reported_as_one() {
    let (mut app, pets) = marked(12);
    app.keys("s Enter");
    for pet in &pets[..7] {
        answered_for(&mut app, pet, |job| Ok(job.wanted.clone()));
    }
    answered_for(&mut app, &pets[7], |_| Err(away()));
    assert!(app.says("Changed once") && app.state.pets.changing.len() == 5, "{}", app.screen());
    app.wait(Duration::from_secs(1));
    for pet in &pets[7..] {
        answered_for(&mut app, pet, |job| Ok(job.wanted.clone()));
    }
    app.shows("12 sold. u undoes it.");
}

#[test]
fn those_that_are_so_already_are_counted_and_many_reasons_are_in_a_box() {
    let (mut app, pets) = app();
    app.keys("Space Space Space s Enter");
    for pet in &pets[..2] {
        answered_for(&mut app, pet, |job| Ok(job.wanted.clone()));
    }
    app.shows("2 sold, 1 so already. u undoes it.");
    let (mut app, pets) = marked(4);
    app.keys("s Enter");
    answered_for(&mut app, &pets[0], |job| Ok(job.wanted.clone()));
    for pet in &pets[1..] {
        answered_for(&mut app, pet, |job| Err(changed_meanwhile(&with(&job.seen, PetStatus::Pending))));
    }
    let all = pets[1..].iter().all(|pet| app.says(&format!("(#{}) was reserved by somebody.", pet.id)));
    assert!(all && app.state.place().name == "text-box" && app.says("1 sold, 3 not:"), "{}", app.screen());
}

#[test]
fn a_pet_that_is_being_changed_is_not_changed_at_the_same_time() {
    let (mut app, pets) = app();
    app.keys("s Enter");
    assert!(is_sending(&mut app));
    app.keys("s Enter");
    assert_eq!(sent(&mut app).len(), 1);
    answered(&mut app, Err(changed_meanwhile(&with(&pets[0], PetStatus::Pending))));
    assert_eq!((sent(&mut app).len(), app.state.add.outbox.lines.len()), (1, 0), "it was changed on top of that");
}

#[test]
fn one_question_names_how_many_are_changed_in_a_protected_profile() {
    let (mut app, _) = marked(3);
    app.state.link.protect = true;
    app.keys("s Enter").shows("3 pets:").shows("sold").shows("is protected").wait(DEAF).keys("n");
    assert_eq!((app.state.pets.marked.len(), sent(&mut app).len()), (3, 0));
    app.keys("s Enter").wait(DEAF).keys("y");
    assert_eq!(sent(&mut app).len(), 3);
}

#[test]
fn what_is_marked_is_exported_first() {
    let (mut app, _) = marked(3);
    app.keys("Up Space x").shows("2 pets marked").shows("pets-marked.csv");
}

#[test]
fn a_form_saves_what_is_different_tested_against_what_was_seen() {
    let (mut app, pets) = app();
    app.keys("E Enter").shows("Nothing is different").keys("C-u \"Bo\" Tab Tab Down Enter");
    let asked = newest(&mut app).unwrap();
    let wanted = Pet { name: "Bo".to_owned(), ..with(&pets[0], PetStatus::Pending) };
    assert_eq!((&asked.seen, &asked.wanted), (&pets[0], &wanted));
    app.shows("Saving ...").keys("Enter");
    assert_eq!(sent(&mut app).len(), 1, "it is on its way");
    answered(&mut app, Ok(wanted.clone()));
    assert!(!app.state.popups.is_open() && app.says("Bo (#") && app.says("u undoes it."), "{}", app.screen());
    app.keys("u");
    assert_eq!(newest(&mut app).unwrap().wanted, pets[0]);
}

#[test]
fn a_form_says_at_its_fields_what_is_wrong() {
    let (mut app, pets) = app();
    app.keys("E C-u Enter").shows("Name is required").shows("Fix 1 field first. Nothing was changed.");
    app.keys("\"Bo\" Enter");
    answered(&mut app, Err(refused_with(400, "invalid_name", "No pet is called Bo.")));
    assert!(app.screen().matches("No pet is called Bo.").count() >= 1 && app.says("Bo"), "{}", app.screen());
    assert_eq!(app.state.place().name, "edit-box");
    app.keys("\"Max\" Enter");
    assert_eq!(newest(&mut app).unwrap().wanted, Pet { name: "Max".to_owned(), ..pets[0].clone() });
}

#[test]
fn a_form_shows_what_the_pet_is_now_and_keeps_what_was_typed() {
    let (mut app, pets) = app();
    app.keys("E C-u \"Bo\" Enter");
    let now = Pet { name: "Max".to_owned(), category_id: 12, ..with(&pets[0], PetStatus::Sold) };
    answered(&mut app, Err(changed_meanwhile(&now)));
    app.shows("It is now: Max, 12, sold.").shows("Nothing was changed.").keys("Enter");
    let asked = newest(&mut app).unwrap();
    assert_eq!((&asked.seen, &asked.wanted), (&now, &Pet { name: "Bo".to_owned(), ..now.clone() }));
    app.keys("Esc");
    answered(&mut app, Ok(asked.wanted.clone()));
    assert!(app.says("Bo (#"), "its answer is reported also after the form was closed: {}", app.screen());
}

#[test]
fn a_form_comes_back_from_the_question_of_a_protected_profile() {
    let (mut app, _) = app();
    app.state.link.protect = true;
    for (answer, jobs) in [("n", 0), ("y", 1)] {
        app.keys(if answer == "n" { "E C-u \"Bo\" Enter" } else { "Enter" }).wait(DEAF).keys(answer);
        assert!(app.state.place().name == "edit-box" && app.says("Bo"), "{}", app.screen());
        assert_eq!(sent(&mut app).len(), jobs);
    }
}

#[test]
fn scan_s_and_enter_are_a_sale_also_of_a_pet_that_is_not_among_the_rows() {
    let (mut app, pets) = app();
    // On the tab of those that are sold.
    app.keys("Left #");
    scan(&mut app, &pets[0]);
    app.keys("s Enter");
    assert_eq!(newest(&mut app).unwrap().wanted, with(&pets[0], PetStatus::Sold), "{}", app.screen());
    app.shows(&format!("Selling {} (#{}) ...", pets[0].name, pets[0].id));
}

/// An app in the sale mode.
fn selling() -> (TestApp, Vec<Pet>) {
    let (mut app, pets) = app();
    app.keys("# S").shows("SALE MODE: each scan sells").wait(DEAF);
    (app, pets)
}

/// What a scanner sends for this pet.
fn scan(app: &mut TestApp, pet: &Pet) {
    app.keys(&format!("\"{}\" Enter", pet.id));
}

#[test]
fn in_the_sale_mode_each_scan_is_a_sale_and_none_is_lost() {
    let (mut app, pets) = selling();
    scan(&mut app, &pets[0]);
    // The next ones come while the first is still on its way: one is reserved, one sold already.
    pets[1..].iter().for_each(|pet| scan(&mut app, pet));
    app.shows("No answer yet for 3 scans.");
    scan(&mut app, &pets[0]);
    // The one that is sold may have come back since.
    app.answer_in::<FindPet>(Slot::Scanned, Ok(LookupResult { pet: Some(pets[2].clone()), ..LookupResult::default() }));
    let already = |pet: &Pet| format!("{} (#{}) is sold already.", pet.name, pet.id);
    assert!(app.says(&already(&pets[2])) && app.says(&already(&pets[0])), "{}", app.screen());
    for pet in &pets[..2] {
        answered(&mut app, Ok(with(pet, PetStatus::Sold)));
        app.shows(&format!("Sold {} (#{})", pet.name, pet.id));
    }
    assert!(app.says("Esc leaves") && !is_sending(&mut app), "{}", app.screen());
    app.keys("Esc u");
    assert_eq!(newest(&mut app).unwrap().wanted, pets[1], "{}", app.screen());
}

#[test]
fn what_cannot_be_sold_by_a_scan_is_a_sentence_that_stays_and_the_next_scan_goes_on() {
    let (mut app, pets) = selling();
    scan(&mut app, &pets[0]);
    answered(&mut app, Err(changed_meanwhile(&with(&pets[0], PetStatus::Pending))));
    let faster = "was reserved by somebody.";
    app.shows(faster);
    scan(&mut app, &pets[1]);
    answered(&mut app, Err(refused_with(403, "forbidden", "no write")));
    app.keys("\"rex\" Enter").shows("\"rex\" is not an id.");
    let unknown = Pet { id: 4711, ..pets[0].clone() };
    scan(&mut app, &unknown);
    // What goes on meanwhile does not stop it.
    app.keys("C-c");
    app.answer_in::<FindPet>(Slot::Scanned, Ok(LookupResult { get: Some(404), ..LookupResult::default() }));
    for why in [faster, "answered 403 (forbidden)", "Pet 4711 was not sold."] {
        assert!(app.says(why), "{why}: {}", app.screen());
    }
    scan(&mut app, &unknown);
    app.answer_in::<FindPet>(Slot::Scanned, Ok(LookupResult { pet: Some(unknown.clone()), ..LookupResult::default() }));
    assert_eq!(newest(&mut app).unwrap().seen, unknown);
    answered(&mut app, Err(changed_meanwhile(&with(&unknown, PetStatus::Sold))));
    app.shows("was sold by somebody.");
    scan(&mut app, &pets[1]);
    answered(&mut app, Err(away()));
    assert!(app.says("Changed once") && app.says(&pets[1].name), "{}", app.screen());
}

#[test]
fn nobody_gets_into_the_sale_mode_by_accident() {
    let (mut app, pets) = app();
    // A code with the letter, as fast as a scanner sends it.
    app.keys(&format!("# S \"{}\" Enter", pets[0].id)).shows("came too soon after S and was not taken");
    // Nor the end of it, which is another pet.
    app.wait(DEAF / 2).keys("\"1\" Enter").wait(DEAF).keys("S");
    assert!(app.says("Find a pet") && !is_sending(&mut app), "{}", app.screen());
    app.state.link.protect = true;
    app.keys("S").shows("is protected").shows("each scan sells").wait(DEAF).keys("n # ");
    app.state.link.read_only = true;
    app.keys("S").lacks("SALE MODE").shows("read-only");
}

#[test]
fn what_was_typed_in_the_form_is_not_dropped_without_a_word() {
    let (mut app, _) = app();
    app.keys("E Esc").lacks("dropped");
    app.keys("E C-u \"Bo\" Esc").shows("was not changed: what you typed is dropped.");
}

#[test]
fn the_box_for_several_says_how_many_of_them_are_sold() {
    let (mut app, _) = app();
    app.keys("Space Space Space s").shows("Sold now: 1 of 3");
}

#[test]
fn looks_of_changes() {
    let mut looks = Looks::after("browsing", TestApp::loaded);
    let app = |columns, rows| TestApp::loaded_from(remote(), columns, rows, &animals(39));
    looks.state("marked", |columns, rows| app(columns, rows).after("Space Down Space Space"));
    looks.state("status_of_several", |columns, rows| app(columns, rows).after("Space Down Space Space s"));
    looks.state("edit", |columns, rows| app(columns, rows).after("E"));
    looks.state("sale_mode", |columns, rows| {
        let mut app = app(columns, rows).after("# S").later(DEAF);
        let pets: Vec<_> = app.state.pets.rows_from(0).take(4).cloned().collect();
        pets.iter().for_each(|pet| scan(&mut app, pet));
        let change = newest(&mut app).unwrap();
        answered(&mut app, Ok(change.wanted));
        app
    });
    looks.state("edit_faster", |columns, rows| {
        let mut app = app(columns, rows).after("E C-u \"Bo\" Enter");
        let mut now = newest(&mut app).unwrap().seen;
        now.name = "A longer name than most are, so that its line is broken".to_owned();
        answered(&mut app, Err(changed_meanwhile(&now)));
        app
    });
    insta::assert_snapshot!(looks);
}

/// What the history of a pet was a moment ago: it was added, renamed, then sold by Ada.
fn history(pet: &Pet, now: Now) -> Vec<PetHistoryEntry> {
    let ago = |minutes| Some(now.wall - jiff::SignedDuration::from_mins(minutes));
    let entry = |from: Option<PetMembers>, to, at| PetHistoryEntry {
        at,
        by: Some(AddedBy { key: "AAAAAAAA".to_owned(), name: Some("Ada\u{1b}[2J".to_owned()) }),
        from,
        to,
    };
    let change = |new: &Pet, at| {
        let (from, to) = PetMembers::of_change(pet, new);
        entry(Some(from), to, at)
    };
    vec![
        entry(None, PetMembers::default(), ago(9)),
        change(&Pet { name: "Bo".to_owned(), category_id: 12, ..pet.clone() }, ago(5)),
        change(&with(pet, PetStatus::Sold), ago(2)),
    ]
}

/// An app whose service offers changes, with the detail of the first pet.
fn with_detail(columns: u16, rows: u16) -> (TestApp, Vec<Pet>) {
    let pets = animals(39);
    let mut app = TestApp::loaded_from(remote(), columns, rows, &pets);
    app.state.pets.offers_changes = Some(true);
    app.keys("Enter").wait(Duration::from_millis(300));
    (app, pets)
}

#[test]
fn the_detail_shows_what_was_done_to_its_pet() {
    let (mut app, pets) = with_detail(80, 24);
    assert_eq!(app.asked::<ReadHistory>(), Some(ReadHistory(pets[0].id)));
    app.answer::<ReadHistory>(Ok(history(&pets[0], app.now)));
    app.shows("sold by Ada").shows(", 2 min ago (was available)");
    assert!(!app.screen().contains('\u{1b}'));
    app.wait(Duration::from_secs(60)).shows(", 3 min ago").keys("s Down Enter");
    assert_eq!(app.all_asked::<ReadHistory>().len(), 1, "it is asked once");
    answered(&mut app, Ok(with(&pets[0], PetStatus::Sold)));
    app.wait(Duration::from_millis(300));
    assert_eq!(app.all_asked::<ReadHistory>().len(), 2, "it has one more line");
}

#[test]
fn no_history_is_asked_for_of_rows_that_are_passed_or_not_shown() {
    let (mut app, pets) = with_detail(80, 24);
    app.keys("Down");
    assert!(app.effects.contains(&Effect::Cancel(Slot::History)), "the pet is another one");
    app.wait(Duration::from_millis(200)).keys("Down").wait(Duration::from_millis(200)).keys("Down");
    assert_eq!(app.all_asked::<ReadHistory>().len(), 1);
    app.wait(Duration::from_millis(300));
    assert_eq!(app.asked::<ReadHistory>(), Some(ReadHistory(pets[3].id)));
    app.answer::<ReadHistory>(Err(Failure::refused(404, Err(""), None)));
    app.keys("Enter Down").wait(Duration::from_secs(1));
    assert_eq!(app.all_asked::<ReadHistory>().len(), 2, "the detail is closed");
    app.keys("Enter").wait(Duration::from_millis(300));
    app.answer::<ReadHistory>(Err(Failure::refused(403, Err(""), None)));
    assert!(app.state.message.is_none(), "{}", app.screen());
    app.keys("Down").wait(Duration::from_secs(1));
    assert_eq!(app.all_asked::<ReadHistory>().len(), 3, "this key may not see it");
    let (mut app, _) = self::app();
    app.state.pets.offers_changes = Some(false);
    app.keys("Enter").wait(Duration::from_secs(1));
    assert_eq!(app.asked::<ReadHistory>(), None, "a service without changes has none");
}

#[test]
fn looks_of_the_history() {
    let make = |columns, rows| {
        let (mut app, pets) = with_detail(columns, rows);
        app.answer::<ReadHistory>(Ok(history(&pets[0], app.now)));
        app
    };
    let mut looks = Looks::after("browsing", TestApp::loaded);
    looks.wide_state("history", make);
    insta::assert_snapshot!(looks);
}

#[test]
fn of_a_change_that_may_have_been_made_no_older_one_is_undone() {
    let (mut app, pets) = app();
    app.keys("s Enter");
    answered(&mut app, Ok(with(&pets[0], PetStatus::Sold)));
    app.keys("Down s Enter");
    answered(&mut app, Err(Failure::Malformed { why: "cut".into(), excerpt: String::new() }));
    app.shows("may or may not be changed").keys("u");
    assert!(!is_sending(&mut app), "{}", app.screen());
    app.shows("Nothing to undo");
}

#[test]
fn what_others_have_changed_since_is_not_undone() {
    let (mut app, pets) = followed();
    app.keys("s Enter");
    let sold = with(&pets[0], PetStatus::Sold);
    answered(&mut app, Ok(sold.clone()));
    let reported = |before: &Pet, pet: &Pet| {
        let (from, to) = PetMembers::of_change(before, pet);
        let change = ChangedPet { pet: pet.clone(), from, to, changed_at: None, changed_by: None };
        Followed::Changed(vec![change])
    };
    follow(&mut app, reported(&pets[0], &sold));
    assert_eq!(app.state.pets.last_change.len(), 1, "its own change");
    // Another till took it back and sold it to somebody else.
    follow(&mut app, reported(&sold, &pets[0]));
    follow(&mut app, reported(&pets[0], &sold));
    app.keys("u").shows("Nothing to undo");
}

#[test]
fn in_a_view_of_its_status_a_sold_pet_stays_under_the_hand_until_the_cursor_moves() {
    let mut pets = animals(3);
    pets.iter_mut().for_each(|pet| pet.status = Some(PetStatus::Available.into()));
    let mut app = TestApp::loaded_from(remote(), 80, 24, &pets).after("Right s Enter");
    answered(&mut app, Ok(with(&pets[0], PetStatus::Sold)));
    assert_eq!((app.state.pets.row_count(), app.state.pets.selected().unwrap().id), (3, pets[0].id));
    app.keys("s Up Up Enter");
    let back = newest(&mut app).unwrap();
    assert_eq!((back.seen.id, back.wanted.status), (pets[0].id, Some(PetStatus::Available.into())), "not the next one");
    answered(&mut app, Ok(with(&pets[0], PetStatus::Sold)));
    app.keys("Down");
    assert_eq!((app.state.pets.row_count(), app.state.pets.selected().unwrap().id), (2, pets[1].id));
}
