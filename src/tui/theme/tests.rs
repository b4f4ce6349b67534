//! What each theme promises: that it can be read, and that its marks look different.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use ratatui::style::{Color, Modifier};

use super::colour::{Rgb, distance, lab, seen, shown, xterm};
use super::{Accent, Appearance, StyleRole, Theme};
use crate::api::Failure;
use crate::config::theme::Colour;
use crate::config::{Depth, ThemeFile, Themes};
use crate::tui::pending::Slot;
use crate::tui::screens::pets::jobs::PetsReply;
use crate::tui::testing::{App, animals, appearance, remote};

const DEPTHS: [Depth; 3] = [Depth::Sixteen, Depth::TwoFiftySix, Depth::TrueColour];

/// The marks that say the state of a pet or a check.
const STATUSES: [StyleRole; 5] =
    [StyleRole::Available, StyleRole::Pending, StyleRole::Sold, StyleRole::Error, StyleRole::Wait];

/// What is lacking of red, green and blue cones: Machado, Oliveira and Fernandes 2009, severity 1.0, on amounts of light.
const DEFICIENCIES: [(&str, [[f64; 3]; 3]); 4] = [
    ("none", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
    ),
    (
        "deuteranopia",
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
    ),
    (
        "tritanopia",
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ),
];

fn all() -> Vec<Arc<Theme>> {
    Theme::all(&Themes::default())
}

/// Those with their own background.
fn coloured() -> impl Iterator<Item = Arc<Theme>> {
    all().into_iter().filter(|theme| !["default", "mono"].contains(&theme.name()))
}

fn with(theme: &Arc<Theme>, depth: Depth) -> Appearance {
    Appearance { theme: Arc::clone(theme), depth, ..appearance() }
}

/// The colour of the text of a role, as an xterm shows it.
fn text_of(theme: &Arc<Theme>, depth: Depth, role: StyleRole) -> Rgb {
    with(theme, depth).style(role).fg.and_then(seen).unwrap_or_else(|| panic!("{} {depth:?} {role:?}", theme.name()))
}

#[test]
fn every_theme_has_a_name_of_its_own() {
    let all = all();
    let names: BTreeSet<_> = all.iter().map(|theme| (theme.name(), theme.title())).collect();
    assert_eq!(names.len(), all.len());
}

#[test]
fn every_role_can_be_read_on_its_ground_at_each_depth() {
    for theme in coloured() {
        assert_eq!(theme.contrast(), if theme.name() == "high-contrast" { 7.0 } else { 4.5 });
        assert_eq!(theme.faint(), []);
        for (depth, role) in DEPTHS.iter().flat_map(|depth| StyleRole::all().map(move |role| (*depth, role))) {
            let style = with(&theme, depth).style(role);
            let (Some(text), Some(ground)) = (style.fg.and_then(seen), style.bg.and_then(seen)) else {
                assert_eq!(role, StyleRole::Match);
                continue;
            };
            let contrast = text.contrast(ground);
            assert!(contrast >= theme.contrast(), "{} {depth:?} {role:?}: {contrast:.2}", theme.name());
        }
    }
}

#[test]
fn whole_frames_can_be_read_and_leave_no_hole() {
    let frames = |theme: &Arc<Theme>, depth: Depth| {
        let app = |columns: u16, rows: u16| {
            let mut app = App::loaded_from(remote(), columns, rows, &animals(39));
            app.state.theme = Arc::clone(theme);
            app.appearance = with(theme, depth);
            app
        };
        let mut frames = Vec::new();
        for keys in ["j", "/ \"x\"", "L", "?", "2", "3"] {
            frames.push(app(120, 40).keys(keys).buffer());
        }
        frames.extend([app(80, 24).buffer(), app(30, 5).buffer()]);
        let mut offline = app(80, 24);
        offline.keys("r");
        offline.reply(Slot::List, PetsReply::Listed(Err(Failure::NotSent { why: "connection refused".into() })));
        frames.push(offline.buffer());
        frames
    };
    for theme in coloured() {
        for depth in DEPTHS {
            for (at, frame) in frames(&theme, depth).iter().enumerate() {
                for (place, cell) in frame.content.iter().enumerate() {
                    let place = frame.pos_of(place);
                    let place = format!("{} {depth:?}, frame {at}, {place:?}: {cell:?}", theme.name());
                    let (Some(text), Some(ground)) = (seen(cell.fg), seen(cell.bg)) else { panic!("{place}") };
                    assert!(text.contrast(ground) >= theme.contrast(), "{place}");
                    assert!(!cell.modifier.intersects(Modifier::DIM | Modifier::REVERSED), "{place}");
                }
            }
        }
    }
}

#[test]
fn marks_differ_with_any_colour_vision() {
    for (depth, least) in [(Depth::TwoFiftySix, 15.0), (Depth::TrueColour, 17.0)] {
        for (name, matrix) in DEFICIENCIES {
            let perceived = STATUSES.map(|role| {
                let light = text_of(&Theme::built_in("colour-blind"), depth, role).light();
                let cones = matrix.map(|row| row.into_iter().zip(light).map(|(part, light)| part * light).sum::<f64>());
                (role, lab(cones.map(|light| light.clamp(0.0, 1.0))))
            });
            for (at, (role, one)) in perceived.iter().enumerate() {
                for (other, two) in &perceived[at + 1..] {
                    let apart = distance(*one, *two);
                    assert!(apart >= least, "{name}, {depth:?}: {role:?} and {other:?} are {apart:.1} apart");
                }
            }
        }
    }
}

/// The palette is the user's, so that this theme can promise nothing; with that of xterm it holds what its doc says.
#[test]
fn the_marks_of_the_default_theme_are_seen_on_black_and_some_of_them_on_white() {
    let marks = [
        StyleRole::Available,
        StyleRole::Pending,
        StyleRole::Sold,
        StyleRole::Error,
        StyleRole::Wait,
        StyleRole::Good,
        StyleRole::New,
    ];
    let seen_on = |ground: Rgb| -> Vec<StyleRole> {
        let enough =
            |role: &StyleRole| text_of(&Theme::built_in("default"), Depth::Sixteen, *role).contrast(ground) >= 3.0;
        marks.into_iter().filter(enough).collect()
    };
    assert_eq!(seen_on(Rgb(0, 0, 0)), marks);
    assert_eq!(seen_on(Rgb(255, 255, 255)), [StyleRole::Sold, StyleRole::Error, StyleRole::New]);
}

#[test]
fn without_colours_no_theme_has_any() {
    for role in StyleRole::all() {
        let mono = with(&Theme::built_in("mono"), Depth::TrueColour).style(role);
        assert_eq!((mono.fg, mono.bg), (None, None), "{role:?}");
        for theme in all() {
            assert_eq!(with(&theme, Depth::Mono).style(role), mono, "{} {role:?}", theme.name());
        }
    }
}

#[test]
fn letters_that_a_search_fits_keep_the_colours_of_their_place() {
    for (theme, depth) in all().into_iter().zip(DEPTHS.into_iter().cycle()) {
        let style = with(&theme, depth).style(StyleRole::Match);
        assert_eq!(style, ratatui::style::Style::new().add_modifier(Modifier::UNDERLINED));
    }
}

#[test]
fn accents_differ_from_each_other_and_from_the_text() {
    let accents =
        [Accent::None, Accent::Red, Accent::Yellow, Accent::Green, Accent::Blue, Accent::Magenta, Accent::Cyan];
    for theme in all().into_iter().filter(|theme| theme.name() != "mono") {
        let appearance = with(&theme, Depth::TwoFiftySix);
        let styles: Vec<_> = accents.iter().map(|accent| appearance.style(StyleRole::Accent(*accent))).collect();
        for (at, style) in styles.iter().enumerate() {
            assert!(!styles[..at].contains(style), "{} {:?}", theme.name(), accents[at]);
        }
        assert_eq!(styles[0], appearance.style(StyleRole::Text));
    }
}

#[test]
fn the_nearest_colour_with_enough_contrast_is_taken() {
    let black = Rgb(0, 0, 0);
    let colour = |Rgb(red, green, blue)| Colour::Rgb(red, green, blue);
    let text = |text: u32, ground: Rgb, least: f64, depth: Depth| {
        shown(colour(Rgb::hex(text)), colour(ground), least, depth).0.unwrap()
    };
    assert_eq!(text(0xfe_0101, black, 4.5, Depth::Sixteen), Color::LightRed);
    assert_eq!(text(0xcc_0000, black, 1.0, Depth::Sixteen), Color::Red);
    assert_eq!(text(0xcc_0000, black, 4.5, Depth::Sixteen), Color::LightRed);
    assert_eq!(text(0x5f_d7af, black, 4.5, Depth::TwoFiftySix), Color::Indexed(79));
    assert_eq!(text(0x12_3456, black, 4.5, Depth::TrueColour), Color::Rgb(0x12, 0x34, 0x56));
    assert_eq!((xterm(16), xterm(79), xterm(231), xterm(255)), {
        (black, Rgb(0x5f, 0xd7, 0xaf), Rgb(255, 255, 255), Rgb(238, 238, 238))
    });
    // On that grey neither black nor white has enough, so that another ground is taken.
    let (text, ground) = shown(colour(black), colour(Rgb(0x7f, 0x7f, 0x7f)), 7.0, Depth::Sixteen);
    assert!(text.and_then(seen).unwrap().contrast(ground.and_then(seen).unwrap()) >= 7.0);
}

#[test]
fn a_theme_of_the_user_has_its_colours_and_says_what_is_hard_to_read() {
    let file = "text = \"white on 17\"\nquiet = \"#101040\"\nselected = \"black on cyan\"\npending = \"214\"\n";
    let theme: Arc<Theme> = Arc::new(ThemeFile::parse("shop", file, Path::new("shop.toml")).unwrap().into());
    let style = |depth, role| with(&theme, depth).style(role);
    let (fg, bg) = (Some(Color::Gray), Some(Color::Indexed(17)));
    assert_eq!((style(Depth::TwoFiftySix, StyleRole::Text).fg, style(Depth::TrueColour, StyleRole::Text).bg), (fg, bg));
    let error = style(Depth::TrueColour, StyleRole::Error);
    assert_eq!((error.fg, error.bg, error.add_modifier), (fg, bg, Modifier::BOLD), "unnamed: as text, and bold");
    let selected = style(Depth::Sixteen, StyleRole::Selected);
    assert_eq!((selected.fg, selected.bg), (Some(Color::Black), Some(Color::Cyan)), "named colours stay");
    assert_eq!(style(Depth::Sixteen, StyleRole::Pending).fg, Some(Color::Yellow), "the nearest of the 16");
    assert_eq!(style(Depth::Mono, StyleRole::Selected).fg, None);
    let faint: Vec<_> = theme.faint().into_iter().map(|(role, _)| role.name()).collect();
    assert_eq!(faint, ["quiet"]);
}
