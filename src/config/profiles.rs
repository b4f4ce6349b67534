//! The services to choose from, and the settings after one is chosen in the app. Logging in and out finds the profile,
//! saves its key and removes it.

use std::path::{Path, PathBuf};

use derive_more::Display;

use super::edit::{add_profile, no_name, remove_key, set_key};
use super::file::is_plain_name;
use super::paths::{below_home, in_home};
use super::secrets::write_key_file;
use super::settings::Settings;
use super::sources::{Choices, Sources};
use super::target::{self, KeyOrigin, Remote, Service, Target};
use super::{ConfigError, Env, KeySource, Paths, Profile, Result};
use crate::local::atomic_file;
use crate::model::{ApiKey, BaseUrl};

/// The services to choose from.
#[derive(Clone, Debug, PartialEq)]
pub struct Profiles {
    /// First the service of the session's start, if it is not a profile; then `embedded`, then the others by name. A
    /// profile with the name of the first one is omitted.
    pub entries: Vec<ProfileEntry>,
    /// The name of the default one, which may not exist as a profile.
    pub default: String,
    /// The configuration file, which may not exist.
    pub file: PathBuf,
}

/// A service to choose. It is not checked; [`settings_for`] reports its errors.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileEntry {
    /// Its name, as [`Settings::name`] has it.
    pub name: String,
    /// Where it is.
    pub place: ServiceLocation,
    /// Where its key comes from, as text.
    pub key: String,
    /// The label in the header.
    pub label: String,
    /// As it is in the file; the defaults if it is not there.
    pub profile: Profile,
    /// Its line in the file, counted from 1.
    pub line: Option<usize>,
}

/// Where a service is. As text it is for people; the address is foreign text.
#[derive(Clone, Debug, PartialEq, Eq, Display)]
pub enum ServiceLocation {
    /// The embedded store.
    #[display("embedded store")]
    Inside,
    /// The demo.
    #[display("embedded store")]
    Demo,
    /// At this address as written, without a user and a password.
    At(String),
    /// The profile has neither or both of `embedded` and `base_url`.
    #[display("invalid: neither or both of embedded and base_url")]
    Unclear,
}

impl Profiles {
    /// Reads the profiles from the same sources as [`Settings::resolve`]. Reads no key.
    pub fn read(choices: &Choices, env: &Env) -> Result<Self> {
        let sources = Sources::read(choices, env)?;
        let started = Target::at_start(&sources);
        let default = started.name()?;
        let beside = match started {
            Target::Profile { .. } => None,
            Target::Demo => Some((ServiceLocation::Demo, Profile { embedded: true, ..Profile::default() })),
            Target::Direct { address, .. } => Some((ServiceLocation::At(address), Profile::default())),
        };
        let beside = beside.map(|(place, profile)| {
            let entry = entry(&default, &profile, &sources);
            ProfileEntry { place, line: None, ..entry }
        });
        let profiles = sources.file.profiles.iter().filter(|(name, _)| beside.is_none() || **name != default);
        let mut profiles: Vec<_> = profiles.map(|(name, profile)| entry(name, profile, &sources)).collect();
        profiles.sort_by_key(|entry| entry.name != "embedded");
        profiles.splice(..0, beside);
        Ok(Self { entries: profiles, default, file: sources.path })
    }
}

/// The settings for the service of this name, chosen in the app: a profile, or the service of the session's start. May
/// block as long as [`Settings::resolve`].
pub fn settings_for(name: &str, choices: &Choices, env: &Env) -> Result<Settings> {
    let sources = Sources::read(choices, env)?;
    let started = Target::at_start(&sources);
    let is_started = !matches!(started, Target::Profile { .. }) && started.name()? == name;
    Settings::of(if is_started { started } else { Target::by_hand(name) }, &sources)
}

/// The same for a profile, but its key is not read.
pub fn settings_without_key(name: &str, choices: &Choices, env: &Env) -> Result<Settings> {
    Settings::of(Target::by_hand(name), &Sources::read(choices, env)?.without_key())
}

/// The settings as if the file had this profile and it were chosen in the app. May block as long as
/// [`Settings::resolve`].
pub fn settings_with(name: &str, new: &Profile, choices: &Choices, env: &Env) -> Result<Settings> {
    let mut sources = Sources::read(choices, env)?;
    sources.file.profiles.insert(name.to_owned(), new.clone());
    Settings::of(Target::by_hand(name), &sources)
}

fn entry(name: &str, profile: &Profile, sources: &Sources<'_>) -> ProfileEntry {
    let place = match (&profile.base_url, profile.embedded) {
        (None, true) => ServiceLocation::Inside,
        (Some(text), false) => ServiceLocation::At(without_secrets(text)),
        (None, false) | (Some(_), true) => ServiceLocation::Unclear,
    };
    ProfileEntry {
        name: name.to_owned(),
        key: key(profile, sources.env),
        place,
        label: target::label(name, profile),
        profile: profile.clone(),
        line: sources.lines.line_of(&["profiles", name]),
    }
}

fn key(profile: &Profile, env: &Env) -> String {
    if profile.embedded {
        return "not needed".to_owned();
    }
    let source = profile.key.clone().or_else(|| target::key_of_environment(env));
    source.as_ref().map_or(KeyOrigin::Absent, KeyOrigin::from).to_string()
}

/// A valid address is shown as written. One with secrets is refused when it is used, but shown before that.
fn without_secrets(text: &str) -> String {
    if text.parse::<BaseUrl>().is_ok() {
        return text.to_owned();
    }
    let begin = text.find("://").map_or(0, |at| at + 3);
    let end = text.find(['?', '#']).unwrap_or(text.len()).max(begin);
    let host = text[begin..end].rfind('@').map_or(begin, |at| begin + at + 1);
    format!("{}{}", &text[..begin], &text[host..end])
}

/// A profile to log in to or out of.
#[derive(Clone, Debug)]
pub struct Login {
    /// Its name.
    pub profile: String,
    /// The service's address.
    pub address: BaseUrl,
    /// A PEM file of CA certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Where its key comes from, according to the file.
    pub source: Option<KeySource>,
    /// The configuration file.
    pub file: PathBuf,
    /// Whether it is not in the file yet.
    pub is_new: bool,
    /// The line of the file that names the key, counted from 1.
    pub line: Option<usize>,
}

impl Login {
    /// The profile selected by flag, environment or file. With `--profile` and `--base-url` it is a new one. Reads no key.
    pub fn find(choices: &Choices, env: &Env) -> Result<Self> {
        let sources = Sources::read(choices, env)?.without_key();
        let chosen = Target::at_start(&sources);
        let (name, is_new) = match (&chosen, &choices.profile) {
            (Target::Profile { name, .. }, _) => (name.clone(), false),
            (Target::Direct { .. }, Some(name)) => (name.clone(), true),
            (Target::Demo, _) => return Err(ConfigError::Inside("the demo".to_owned())),
            (Target::Direct { .. }, None) => return Err(ConfigError::Nameless(Settings::of(chosen, &sources)?.name)),
        };
        let known = sources.file.profiles.get(&name);
        // Its own address is not another service.
        let is_same = |known: &Profile| known.base_url.is_some() && known.base_url == choices.base_url;
        let is_new = is_new && !known.is_some_and(is_same);
        if let Some(known) = known.filter(|_| is_new) {
            let address = known.base_url.clone().unwrap_or_else(|| "in this program".to_owned());
            return Err(ConfigError::Taken { profile: name, address });
        }
        if is_new && !is_plain_name(&name) {
            return Err(no_name(&name));
        }
        let source = known.and_then(|known| known.key.clone());
        let line = sources.lines.line_of(&["profiles", &name, "key"]);
        let Service::Remote(Remote { base_url: address, ca_file, .. }) = Settings::of(chosen, &sources)?.service else {
            return Err(ConfigError::Inside(format!("the profile {name}")));
        };
        Ok(Self { profile: name, address, ca_file, source, file: sources.path, is_new, line })
    }

    /// The program's own file for the key of this profile; none if its name is not plain, or without a home directory.
    pub fn key_file(&self, env: &Env) -> Option<PathBuf> {
        Paths::new(env).ok()?.key_file(&self.profile)
    }

    /// Saves `key` in `file`, and writes that place to the configuration, which keeps its comments.
    pub fn keep(&self, key: &ApiKey, file: &Path, env: &Env) -> Result<KeyOrigin> {
        let source = KeySource::File(below_home(file, env));
        if self.is_new {
            let new = Profile {
                key: Some(source.clone()),
                // A relative path would depend on the working directory.
                ca_file: self.ca_file.as_ref().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone())),
                ..Profile::at(&self.address.to_string())
            };
            add_profile(&self.file, &self.profile, &new)?;
            write_key_file(file, key)?;
        } else {
            write_key_file(file, key)?;
            set_key(&self.file, &self.profile, &source)?;
        }
        Ok(KeyOrigin::from(&source))
    }

    /// Removes the saved key of this profile, and its entry in the file. Returns where it was, if there was one.
    pub fn forget(&self, env: &Env) -> Result<Option<KeyOrigin>> {
        let Some(source) = &self.source else { return Ok(None) };
        let origin = KeyOrigin::from(source);
        let is_named = |own: &PathBuf| matches!(source, KeySource::File(named) if *own == in_home(named, env));
        let Some(own) = self.key_file(env).filter(is_named) else {
            return Err(ConfigError::Elsewhere { profile: self.profile.clone(), origin: origin.to_string() });
        };
        atomic_file::remove(&own)
            .map_err(|why| ConfigError::Unusable(format!("cannot remove the API key in {}: {why}.", own.display())))?;
        remove_key(&self.file, &self.profile)?;
        Ok(Some(origin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::settings::tests::{Written, written};
    use crate::config::{Accent, Origin};

    const CONFIG: &str = r#"
[profiles.shop]
base_url = "https://shop.example/v1"
[profiles.alpha]
base_url = "https://alpha.example/v1"
key = { env = "ALPHA_KEY" }
label = "ALPHA"
accent = "red"
protect = true
[profiles.vault]
base_url = "https://vault.example/v1"
key = { command = ["/bin/echo", "key_of_vault_0001"] }
[profiles.filed]
base_url = "https://me:petk_secret@filed.example/v1?k=petk_secret"
key = { file = "~/keys/filed" }
[profiles.both]
embedded = true
base_url = "https://both.example/v1"
"#;

    fn lines(written: &Written, choices: &Choices) -> Vec<String> {
        let profiles = Profiles::read(choices, &written.env).unwrap();
        let line = |entry: ProfileEntry| {
            let ProfileEntry { name, place, key, label, profile: Profile { accent, protect, .. }, line } = entry;
            format!("{name}|{place:?}|{key}|{label}|{accent:?}|{protect}|{line:?}")
        };
        profiles.entries.into_iter().map(line).collect()
    }

    #[test]
    fn all_profiles_are_listed_embedded_first_and_no_key_is_read() {
        let written = written(&[], CONFIG);
        assert_eq!(
            lines(&written, &Choices::default()),
            [
                "embedded|Inside|not needed|embedded|None|false|None",
                "alpha|At(\"https://alpha.example/v1\")|from environment ALPHA_KEY|ALPHA|Red|true|Some(4)",
                "both|Unclear|not needed|both|None|false|Some(16)",
                "filed|At(\"https://filed.example/v1\")|from the file ~/keys/filed|filed|None|false|Some(13)",
                "shop|At(\"https://shop.example/v1\")|none|shop|None|false|Some(2)",
                "vault|At(\"https://vault.example/v1\")|from the command /bin/echo key_of_vault_0001|vault|None|false|Some(10)",
            ]
        );
        assert_eq!(Profiles::read(&Choices::default(), &written.env).unwrap().file, written.path);
    }

    #[test]
    fn the_service_of_the_start_is_listed_first_if_it_is_not_a_profile() {
        let address = "https://direct.example:8443/v1";
        let flag = Choices { base_url: Some(address.into()), ..Choices::default() };
        let direct = |key| format!("direct.example:8443|At({address:?})|{key}|direct.example:8443|None|false|None");
        assert_eq!(lines(&written(&[], CONFIG), &flag)[0], direct("none"));
        let vars = [("PETSTORE_BASE_URL", address), ("PETSTORE_API_KEY", "petk_of_direct_01")];
        let listed = lines(&written(&vars, CONFIG), &Choices::default());
        assert_eq!(listed[0], direct("from environment PETSTORE_API_KEY"));
        assert_eq!(listed[1], "embedded|Inside|not needed|embedded|None|false|None");
        let demo = Choices { demo: true, ..Choices::default() };
        let listed = lines(&written(&[], "not read"), &demo);
        let expected =
            ["demo|Demo|not needed|demo|None|false|None", "embedded|Inside|not needed|embedded|None|false|None"];
        assert_eq!(listed, expected);
        let profile = Choices { profile: Some("shop".into()), ..Choices::default() };
        assert_eq!(lines(&written(&vars, CONFIG), &profile).len(), 6);
    }

    #[test]
    fn a_profile_chosen_in_the_app_wins_over_flags_and_environment() {
        let vars = [
            ("PETSTORE_PROFILE", "shop"),
            ("PETSTORE_BASE_URL", "https://env.example/v1"),
            ("PETSTORE_API_KEY", "petk_of_environment"),
            ("ALPHA_KEY", "petk_of_alpha_001"),
        ];
        let written = written(&vars, CONFIG);
        for choices in [
            Choices::default(),
            Choices { profile: Some("vault".into()), ..Choices::default() },
            Choices { base_url: Some("https://flag.example/v1".into()), ..Choices::default() },
        ] {
            let alpha = settings_for("alpha", &choices, &written.env).unwrap();
            let header = (alpha.name.as_str(), alpha.label.as_str(), alpha.accent, alpha.protect);
            assert_eq!(header, ("alpha", "ALPHA", Accent::Red, true));
            let remote = Remote {
                base_url: "https://alpha.example/v1".parse().unwrap(),
                key: Some(ApiKey::new("petk_of_alpha_001").unwrap()),
                key_origin: KeyOrigin::Environment("ALPHA_KEY".into()),
                ca_file: None,
            };
            assert_eq!(alpha.service, Service::Remote(remote));
            assert_eq!(alpha.origins[0].origin, Origin::ByHand);
            // A CA file for another service is not used for this one.
            let trusting = Choices { ca_file: Some("/lab.pem".into()), ..choices.clone() };
            assert_eq!(settings_for("alpha", &trusting, &written.env).unwrap().service, alpha.service);
            let embedded = settings_for("embedded", &choices, &written.env).unwrap();
            let (name, label) = (embedded.name.as_str(), embedded.label.as_str());
            assert_eq!((name, label, embedded.accent, embedded.protect), ("embedded", "embedded", Accent::None, false));
            assert_eq!(embedded.service, Service::Embedded { database: "/d/petstore/embedded.db".into() });
        }
    }

    #[test]
    fn the_service_of_the_start_can_be_chosen_again() {
        let written = written(&[("PETSTORE_BASE_URL", "https://env.example/v1")], CONFIG);
        for choices in [Choices::default(), Choices { demo: true, ..Choices::default() }] {
            let started = Settings::resolve(&choices, &written.env).unwrap();
            let back = settings_for(&started.name, &choices, &written.env).unwrap();
            assert_eq!((back.service, back.origins), (started.service, started.origins));
        }
    }

    #[test]
    fn an_invalid_profile_reports_why() {
        let written = written(&[], CONFIG);
        let refused = |name| settings_for(name, &Choices::default(), &written.env).unwrap_err().to_string();
        let filed = refused("filed");
        let begin = "profile filed, base_url: The address must not contain a user";
        assert!(filed.starts_with(begin) && !filed.contains("petk_"), "{filed}");
        assert!(refused("both").contains("\"both\" needs either base_url"));
        assert!(refused("gone").contains("\"gone\". Known: alpha, both, embedded, filed, shop, vault."));
        let vault = settings_for("vault", &Choices::default(), &written.env).unwrap();
        let Service::Remote(remote) = vault.service else { panic!("{:?}", vault.service) };
        assert_eq!(remote.key.unwrap().ending(), "0001");
    }

    #[test]
    fn a_profile_can_be_tried_before_it_is_written() {
        let written = written(&[("NEW_KEY", "petk_of_new_00001")], CONFIG);
        let key = Some(KeySource::Env("NEW_KEY".into()));
        let new = Profile { key, protect: true, ..Profile::at(" https://new.example/v1") };
        let settings = settings_with("new", &new, &Choices::default(), &written.env).unwrap();
        let Service::Remote(remote) = &settings.service else { panic!("{:?}", settings.service) };
        assert_eq!((remote.base_url.to_string().as_str(), settings.protect), ("https://new.example/v1", true));
        assert_eq!(remote.key.as_ref().unwrap().ending(), "0001");
        assert!(settings_for("new", &Choices::default(), &written.env).is_err(), "it was not written");
    }

    #[test]
    fn an_address_that_is_refused_is_shown_without_its_secrets() {
        for (written, shown) in [
            ("https://a:b@x.example/v1", "https://x.example/v1"),
            ("https://a:p@ss@x.example/v1#k", "https://x.example/v1"),
            ("a:b@x.example", "x.example"),
            ("https://?a://b", "https://"),
            ("nonsense", "nonsense"),
        ] {
            assert_eq!(without_secrets(written), shown);
        }
    }

    const COMMENTED: &str = "# mine\n[profiles.shop] # old\nbase_url = \"https://shop.example/v1\"\n\
                          key = { file = \"/nowhere/key\" } # lost\n[profiles.env]\nbase_url = \"https://env.example/v1\"\n\
                          key = { env = \"A\" }\n";

    fn profile(name: &str) -> Choices {
        Choices { profile: Some(name.into()), ..Choices::default() }
    }

    #[test]
    fn a_key_is_saved_and_removed_and_the_comments_stay() {
        let written = written(&[], COMMENTED);
        let key = ApiKey::new("petk_0123456789").unwrap();
        let find = || Login::find(&profile("shop"), &written.env).unwrap();
        let path = find().key_file(&written.env).unwrap();
        let kept = find().keep(&key, &path, &written.env).unwrap();
        assert_eq!(kept, KeyOrigin::File(path.clone()));
        let text = || std::fs::read_to_string(&written.path).unwrap();
        assert_eq!(text(), COMMENTED.replace("/nowhere/key", path.to_str().unwrap()));
        assert_eq!(super::super::secrets::read_key_file(&path).unwrap(), key);
        assert_eq!(find().forget(&written.env).unwrap(), Some(KeyOrigin::File(path.clone())));
        assert_eq!(text(), COMMENTED.replace("key = { file = \"/nowhere/key\" } # lost\n", ""));
        assert!(!path.exists());
        assert_eq!(find().forget(&written.env).unwrap(), None);
    }

    #[test]
    fn a_key_that_the_program_does_not_manage_is_left_alone() {
        let written = written(&[("A", "petk_0123456789")], COMMENTED);
        for (name, origin) in [("shop", "from the file /nowhere/key"), ("env", "from environment A")] {
            let error = Login::find(&profile(name), &written.env).unwrap().forget(&written.env).unwrap_err();
            let message = format!("petstore does not manage the key of {name}: it comes {origin}.");
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(std::fs::read_to_string(&written.path).unwrap(), COMMENTED);
    }

    #[test]
    fn only_a_profile_of_a_remote_service_needs_a_login() {
        let written = written(&[], COMMENTED);
        let refused = |choices: &Choices| Login::find(choices, &written.env).unwrap_err().to_string();
        assert_eq!(refused(&Choices::default()), "the profile embedded needs no key.");
        let demo = Choices { demo: true, ..Choices::default() };
        assert_eq!(refused(&demo), "the demo needs no key.");
        let base_url = Some("https://new.example/v1".to_owned());
        let direct = Choices { base_url: base_url.clone(), ..Choices::default() };
        assert!(refused(&direct).contains("new.example was given as an address without one"));
        let at = |name: &str| Choices { base_url: base_url.clone(), ..profile(name) };
        assert!(refused(&at("shop")).contains("profile \"shop\" already exists"));
        assert!(refused(&at("../x")).contains("is not a valid profile name"));
        let new = Login::find(&at("new"), &written.env).unwrap();
        assert_eq!((new.profile.as_str(), new.is_new, new.line), ("new", true, None));
        assert_eq!(Login::find(&profile("shop"), &written.env).unwrap().line, Some(4));
    }
}
