//! What the kernel lets a session open, whatever this program does: Landlock, where there is one.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetError, make_bitflags, path_beneath_rules,
};

/// What resolvers, certificates and time zones are read from, and the libraries that resolvers load. A rule for a file ends
/// when that is replaced, so the directories are named to which `/etc/resolv.conf` leads, but not `/etc` itself.
const SYSTEM: &str = "/etc/ca-certificates /etc/gai.conf /etc/host.conf /etc/hosts /etc/ld.so.cache /etc/localtime \
                      /etc/nsswitch.conf /etc/pki /etc/protocols /etc/resolv.conf /etc/services /etc/ssl /lib /lib64 \
                      /run/NetworkManager /run/netconfig /run/resolvconf /run/systemd/resolve /usr/lib /usr/lib64 \
                      /usr/local/share/ca-certificates /usr/share/ca-certificates /usr/share/pki /usr/share/ssl \
                      /usr/share/zoneinfo /var/lib/ca-certificates /var/run/nscd /var/ssl";

/// From now on only the files below `own` can be changed, those at `readable` and of the system read, and no program
/// started. Before the first thread: the kernel restricts the calling one and those that it starts.
pub fn restrict(own: &Path, readable: &[&Path]) {
    // Where the kernel cannot, or only in part, what the session itself refuses still counts.
    let _ = try_to(own, readable);
}

fn try_to(own: &Path, readable: &[&Path]) -> Result<RestrictionStatus, RulesetError> {
    let read: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let edit = make_bitflags!(AccessFs::{WriteFile | Truncate | MakeReg | MakeDir | RemoveFile | RemoveDir | Refer});
    let terminal = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    Ruleset::default()
        .handle_access(AccessFs::from_all(ABI::V5))?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM.split_whitespace(), read))?
        .add_rules(path_beneath_rules(readable, read))?
        .add_rules(path_beneath_rules([own], read | edit))?
        .add_rules(path_beneath_rules(["/dev/null", "/dev/tty"], terminal))?
        .restrict_self()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::process::Command;
    use std::sync::mpsc;

    use landlock::RulesetStatus;

    use super::*;

    #[test]
    #[expect(clippy::print_stderr, reason = "says that it was skipped")]
    fn a_session_changes_its_own_files_reads_what_it_needs_and_reaches_the_service() {
        let directory = tempfile::tempdir().unwrap();
        let [own, given, other] = ["own", "given", "other"].map(|name| directory.path().join(name));
        for path in [&own, &given, &other] {
            fs::create_dir(path).unwrap();
            fs::write(path.join("file"), "x").unwrap();
        }
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let unix = UnixListener::bind(directory.path().join("socket")).unwrap();
        // In a separate thread: what is restricted stays so.
        let session = move || {
            if try_to(&own, &[&given]).unwrap().ruleset == RulesetStatus::NotEnforced {
                return eprintln!("skipped: this kernel has no Landlock");
            }
            fs::write(own.join("new"), "y").unwrap();
            fs::rename(own.join("new"), own.join("file")).unwrap();
            assert_eq!(fs::read(given.join("file")).unwrap(), b"x");
            for refused in [
                File::open(other.join("file")).err(),
                File::open("/etc/passwd").err(),
                fs::write(given.join("file"), "y").err(),
                fs::write(other.join("new"), "y").err(),
                fs::read_dir(&other).err(),
                Command::new("/bin/sh").arg("-c").arg("exit").spawn().err(),
            ] {
                assert_eq!(refused.map(|error| error.kind()), Some(std::io::ErrorKind::PermissionDenied));
            }
            TcpStream::connect(tcp.local_addr().unwrap()).unwrap();
            UnixStream::connect(unix.local_addr().unwrap().as_pathname().unwrap()).unwrap();
        };
        std::thread::spawn(session).join().unwrap();
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "says that it was skipped")]
    fn a_file_that_others_replace_during_a_session_is_read_where_its_directory_may_be() {
        let directory = tempfile::tempdir().unwrap();
        let [own, run, etc] = ["own", "run", "etc"].map(|name| directory.path().join(name));
        for path in [&own, &run, &etc] {
            fs::create_dir(path).unwrap();
            fs::write(path.join("resolv.conf"), "old").unwrap();
        }
        let [behind_link, alone] = [&run, &etc].map(|path| path.join("resolv.conf"));
        let read = [behind_link.clone(), alone.clone()];
        let (begun, begins) = mpsc::channel();
        let (replaced, goes_on) = mpsc::channel::<()>();
        let session = std::thread::spawn(move || {
            let restricted = try_to(&own, &[&run, &read[1]]).unwrap().ruleset != RulesetStatus::NotEnforced;
            assert!(read.iter().all(|path| fs::read(path).unwrap() == b"old"));
            begun.send(()).unwrap();
            goes_on.recv().unwrap();
            restricted.then(|| read.map(|path| fs::read_to_string(path).ok()))
        });
        begins.recv().unwrap();
        for path in [&behind_link, &alone] {
            fs::write(path.with_extension("new"), "new").unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
        }
        replaced.send(()).unwrap();
        match session.join().unwrap() {
            Some(texts) => assert_eq!(texts, [Some("new".to_owned()), None]),
            None => eprintln!("skipped: this kernel has no Landlock"),
        }
    }
}
