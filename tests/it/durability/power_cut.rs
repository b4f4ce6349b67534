//! Power cuts at any moment, after which a disk has what was synced and of the rest what fate picks (see `after_power_cut`).
//!
//! Why a cut in the log is as good as a real one: the log has every operation in its order, and a sync is in it before
//! the program hears of it (see `disk.c`). A client notes the length of the log when it has read its 201. So whatever
//! that 201 relies on lies below that length, and no cut at that length or later may lose the pet.

use crate::prelude::*;

use super::after_power_cut::{AfterCut, Dice, Fate};
use super::disk::Operation;
use super::fixture::{Added, LONG, Shop, Told, WRITERS, faults, pets, writers};

/// How many moments are tried: half of them just when a 201 was read, half of them anywhere.
const CUTS: usize = 150;

const DATABASE: &str = "shop/store.db";
const WRITE_AHEAD_LOG: &str = "shop/store.db-wal";

/// What happened on a disk, and what clients were told meanwhile.
struct Run {
    operations: Vec<(u64, Operation)>,
    /// How many of them had made the database, with a key in it that was printed.
    made: usize,
    key: String,
    added: Vec<Added>,
}

impl Run {
    /// Makes a database, then does `work` with it.
    fn new(work: impl FnOnce(&Shop) -> Vec<Told>) -> Self {
        let shop = Shop::on_a_watched_disk();
        let made = shop.disk().operations().len();
        let added = work(&shop).into_iter().map(Told::added).collect();
        Self { operations: shop.disk().operations(), made, key: shop.key().to_owned(), added }
    }

    /// Moments since the database was made, in their order.
    fn cuts(&self) -> BTreeSet<usize> {
        let mut dice = Dice(1);
        let mut cuts = BTreeSet::new();
        for _ in 0..CUTS / 2 {
            let log_length = self.added[dice.below(self.added.len())].log_length;
            cuts.insert(self.operations.partition_point(|(end, _)| *end <= log_length));
            cuts.insert(self.made + dice.below(self.operations.len() - self.made));
        }
        cuts
    }
}

/// The same operations once more, up to a cut.
struct Playback<'a> {
    run: &'a Run,
    after_cut: AfterCut,
    cut: usize,
    dice: Dice,
}

impl<'a> Playback<'a> {
    fn new(run: &'a Run) -> Self {
        Self { run, after_cut: AfterCut::new(), cut: 0, dice: Dice(2) }
    }

    /// From a database that was made so long ago that the system has written all of it back.
    fn of_an_old_database(run: &'a Run) -> Self {
        let mut playback = Self::new(run);
        playback.go_to(run.made);
        playback.after_cut.settle();
        playback
    }

    fn go_to(&mut self, cut: usize) {
        self.run.operations[self.cut..cut].iter().for_each(|(_, operation)| self.after_cut.apply(operation));
        self.cut = cut;
    }

    /// What is wrong when the power is cut here.
    fn faults(&mut self, fate: Fate) -> Vec<String> {
        let Self { run, cut, .. } = *self;
        let directory = tempfile::tempdir().unwrap();
        self.after_cut.restore(directory.path(), fate, &mut self.dice);
        let key = (cut >= run.made).then_some(run.key.as_str());
        // Acknowledged before the first operation that is not in any more.
        let next = run.operations.get(cut).map_or(u64::MAX, |(end, _)| *end);
        let acknowledged = run.added.iter().filter(|added| added.log_length < next);
        let faults = match pets(&directory.path().join(DATABASE), key) {
            Ok(pets) => faults(acknowledged, &pets),
            Err(error) => vec![format!("{error:?}")],
        };
        faults.into_iter().map(|fault| format!("{fate:?} after {cut} operations: {fault}")).collect()
    }

    /// What is wrong at the first of `cuts` where anything is.
    fn faults_at(mut self, cuts: impl IntoIterator<Item = (usize, Fate)>) -> Vec<String> {
        let mut faults = cuts.into_iter().map(|(cut, fate)| {
            self.go_to(cut);
            self.faults(fate)
        });
        faults.find(|faults| !faults.is_empty()).unwrap_or_default()
    }
}

/// Many writers, until the write-ahead log was folded into the database and begun again.
static UNDER_LOAD: LazyLock<Run> = LazyLock::new(|| {
    Run::new(|shop| {
        let before = times_begun(shop);
        let service = shop.serve();
        let told = writers(WRITERS, &service, LONG);
        let mut all = Vec::new();
        while times_begun(shop) < before + 2 {
            all.extend(told.iter().take(500));
        }
        all.extend(told.iter().take(500));
        service.stop();
        all.extend(told);
        all
    })
});

fn times_begun(shop: &Shop) -> usize {
    let begins =
        |operation: &Operation| is_write_to_log(operation) && matches!(operation, Operation::Write { offset: 0, .. });
    shop.disk().operations().iter().filter(|(_, operation)| begins(operation)).count()
}

fn is_write_to_log(operation: &Operation) -> bool {
    matches!(operation, Operation::Write { path, .. } if path == WRITE_AHEAD_LOG)
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn power_cut_at_any_moment_under_load_keeps_every_acknowledged_pet() {
    let cuts = UNDER_LOAD.cuts().into_iter().zip(Fate::ALL.into_iter().cycle());
    assert_eq!(Playback::of_an_old_database(&UNDER_LOAD).faults_at(cuts), Vec::<String>::new());
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn power_cut_soon_after_the_database_was_made_keeps_every_acknowledged_pet() {
    let cuts = UNDER_LOAD.cuts().into_iter().zip(Fate::ALL.into_iter().cycle());
    assert_eq!(Playback::new(&UNDER_LOAD).faults_at(cuts), Vec::<String>::new());
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn power_cut_while_the_database_is_made_leaves_one_that_can_be_opened() {
    let run = Run::new(|_| Vec::new());
    let cuts = (0..run.made).flat_map(|cut| Fate::ALL.map(|fate| (cut, fate)));
    let faults = Playback::new(&run).faults_at(cuts);
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn power_cut_after_a_kill_9_and_a_restart_keeps_what_was_added_since() {
    let run = Run::new(|shop| {
        shop.serve().kill_9();
        vec![shop.serve().client().add("Rex").unwrap()]
    });
    let cuts = Fate::ALL.map(|fate| (run.operations.len(), fate));
    assert_eq!(Playback::of_an_old_database(&run).faults_at(cuts), Vec::<String>::new());
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn a_disk_that_forgets_the_last_sync_or_the_write_before_it_is_noticed() {
    let run = Run::new(|shop| vec![shop.serve().client().add("Rex").unwrap()]);
    // What the service writes on its own afterwards would sync the log once more.
    let answered = run.operations.partition_point(|(end, _)| *end <= run.added[0].log_length);
    let operations = &run.operations[..answered];
    let faults_without = |forgotten: Option<usize>| {
        let mut playback = Playback::of_an_old_database(&run);
        for (index, (_, operation)) in operations.iter().enumerate().skip(run.made) {
            if Some(index) != forgotten {
                playback.after_cut.apply(operation);
            }
        }
        playback.cut = answered;
        playback.faults(Fate::Lost)
    };
    let is_sync = |operation: &Operation| *operation == Operation::Sync(WRITE_AHEAD_LOG.to_owned());
    let sync = operations.iter().rposition(|(_, operation)| is_sync(operation)).unwrap();
    let write = operations[..sync].iter().rposition(|(_, operation)| is_write_to_log(operation)).unwrap();
    assert_eq!(faults_without(None), Vec::<String>::new());
    for forgotten in [sync, write] {
        let faults = faults_without(Some(forgotten));
        assert!(matches!(&faults[..], [fault] if fault.contains("acknowledged as Rex")), "{faults:?}");
    }
}

#[test]
#[cfg_attr(not(target_env = "gnu"), ignore = "the disk stands before glibc")]
fn the_log_played_back_in_full_is_the_directory_as_it_is() {
    let shop = Shop::on_a_watched_disk();
    let is_same = |files: &[&str]| {
        let mut after_cut = AfterCut::new();
        shop.disk().operations().iter().for_each(|(_, operation)| after_cut.apply(operation));
        let directory = tempfile::tempdir().unwrap();
        after_cut.restore(directory.path(), Fate::Kept, &mut Dice(3));
        let read = |directory: &Path, file| fs::read(directory.join(file)).unwrap();
        files.iter().all(|file| read(directory.path(), file) == read(shop.disk().directory(), file))
    };
    let service = shop.serve();
    for number in 0..50 {
        service.client().add(&format!("{LONG} {number}")).unwrap().added();
    }
    // Nothing is under way now: every operation has its record. The -shm is left out: it is written as memory.
    service.kill_9();
    assert!(is_same(&[DATABASE, WRITE_AHEAD_LOG]));
    shop.serve().stop();
    assert!(is_same(&[DATABASE]));
}
