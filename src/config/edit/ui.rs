//! Writing what was chosen for the look of the screen.

use std::path::Path;

use super::super::ui::ThemeChoice;
use super::document::{EditError, edit, set, table};

/// Sets `ui.theme` in the file at `path`, which is created where there is none.
pub fn set_theme(path: &Path, theme: ThemeChoice) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        wanted.ui.theme = theme;
        set(table(document, "ui", path)?, "theme", theme.to_string().into());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_theme_is_set_in_every_way_of_writing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/config.toml");
        set_theme(&path, ThemeChoice::HighContrast).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[ui]\ntheme = \"high-contrast\"\n");
        for (before, after) in [
            ("[ui]\n# dark\ntheme = \"mono\" # now\n", "[ui]\n# dark\ntheme = \"light\" # now\n"),
            ("ui = { theme = \"mono\" }\n", "ui = { theme = \"light\" }\n"),
            ("ui.theme = 'mono'\n", "ui.theme = \"light\"\n"),
            ("[pets] # rows\nlimit = 5\n", "[pets] # rows\nlimit = 5\n\n[ui]\ntheme = \"light\"\n"),
        ] {
            fs::write(&path, before).unwrap();
            set_theme(&path, ThemeChoice::Light).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
    }
}
