//! Petstore: the terminal app, the service behind it, a command line for scripts, and the library under them.
//!
//! # Where to begin
//!
//! To understand the app, read nine files: this one (the map), `tui::msg`, `tui::effect`, `tui::command`, `tui::update`,
//! `tui::job`, `tui::screens::pets::update`, `tui::worker`, `tui::event_loop`. To understand the service: [`server`], then
//! [`store`]: below its `pets` come `job`, `database`, `group`, then `sqlite` or `postgres`; the statements are in `sql`. The
//! types of both are in [`model`]. To understand the checker of custom domains: [`domains`], then
//! [`domains::observation`], [`domains::diagnosis`], [`domains::probe`]; its panel is `tui::screens::domains`.
//! Files of pets go in and out through `transfer`. The main tasks in plain lines, for screen readers and braille
//! displays, are in `dialogue`.
//!
//! # The app
//!
//! A key goes through `tui::terminal` (its thread decodes it), `tui::event_loop` and `tui::paste_detection`, which may make it
//! part of a paste, to `tui::update`. There `tui::places` says which place has the keys, a box or a page, and `tui::keymap`
//! looks up the command. Commands are in the file of their screen or box, those of none in `tui::update`, and what two
//! screens share in `tui::places`. What takes time is a job, one type in the file of what it is about (`tui::screens::pets::reading` for
//! lists): what is asked, what the worker does for it, through `app`, [`api`], [`domains`] or files, and what follows from
//! its answer (`tui::job`). Adding or changing a pet begins none: it becomes a line of `app::outbox`, and after every message
//! `tui::screens::add_pet::lines` begins what is due of them. `tui::update` has the few others that follow every message. A frame goes from
//! `tui::view` over the `view` of a screen to `tui::terminal`, which writes what is different, on a thread.
//! The service inside the app is started by `cli::service`, which `cli::launch` hands to the worker.
//!
//! ```text
//!              terminal events            signals
//!                    │                       │
//!         ┌──────────▼───────────────────────▼─────────┐     effects (unbounded: none lost) ┌───────────────────┐
//!         │ event loop (tui::event_loop)               │ ─────────────────────────────────► │ worker task       │
//!         │  changes App                          │                                    │ (tui::worker)     │
//!         │  Msg ─► update(&mut state, msg, now) ─► Vec<Effect>                             │ one job per slot: │
//!         │  draw(&state, &appearance, now) ─► Frame; state.layout                          │ api, files,       │
//!         │                                            │ ◄───────────────────────────────── │ domains           │
//!         └────────────────────────────────────────────┘  replies (bounded; awaited unless  └───────────────────┘
//!                                                           something newer comes)
//! ```
//!
//! The state is shared by sending, not by locking. A reply counts only if its id is the one that its slot waits for.
//! Time is a parameter; nothing ticks while nothing is due. The app always talks HTTP to a service, also to the one
//! that it starts inside itself.
//!
//! # Rooms
//!
//! Arrows point to what may be imported, as may be what comes after it; a test compares the imports of `src` with this.
//! `transfer` also uses `api` and `config`; `api` uses `model` alone; of `cli` only `launch` uses `tui`. `clock` and
//! `terminal_size` are usable everywhere; `model` imports nothing of ours. No files import each other in a circle, but
//! inside the folder of a screen, and the state of the app with what is a function of it: its commands and jobs.
//!
//! ```text
//! main ─► cli ─┬─► tui ──────┬─► app ─► transfer, api, domains, config ─► local ─► model
//!              ├─► dialogue ─┘
//!              └─► server ─► store ─► model
//! ```
//!
//! `api`, `clock`, `domains`, `model`, `server` and `store` are the library. The other rooms are the program, and change
//! without notice.
//!
//! # Glossary
//!
//! Section numbers in comments are those of the owner's description of the API. What it does not have is called an
//! addition, also in `assets/openapi.yaml`.
//!
//! | Term | Meaning |
//! |---|---|
//! | pet, category, status | what a store keeps; `NewPet`, `Pet`, `PetStatus` |
//! | service | an implementation of the API: ours ([`server`]) or another |
//! | profile | a saved service: its address and where its API key comes from (`config::profiles`) |
//! | embedded store | the service inside the app, on its own file (`config::Service::Embedded`) |
//! | demo | the embedded store with samples, which keeps nothing |
//! | target | the service that flags, environment and configuration ask for (`config::target`); of an import, the service it goes to |
//! | sources, provenance (settings) | what was set where (`config::sources`), and where a setting in force came from (`config::sources::Origin`) |
//! | provenance (pets), audit | when and by which key a pet was added, and the scope that may see it (an addition) |
//! | event, stream, feed | a pet that was added, those that one client follows (an addition), and what reads them for all streams (`server::feed`) |
//! | turn | what transactions that add pets on PostgreSQL take one after another, so that ids become visible in their order |
//! | view, tab | a search with a name, status, order, columns and limit; each is a tab, four are built in ([`config::file::View`]) |
//! | limit, page | most rows of one answer; further answers by `Link: rel="next"` (RFC 8288, an addition) |
//! | inventory, coverage | every pet of a service, and whether that is known to be all ([`api::inventory`]) |
//! | store of pets | the pets that the app knows of a service ([`app::inventory::store`]); the database is [`store`] |
//! | Idempotency-Key | makes a creation that is sent again the same creation (an addition) |
//! | unknown outcome | a creation that may or may not have happened: no answer came |
//! | settle | find out about an unknown outcome, by sending again with its key or by a person |
//! | outbox | pets and changes on their way to a service, each added or made once (`app::outbox`) |
//! | line, fate | a pet or a change in the outbox, and what has become of it (`app::outbox::queue`) |
//! | command, place | what a user can do, and where its keys work: a page or a box (`tui::command`, `tui::places`) |
//! | box, popup | what lies over a screen until it is answered (`tui::popups`) |
//! | slot, lane | where one job runs at a time, and jobs side by side in one slot (`tui::pending`) |
//! | exchange | a request and its answer, as recorded for the screen of requests ([`api::exchange`]) |
//! | log | records in the lines of a file, which count once they are whole (`local::log`) |
//! | queue | pets and changes that wait to be sent (`app::outbox::queue`) |
//! | draft | what is typed and not sent, kept on disk (`tui::drafts`) |
//! | session cache | the pets of a service kept for the next start (`tui::session_cache`) |
//! | report | what an import did, row by row, beside its file (`transfer::journal`) |
//! | rejects | rows that were not added, as a file to correct (`transfer::rejects`) |
//! | duplicates | equal rows of one file (`transfer::preview`) |
//! | work, job (store) | what reads or writes for one caller, and the same in a queue (`store::job`) |
//! | group, engine (store) | jobs that are done together, and what does so: one transaction on SQLite or PostgreSQL (`store::group`) |
//! | heartbeat | a write that leaves nothing behind and shows that commits get through |
//! | message, effect | what can happen to the app, what it can ask for (`tui::msg`, `tui::effect`) |
//! | own action, run | a program of the user's on a key, and one time that it runs (`tui::custom_actions`) |
//! | job, slot (app) | work for the worker (`tui::job`); at most one runs in a slot (`tui::pending`) |
//! | custom domain | a domain of one's own for a published project |
//! | platform host | the value of the CNAME record that the dashboard shows |
//! | apex | a domain without a subdomain; gets ALIAS or ANAME instead of CNAME |
//! | observation | what was measured, unjudged ([`domains::observation`]) |
//! | reported | what the operator did, by their own word ([`domains::reported`]) |
//! | finding, verdict, catalogue | a judgement, its gravity, and the table of all of them ([`domains::catalogue`]) |
//! | stage | how far a domain is on its way to live and out again ([`domains::stage`]) |
//! | progress | the stage of a domain, how it is, and what comes next (`domains::progress`) |
//! | vantage point | a name server or resolver, and what it sees ([`domains::vantage_points`]) |
//! | authoritative | answered by the zone's own name servers (RFC 9499) |
//! | propagation | the time until caches forget the old answer: their TTL (RFC 1035), negative ones by SOA (RFC 2308) |
//! | CAA | which authorities may issue a certificate (RFC 8659) |
//! | registry | the list of domains that an operator keeps ([`domains::registry`]) |
//! | practice | an internet in memory, in which the demo's users practise ([`domains::practice`]) |
//! | diff backend | writes only what differs from the frame before (`tui::terminal`) |
//! | frame pacer | decides when the next frame may be drawn (`tui::frame_pacer`) |

pub mod api;
pub mod clock;
pub mod domains;
pub mod model;
pub mod server;
pub mod store;

// The program. Its entry point, tests and benches are other crates, and reach it here.
#[doc(hidden)]
pub mod app;
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod dialogue;
#[doc(hidden)]
pub mod local;
mod terminal_size;
#[doc(hidden)]
pub mod transfer;
#[doc(hidden)]
pub mod tui;
