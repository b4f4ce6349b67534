//! Writing the project's domains.

use std::path::Path;

use toml_edit::{Array, DocumentMut, InlineTable, Item, Value};

use super::super::file::Redirect;
use super::document::{EditError, ProjectDomains, edit, set, table};

/// Changes `domains.primary` and `domains.redirects` in the file at `path`, which is created if needed, from `were` to
/// `to`. The file is replaced as a whole or not at all.
pub fn set_domains(path: &Path, were: &ProjectDomains, to: &ProjectDomains) -> Result<(), EditError> {
    edit(path, |wanted, document| {
        let domains = &mut wanted.domains;
        let (primary, redirects) = (to.primary.clone(), to.redirects.clone());
        let there = ProjectDomains {
            primary: std::mem::replace(&mut domains.primary, primary),
            redirects: std::mem::replace(&mut domains.redirects, redirects),
        };
        if there != *were && there != *to {
            return Err(EditError::Changed { path: path.to_owned(), there: Box::new(there) });
        }
        change(document, path, &there, to)
    })
}

fn change(
    document: &mut DocumentMut,
    path: &Path,
    there: &ProjectDomains,
    to: &ProjectDomains,
) -> Result<(), EditError> {
    let begun = document.is_empty();
    let domains = table(document, "domains", path)?;
    if there.primary != to.primary || begun {
        set(domains, "primary", to.primary.as_str().into());
    }
    if there.redirects != to.redirects {
        let (mut kept, trailing): (Vec<(&Redirect, Value)>, _) = match domains.get("redirects") {
            Some(Item::Value(Value::Array(lines))) => {
                let kept = there.redirects.iter().zip(lines.iter().cloned()).collect();
                (kept, lines.trailing().as_str().map(str::to_owned))
            }
            _ => (Vec::new(), None),
        };
        // It holds comments after the last line, or instead of one.
        let trailing = trailing.filter(|text| text.contains('\n')).unwrap_or_else(|| "\n".to_owned());
        let mut array = Array::new();
        for redirect in &to.redirects {
            // An unchanged line keeps its comments.
            let old = kept.iter().position(|(old, _)| *old == redirect).map(|at| kept.swap_remove(at).1);
            array.push_formatted(old.unwrap_or_else(|| line(redirect)));
        }
        if !to.redirects.is_empty() {
            array.set_trailing_comma(true);
        }
        if !to.redirects.is_empty() || trailing.contains('#') {
            array.set_trailing(trailing);
        }
        set(domains, "redirects", Value::Array(array));
    }
    Ok(())
}

fn line(redirect: &Redirect) -> Value {
    let mut line = InlineTable::new();
    line.insert("from", redirect.from.as_str().into());
    line.insert("to", redirect.to.as_str().into());
    line.insert("status", i64::from(redirect.status).into());
    let mut line = Value::InlineTable(line);
    line.decor_mut().set_prefix("\n    ");
    line
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::super::file::File;
    use super::*;

    fn redirect(from: &str, to: &str) -> Redirect {
        Redirect { from: from.into(), to: to.into(), status: 301 }
    }

    fn domains(primary: &str, redirects: &[Redirect]) -> ProjectDomains {
        ProjectDomains { primary: primary.into(), redirects: redirects.to_vec() }
    }

    fn parsed(text: &str) -> ProjectDomains {
        let domains = File::parse(text, Path::new("config.toml")).unwrap().domains;
        ProjectDomains { primary: domains.primary, redirects: domains.redirects }
    }

    fn edited(text: &str, to: &ProjectDomains) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, text).unwrap();
        set_domains(&path, &parsed(text), to).unwrap();
        let after = fs::read_to_string(&path).unwrap();
        assert_eq!(parsed(&after), *to, "{after}");
        after
    }

    #[test]
    fn everything_else_is_unchanged_comments_included() {
        let before = "# mine\nprofile = \"embedded\"\n\n[domains] # ours\n# the main one\nprimary = \"a.com\" # yes\n\
                      redirects = [\n    # for the old shop\n    { from = \"x.com\", to = \"b.com\", status = 301 }, # kept\n    # { from = \"off.com\" }\n]\n\
                      resolvers = [\"system\"]\n\n[pets]\nlimit = 50 # rows\n";
        let to = domains("b.com", &[redirect("old.com", "b.com"), redirect("x.com", "b.com")]);
        let after = edited(before, &to);
        let kept =
            ["# mine", "[domains] # ours", "# the main one\n", "# yes", "# for the old shop", "limit = 50 # rows"];
        let all = |text: &str| {
            kept.iter().chain(&[" # kept\n    # { from = \"off.com\" }\n]"]).all(|kept| text.contains(kept))
        };
        assert!(all(&after), "{after}");
        assert_eq!(edited(&after, &to), after);
        assert!(edited(&after, &domains("b.com", &[])).contains("# { from = \"off.com\" }\n]"));
    }

    #[test]
    fn redirects_in_any_notation_are_replaced_and_an_empty_file_is_filled() {
        for before in [
            "",
            "[domains]\nprimary = \"a.com\"\n[[domains.redirects]]\nfrom = \"x.com\"\nto = \"a.com\"\nstatus = 302\n",
            "domains = { primary = \"a.com\", redirects = [] }\n",
            "domains.primary = \"a.com\"\n",
        ] {
            edited(before, &domains("b.com", &[redirect("old.com", "b.com")]));
            edited(before, &domains("b.com", &[]));
        }
    }

    #[test]
    fn changes_of_another_program_are_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/config.toml");
        let (none, mine, other) = (ProjectDomains::default(), domains("mine.com", &[]), domains("other.com", &[]));
        set_domains(&path, &none, &other).unwrap();
        let error = set_domains(&path, &none, &mine).unwrap_err();
        assert!(matches!(&error, EditError::Changed { there, .. } if **there == other), "{error}");
        assert_eq!(parsed(&fs::read_to_string(&path).unwrap()), other);
        set_domains(&path, &other, &mine).unwrap();
        assert_eq!(parsed(&fs::read_to_string(&path).unwrap()), mine);
    }
}
