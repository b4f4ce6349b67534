//! Which file of `src` imports which: `use` trees and paths in code, re-exports followed to where a name is defined.
//! What macros are given counts only where they are attributes.

use crate::prelude::*;

use syn::visit::{self, Visit};

/// The path of a module in the crate, such as `["tui", "update"]`.
type Module = Vec<String>;

/// The modules of this crate that have a file of their own, and what each imports.
pub struct Imports {
    files: BTreeMap<Module, File>,
}

/// A file of the crate.
pub struct File {
    /// Its path below `src`.
    pub name: String,
    /// What its `use` lines bring in, by the name that they give it, as a path below the crate.
    names: BTreeMap<String, Vec<String>>,
    /// The modules whose every name is brought in.
    globs: Vec<Vec<String>>,
    /// Every path of the code that begins in the crate.
    paths: BTreeSet<Vec<String>>,
    /// Other crates that a path or a `use` begins with; also types and other names of its own.
    pub crates: BTreeSet<String>,
}

impl Imports {
    /// Reads every file below `src`. What is compiled for tests only does not count.
    pub fn of(src: &Path) -> Self {
        let mut imports = Self { files: BTreeMap::new() };
        imports.read(src, &src.join("lib.rs"), Vec::new());
        imports
    }

    fn read(&mut self, src: &Path, path: &Path, module: Module) {
        let syntax = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
        let name = path.strip_prefix(src).unwrap().to_str().unwrap().replace('\\', "/");
        let mut children = Vec::new();
        for item in &syntax.items {
            if let syn::Item::Mod(child) = item
                && child.content.is_none()
                && !is_for_tests(&child.attrs)
            {
                children.push(child.ident.to_string());
            }
        }
        let mut reader = Reader {
            module: &module,
            children: children.iter().cloned().collect(),
            file: File {
                name,
                names: BTreeMap::new(),
                globs: Vec::new(),
                paths: BTreeSet::new(),
                crates: BTreeSet::new(),
            },
        };
        // Names first: code may use what is imported below it.
        for item in &syntax.items {
            if let syn::Item::Use(item) = item
                && !is_for_tests(&item.attrs)
            {
                reader.tree(&item.tree, &mut Vec::new());
            }
        }
        reader.visit_file(&syntax);
        self.files.insert(module.clone(), reader.file);
        for child in children {
            let inner: Module = module.iter().cloned().chain([child]).collect();
            self.read(src, &src.join(inner.join("/")).with_extension("rs"), inner);
        }
    }

    /// The file in which the name at `path` is defined; `None` where it is not of this crate.
    fn definition(&self, path: &[String]) -> Option<&Module> {
        self.find(path, &mut BTreeSet::new())
    }

    fn find<'a>(&'a self, path: &[String], seen: &mut BTreeSet<Vec<String>>) -> Option<&'a Module> {
        if !seen.insert(path.to_vec()) {
            return None;
        }
        let depth = (0..=path.len()).rev().find(|depth| self.files.contains_key(&path[..*depth]))?;
        let (module, file) = self.files.get_key_value(&path[..depth])?;
        let Some(name) = path.get(depth) else { return Some(module) };
        let rest = &path[depth + 1..];
        let through = |to: &[String], seen: &mut _| self.find(&[to, rest].concat(), seen);
        if let Some(to) = file.names.get(name) {
            return through(to, seen);
        }
        // What nothing brings in is defined here.
        Some(module)
    }

    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.values()
    }

    /// The files that each file imports, without itself.
    pub fn edges(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let target = |path: &Vec<String>| self.definition(path).map(|module| self.files[module].name.as_str());
        self.files
            .values()
            .map(|file| {
                let all = file.paths.iter().chain(file.names.values()).chain(&file.globs);
                let to = all.filter_map(target).filter(|to| *to != file.name).collect();
                (file.name.as_str(), to)
            })
            .collect()
    }

    /// Groups of files that import each other in a circle.
    pub fn circles(&self) -> Vec<Vec<&str>> {
        let edges = self.edges();
        let mut reach: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for file in edges.keys() {
            let (mut seen, mut open) = (BTreeSet::new(), vec![*file]);
            while let Some(at) = open.pop() {
                open.extend(edges[at].iter().filter(|to| seen.insert(**to)));
            }
            reach.insert(file, seen);
        }
        let mut circles: Vec<Vec<&str>> = Vec::new();
        for (file, seen) in reach.iter().filter(|(file, seen)| seen.contains(*file)) {
            let circle: Vec<&str> = seen.iter().filter(|other| reach[*other].contains(file)).copied().collect();
            if !circles.contains(&circle) {
                circles.push(circle);
            }
        }
        circles
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|argument| argument == "test")
    })
}

struct Reader<'a> {
    module: &'a Module,
    children: BTreeSet<String>,
    file: File,
}

impl Reader<'_> {
    /// `path` as one below the crate; `None` where it begins elsewhere.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => {
                let up = rest.iter().take_while(|part| *part == "super").count();
                let parent = self.module.len().checked_sub(1 + up)?;
                return Some([&self.module[..parent], &rest[up..]].concat());
            }
            name => match self.file.names.get(name) {
                Some(to) => to.clone(),
                None if self.children.contains(name) => self.module.iter().cloned().chain([name.to_owned()]).collect(),
                None => return None,
            },
        };
        base.extend_from_slice(rest);
        Some(base)
    }

    fn tree(&mut self, tree: &syn::UseTree, prefix: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.tree(&path.tree, prefix);
                prefix.pop();
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, prefix)),
            syn::UseTree::Name(name) => self.bring_in(prefix, &name.ident, &name.ident),
            syn::UseTree::Rename(rename) => self.bring_in(prefix, &rename.ident, &rename.rename),
            syn::UseTree::Glob(_) => {
                if let Some(path) = self.absolute(prefix) {
                    self.file.globs.push(path);
                }
            }
        }
    }

    fn bring_in(&mut self, prefix: &[String], name: &syn::Ident, called: &syn::Ident) {
        let own = name == "self";
        let path: Vec<String> = prefix.iter().cloned().chain((!own).then(|| name.to_string())).collect();
        let called = if own { prefix.last().cloned().unwrap_or_default() } else { called.to_string() };
        match self.absolute(&path) {
            Some(path) => {
                self.file.names.insert(called, path);
            }
            None => {
                self.file.crates.extend(path.first().cloned());
            }
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    // `pub(in path)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A name alone is no module, but something that is imported or a variable.
        let names_a_module = parts.len() > 1 || self.file.names.contains_key(&parts[0]);
        match self.absolute(&parts).filter(|_| names_a_module) {
            Some(path) => {
                self.file.paths.insert(path);
            }
            None if parts.len() > 1 => {
                self.file.crates.extend(parts.first().cloned());
            }
            None => {}
        }
        visit::visit_path(self, path);
    }
}

#[test]
fn grouped_nested_and_renamed_imports_lead_to_the_file_that_defines_the_name() {
    let directory = tempfile::tempdir().unwrap();
    let files = [
        ("lib.rs", "mod inner;\nmod leaf;\npub use inner::deep::Deep;\n#[cfg(test)]\nmod tests;\n"),
        ("inner.rs", "pub mod deep;\nuse crate::{leaf::{self, Leaf as L}, inner::{deep::{Deep}}};\n"),
        ("inner/deep.rs", "pub struct Deep;\npub(in crate::inner) fn f() -> crate::leaf::Leaf { std::mem::take(a) }\n"),
        ("leaf.rs", "pub struct Leaf;\nfn f() { super::Deep; }\n#[cfg(test)]\nmod tests { use crate::inner; }\n"),
    ];
    fs::create_dir(directory.path().join("inner")).unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let imports = Imports::of(directory.path());
    let edges = imports.edges();
    let of = |file| edges[file].iter().copied().collect::<Vec<_>>();
    assert_eq!(of("lib.rs"), ["inner/deep.rs"]);
    assert_eq!(of("inner.rs"), ["inner/deep.rs", "leaf.rs"]);
    assert_eq!(of("inner/deep.rs"), ["leaf.rs"]);
    assert_eq!(of("leaf.rs"), ["inner/deep.rs"], "through the re-export, and not what tests import");
    assert!(imports.files().any(|file| file.crates.contains("std")));
}
