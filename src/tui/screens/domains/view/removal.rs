//! Taking a domain out of service, step by step.

use crate::app::domain_progress::{DomainRole, leads_on};
use crate::domains::finding::deciding;
use crate::tui::pending::Slot;
use crate::tui::widgets::page::tick;

use super::super::removal::{DASHBOARD, NAME, VISITORS, is_gone, is_left_behind, worked};
use super::{Page, Scene, act_of};

/// The least rows for everything.
const ROOMY: u16 = 20;

/// Paints the page, scrolled so that the part in use is visible.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>) {
    let small = page.area.height < ROOMY;
    page.scrolled(0, |page| draw_whole(scene, small, page));
}

fn draw_whole(scene: Scene<'_>, small: bool, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let Some(name) = &panel.selected else { return };
    let reported = panel.reported(name);
    let removal = &panel.removal;
    page.tight = small;
    page.gap();
    page.heading(format!("   Remove {}", page.appearance.text(name.as_str())));
    page.gap();
    if !small {
        page.wrapped(3, "Remove in the dashboard takes the site at this name offline at once. So, in this order:", 3);
    }
    page.gap();
    let followed = panel.followed(name);
    let works = followed.is_some_and(|followed| leads_on(&followed.findings));
    let worked = worked(panel, name).filter(|_| !works);
    page.text(&format!("     1 {} A redirect to another domain is set and works", tick(works || worked.is_some())));
    match (worked, followed) {
        (Some(at), _) => {
            page.wrapped(11, &format!("worked at {}; the removal ends it", scene.appearance.time(at)), 1);
        }
        (None, None) => {
            let text = match panel.redirect_from(name) {
                None => "none configured: set it in [domains] and in the dashboard",
                Some(_) if reported.removed => "not checked: the domain is removed",
                Some(_) if scene.app.pending.is_running(Slot::Redirects) => "checking ...",
                Some(_) => "not checked yet (r)",
            };
            page.wrapped(11, text, 2);
        }
        (None, Some(walked)) => {
            let hop = walked.hops.first().map_or("", String::as_str);
            let rows = if small { 1 } else { 3 };
            page.wrapped(11, &format!("{hop} ({})", scene.appearance.time(walked.at)), rows);
            if let Some(finding) = deciding(&walked.findings).filter(|_| !works) {
                page.error(11, &format!("{}. {}", finding.title, act_of(finding)), 2);
            }
        }
    }
    for (field, number, done, text) in [
        (&VISITORS, 2, reported.removal_planned || reported.removed, "Visitors are few enough (your judgement)"),
        (&DASHBOARD, 3, reported.removed, "Dashboard: Domains, menu at the name, Remove"),
    ] {
        let here = removal.is_at(field);
        if here {
            page.point(8);
        }
        page.label(0, 3, &format!("{number} {} {text}", tick(done)), here);
        page.next_row();
    }
    let record = panel.dns_record().map_or_else(
        || "the record".to_owned(),
        |record| format!("{} {} -> {}", record.kind(), record.name.relative_to(&record.zone), record.value),
    );
    let left = is_left_behind(panel, name, scene.now);
    let gone = left == Some(false) || is_gone(panel, name);
    page.labelled(&format!("     4 {} ", tick(gone)), &format!("DNS: delete {record}"), 2);
    match left {
        Some(true) => page.error(11, "still there: anyone who adds this name to their project gets your visitors", 2),
        _ if gone && !reported.removed => {
            page.wrapped(11, "nothing points there. If you removed the domain in the dashboard, tick step 3", 2);
        }
        Some(false) => page.wrapped(11, "nothing points to the platform", 1),
        None => page.wrapped(11, "(if left behind, someone else could claim the name)", 2),
    }
    page.gap();
    if !small {
        page.text("   Still used in your settings:");
    }
    let leads = panel.setup.configuration.redirects.iter().filter(|redirect| redirect.to == name.as_str());
    let leads: Vec<&str> = leads.map(|redirect| redirect.from.as_str()).collect();
    let primary = if panel.roles.get(name) == DomainRole::Primary { "yes" } else { "no" };
    let leads = if leads.is_empty() { "none".to_owned() } else { leads.join(", ") };
    page.wrapped(5, &format!("redirects to it: {leads}; primary: {primary}"), if small { 1 } else { 2 });
    page.gap();
    let here = removal.is_at(&NAME);
    page.text(if here {
        "   Type the name to take it off this list:"
    } else {
        "   To take it off this list, Tab here and type the name:"
    });
    page.form_field(removal, &NAME, 4);
}
