//! Several services and one app: changing from one to the other, adding one, and a key that is mended and kept.

use petstore::config::settings_for;

use super::*;

/// A home directory with a configuration in it, and the environment of an app that is started there.
pub(super) struct Home {
    directory: TempDir,
    env: Env,
}

impl Home {
    pub(super) fn with(config: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().to_str().unwrap().to_owned();
        let env = [("HOME", home.clone()), ("XDG_CONFIG_HOME", format!("{home}/.config")), ("XDG_DATA_HOME", home)];
        let home = Self { env: env.into_iter().collect(), directory };
        fs::create_dir_all(home.config().parent().unwrap()).unwrap();
        fs::write(home.config(), config).unwrap();
        home
    }

    fn config(&self) -> PathBuf {
        self.directory.path().join(".config/petstore/config.toml")
    }

    /// Where drafts are kept.
    pub(super) fn state(&self) -> PathBuf {
        self.directory.path().join("state")
    }

    fn key_file(&self, profile: &str) -> PathBuf {
        self.directory.path().join(".config/petstore/keys").join(profile)
    }

    /// A key in a file, as a profile names it.
    pub(super) fn put_key(&self, profile: &str, key: &str) {
        let path = self.key_file(profile);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, key).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    }

    /// The app as it starts with the configuration as it is by then.
    pub(super) fn open(&self) -> TestApp {
        install_tls_provider();
        let settings = Settings::resolve(&Choices::default(), &self.env).unwrap();
        let connect = |settings: Settings| match settings.service {
            Service::Remote(remote) => Ok(Client::new(remote.base_url, remote.key, Timeouts::default()).unwrap()),
            Service::Demo | Service::Embedded { .. } => Err(Failure::NotStarted { why: "none is inside".into() }),
        };
        let connect: Connect = Arc::new(move |settings| Box::pin(std::future::ready(connect(settings))));
        let services = Arc::new(Services { connect, choices: Choices::default(), env: self.env.clone() });
        let kept = Some(self.directory.path().join("lists"));
        let drafts = Some(Arc::new(Claims::new(self.state())));
        TestApp::run(
            settings,
            DomainSetup::default(),
            WorkerContext { services, kept, drafts, ..context(no_domains()) },
            |_| {},
        )
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_changes_to_another_service_and_back_and_adds_a_third() {
    let (shop, lab) = (Real::with_samples(7).await, Real::with_samples(3).await);
    let (at_shop, at_lab) = (shop.server.base_url(), lab.server.base_url());
    let config = format!(
        "# mine\nprofile = \"shop\"\n\n[profiles.shop]\nbase_url = \"{at_shop}\"\nkey = {{ file = \"~/.config/petstore/keys/shop\" }}\n\
         accent = \"red\"\nlabel = \"THE SHOP\"\n\n\
         [profiles.lab]\nbase_url = \"{at_lab}\"\nkey = {{ file = \"~/.config/petstore/keys/lab\" }}\n\n\
         [profiles.broken]\nbase_url = \"{at_lab}\"\nkey = {{ file = \"~/none\" }}\n"
    );
    let home = Home::with(&config);
    home.put_key("shop", &shop.key);
    home.put_key("lab", &lab.key);
    let mut app = home.open();
    app.shows(&["[All 7]", "THE SHOP | ok"]).await;

    // One that cannot be used changes nothing; one that can shows other rows.
    app.press("P").shows(&["> shop", "in use", "lab", "broken", "embedded"]).await;
    app.press("g Down Enter").shows(&["Cannot use broken; still using shop:", "THE SHOP | ok"]).await;
    app.press("Down t").shows(&["> lab", "OK ", "It answered in "]).await;
    app.press("Enter").shows(&["Using lab: 127.0.0.1", "[All 3]", "lab | ok"]).await;

    // What is added is added there.
    app.press("a \"Biscuit\" Tab \"3\" F2").shows(&["Added Biscuit, id 4."]).await;
    app.press("Esc P").shows(&["> lab"]).await;
    app.press("Down Enter").shows(&["[All 7]", "THE SHOP | ok"]).await;

    // A new profile, first with a key that is not accepted.
    app.press("P n");
    app.press(&format!("\"{at_lab}\""));
    app.press("Tab Tab \"petk_a_wrong_key_0123456789\" Tab \"annex\" F2");
    app.shows(&["did not accept the API key", "Nothing was saved."]).await;
    assert_eq!(fs::read_to_string(home.config()).unwrap(), config);
    for _ in 0..32 {
        app.press("BS");
    }
    app.event(Msg::Paste(format!("{}\n", lab.key)));
    app.press("F2").shows(&["Added annex to ~/.config/petstore/config.toml. It answered in", "> annex"]).await;
    app.press("Enter").shows(&["Using annex: 127.0.0.1", "[All 4]"]).await;
    app.quit().await;

    let text = fs::read_to_string(home.config()).unwrap();
    let added =
        format!("[profiles.annex]\nbase_url = \"{at_lab}\"\nkey = {{ file = \"~/.config/petstore/keys/annex\" }}\n");
    assert!(text.starts_with("# mine\n") && text.contains(&added), "{text}");
    assert_eq!(mode(&home.key_file("annex")), 0o600);
    let annex = settings_for("annex", &Choices::default(), &home.env).unwrap().service;
    let lab = settings_for("lab", &Choices::default(), &home.env).unwrap().service;
    let key = |service| match service {
        Service::Remote(remote) => remote.key.unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(key(annex), key(lab));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_is_corrected_is_kept_for_its_owner_alone_and_found_at_the_next_start() {
    let real = Real::with_samples(5).await;
    let config = format!("profile = \"shop\"\n[profiles.shop]\nbase_url = \"{}\" # here\n", real.server.base_url());
    let home = Home::with(&config);
    let mut app = home.open();
    app.shows(&["The service needs an API key", "in the file ~/.config/petstore/keys/shop"]).await;
    timeout(PATIENCE, async {
        while !app.screen.borrow().contains("[*") {
            app.press("*");
            let _ = timeout(Duration::from_millis(20), app.screen.changed()).await;
        }
    })
    .await
    .unwrap();
    for _ in 0..64 {
        app.press("BS");
    }
    app.event(Msg::Paste(format!("Bearer {}\n", real.key)));
    app.press("Tab Down").shows(&["(*) in the file ~/.config/petstore/keys/shop"]).await;
    app.press("Enter").shows(&["[All 5]"]).await;
    timeout(PATIENCE, async {
        while fs::read_to_string(home.config()).unwrap() == config {
            let _ = timeout(Duration::from_millis(20), app.screen.changed()).await;
        }
    })
    .await
    .unwrap();
    app.quit().await;

    let source = "key = { file = \"~/.config/petstore/keys/shop\" }\n";
    assert_eq!(fs::read_to_string(home.config()).unwrap(), format!("{config}{source}"));
    assert_eq!(mode(&home.key_file("shop")), 0o600);
    let mut app = home.open();
    app.shows(&["[All 5]", "shop | ok"]).await;
    app.quit().await;
}
