//! What each theme promises: that it can be read, and that its marks look different.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use ratatui::style::{Color, Modifier};
use strum::IntoEnumIterator as _;

use super::{Accent, Appearance, StyleRole, Theme, shown, xterm};
use crate::config::theme::Colour;
use crate::config::{Depth, ThemeFile, Themes};
use crate::tui::testing::appearance;
use crate::tui::testing::prelude::*;

const DEPTHS: [Depth; 3] = [Depth::Sixteen, Depth::TwoFiftySix, Depth::TrueColour];

/// All roles, those of the accents last.
fn roles() -> impl Iterator<Item = StyleRole> {
    StyleRole::iter().chain(Accent::iter().skip(1).map(StyleRole::Accent))
}

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

type Rgb = [u8; 3];

/// Red, green and blue as amounts of light, 0 to 1.
fn light(colour: Rgb) -> [f64; 3] {
    colour.map(|value| {
        let value = f64::from(value) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

/// The contrast of WCAG 2.2 between two colours, 1 to 21.
fn contrast(one: Rgb, other: Rgb) -> f64 {
    let [one, other] = [one, other].map(|colour| {
        let [red, green, blue] = light(colour);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    });
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// A colour as the eye sees it: CIELAB under daylight (D65), from amounts of light.
fn lab([red, green, blue]: [f64; 3]) -> [f64; 3] {
    let x = (0.412_456_4 * red + 0.357_576_1 * green + 0.180_437_5 * blue) / 0.950_47;
    let y = 0.212_672_9 * red + 0.715_152_2 * green + 0.072_175 * blue;
    let z = (0.019_333_9 * red + 0.119_192 * green + 0.950_304_1 * blue) / 1.088_83;
    let [x, y, z] = [x, y, z].map(|t| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// How different two colours look: about 2 is just visible side by side.
fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    one.into_iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// What a colour looks like on an xterm; nothing for that of the terminal itself.
fn seen(colour: Color) -> Option<Rgb> {
    match colour {
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(index) => Some(xterm(index)),
        _ => None,
    }
}

/// The contrast that a theme promises.
fn promised(theme: &Theme) -> f64 {
    if theme.name == "high-contrast" { 7.0 } else { 4.5 }
}

fn all() -> Vec<Arc<Theme>> {
    Themes::default().all().map(Arc::new).collect()
}

/// Those with their own background.
fn coloured() -> impl Iterator<Item = Arc<Theme>> {
    all().into_iter().filter(|theme| !["default", "mono"].contains(&theme.name.as_str()))
}

fn with(theme: &Arc<Theme>, depth: Depth) -> Appearance {
    Appearance { theme: Arc::clone(theme), depth, ..appearance() }
}

/// The colour of the text of a role, as an xterm shows it.
fn text_of(theme: &Arc<Theme>, depth: Depth, role: StyleRole) -> Rgb {
    with(theme, depth).style(role).fg.and_then(seen).unwrap_or_else(|| panic!("{} {depth:?} {role:?}", theme.name))
}

#[test]
fn every_theme_has_a_name_of_its_own() {
    let all = all();
    let names: BTreeSet<_> = all.iter().map(|theme| (theme.name.clone(), theme.title.clone())).collect();
    assert_eq!(names.len(), all.len());
}

#[test]
fn every_role_can_be_read_on_its_ground_at_each_depth() {
    for theme in coloured() {
        for (depth, role) in DEPTHS.iter().flat_map(|depth| roles().map(move |role| (*depth, role))) {
            let style = with(&theme, depth).style(role);
            let (Some(text), Some(ground)) = (style.fg.and_then(seen), style.bg.and_then(seen)) else {
                assert_eq!(role, StyleRole::Match);
                continue;
            };
            let contrast = contrast(text, ground);
            assert!(contrast >= promised(&theme), "{} {depth:?} {role:?}: {contrast:.2}", theme.name);
        }
    }
}

#[test]
fn colours_that_fall_together_where_there_are_fewer_are_those_of_the_terminal() {
    let file =
        "title = \"Dusk\"\ntext = \"#202020 on #101010\"\nerror = \"#c02020\"\nselected = \"#0000a0 on #0000d0\"\n";
    let theme: Arc<Theme> = Arc::new(ThemeFile::parse("dusk", file, Path::new("dusk.toml")).unwrap());
    let colours = |depth, role| {
        let style = with(&theme, depth).style(role);
        (style.fg.unwrap(), style.bg.unwrap())
    };
    for (depth, role) in DEPTHS.iter().flat_map(|depth| roles().map(move |role| (*depth, role))) {
        if role != StyleRole::Match {
            let (text, ground) = colours(depth, role);
            assert!(text != ground || text == Color::Reset, "{depth:?} {role:?}: {text:?}");
        }
    }
    assert_eq!(colours(Depth::Sixteen, StyleRole::Text), (Color::Reset, Color::Reset));
    assert_eq!(colours(Depth::Sixteen, StyleRole::Error), (Color::Indexed(1), Color::Indexed(0)));
    let selected = with(&theme, Depth::Sixteen).style(StyleRole::Selected);
    assert!(selected.add_modifier.contains(Modifier::REVERSED), "{selected:?}");
    assert_eq!(colours(Depth::TrueColour, StyleRole::Text), (Color::Rgb(32, 32, 32), Color::Rgb(16, 16, 16)));
}

#[test]
fn whole_frames_can_be_read_and_leave_no_hole() {
    let frames = |theme: &Arc<Theme>, depth: Depth| {
        let app = |columns: u16, rows: u16| {
            let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(39));
            app.state.theme = Arc::clone(theme);
            app.appearance = with(theme, depth);
            app
        };
        let mut frames = Vec::new();
        for keys in ["j", "/ \"x\"", "L", "?", "2", "3"] {
            frames.push(app(120, 40).keys(keys).buffer());
        }
        frames.extend([app(80, 24).buffer(), app(30, 5).buffer()]);
        let mut offline = app(80, 24).after("r");
        offline.answer::<ListPets>(Err(Failure::NotSent { why: "connection refused".into() }));
        frames.push(offline.buffer());
        frames
    };
    for theme in coloured() {
        for depth in DEPTHS {
            for (at, frame) in frames(&theme, depth).iter().enumerate() {
                for (place, cell) in frame.content.iter().enumerate() {
                    let place = frame.pos_of(place);
                    let place = format!("{} {depth:?}, frame {at}, {place:?}: {cell:?}", theme.name);
                    let (Some(text), Some(ground)) = (seen(cell.fg), seen(cell.bg)) else { panic!("{place}") };
                    assert!(contrast(text, ground) >= promised(&theme), "{place}");
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
                let light = light(text_of(&Theme::built_in("colour-blind"), depth, role));
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
        let default = Theme::built_in("default");
        let enough = |role: &StyleRole| contrast(text_of(&default, Depth::Sixteen, *role), ground) >= 3.0;
        marks.into_iter().filter(enough).collect()
    };
    assert_eq!(seen_on([0, 0, 0]), marks);
    assert_eq!(seen_on([255, 255, 255]), [StyleRole::Sold, StyleRole::Error, StyleRole::New]);
}

#[test]
fn without_colours_no_theme_has_any() {
    for role in roles() {
        let mono = with(&Theme::built_in("mono"), Depth::TrueColour).style(role);
        assert_eq!((mono.fg, mono.bg), (None, None), "{role:?}");
        for theme in all() {
            assert_eq!(with(&theme, Depth::Mono).style(role), mono, "{} {role:?}", theme.name);
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
    for theme in all().into_iter().filter(|theme| theme.name != "mono") {
        let appearance = with(&theme, Depth::TwoFiftySix);
        let styles: Vec<_> = accents.iter().map(|accent| appearance.style(StyleRole::Accent(*accent))).collect();
        for (at, style) in styles.iter().enumerate() {
            assert!(!styles[..at].contains(style), "{} {:?}", theme.name, accents[at]);
        }
        assert_eq!(styles[0], appearance.style(StyleRole::Text));
    }
}

#[test]
fn a_colour_is_the_one_that_its_theme_names_for_the_terminal_or_the_nearest() {
    let own = |depth| shown(Colour::Rgb([0x5f, 0xd7, 0xaf], None), depth);
    assert_eq!(own(Depth::TrueColour), Some(Color::Rgb(0x5f, 0xd7, 0xaf)));
    assert_eq!((own(Depth::TwoFiftySix), own(Depth::Sixteen)), (Some(Color::Indexed(79)), Some(Color::Indexed(6))));
    let named = |depth| shown(Colour::Rgb([0x5f, 0xd7, 0xaf], Some([214, 3])), depth);
    let expected = (Some(Color::Indexed(214)), Some(Color::Indexed(3)));
    assert_eq!((named(Depth::TwoFiftySix), named(Depth::Sixteen)), expected);
    assert_eq!(shown(Colour::Indexed(214), Depth::Sixteen), Some(Color::Indexed(3)));
    assert_eq!((xterm(16), xterm(79), xterm(231), xterm(255)), ([0; 3], [0x5f, 0xd7, 0xaf], [255; 3], [238; 3]));
}

#[test]
fn a_theme_of_the_user_has_its_colours() {
    let file = "contrast = 3.5\ntext = \"white on 17\"\nquiet = \"#101040\"\nselected = \"black on cyan\"\npending = \"214\"\n";
    let theme: Arc<Theme> = Arc::new(ThemeFile::parse("shop", file, Path::new("shop.toml")).unwrap());
    let style = |depth, role| with(&theme, depth).style(role);
    let (fg, bg) = (Some(Color::Indexed(7)), Some(Color::Indexed(17)));
    assert_eq!((style(Depth::TwoFiftySix, StyleRole::Text).fg, style(Depth::TrueColour, StyleRole::Text).bg), (fg, bg));
    let error = style(Depth::TrueColour, StyleRole::Error);
    assert_eq!((error.fg, error.bg, error.add_modifier), (fg, bg, Modifier::BOLD), "unnamed: as text, and bold");
    let selected = style(Depth::Sixteen, StyleRole::Selected);
    assert_eq!((selected.fg, selected.bg), (Some(Color::Indexed(0)), Some(Color::Indexed(6))), "named colours stay");
    assert_eq!(style(Depth::Sixteen, StyleRole::Pending).fg, Some(Color::Indexed(3)), "the nearest of the 16");
    assert_eq!(style(Depth::Mono, StyleRole::Selected).fg, None);
}
