//! The inputs that fuzzing begins with, and those that it found: each reader takes all of them.

use std::fs;
use std::path::{Path, PathBuf};

use hickory_proto::op::{Message, OpCode, Query};
use hickory_proto::rr::{Name, RData, Record, RecordType, rdata};

use super::readers;

/// A reader by its name.
type Reader = (&'static str, fn(&[u8]));

const READERS: [Reader; 5] = [
    ("name", readers::name),
    ("message", readers::message),
    ("caa", readers::caa),
    ("certificate", readers::certificate),
    ("configuration", readers::configuration),
];

fn seeds(reader: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(reader)
}

#[test]
fn every_seed_is_read_without_harm() {
    for (name, read) in READERS {
        let files: Vec<_> = fs::read_dir(seeds(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 4, "{name} has too few seeds");
        for file in files {
            let bytes = fs::read(&file).unwrap();
            // Also cut off, and damaged at each place.
            for end in 0..=bytes.len().min(600) {
                read(&bytes[..end]);
            }
            for at in 0..bytes.len().min(600) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x41;
                read(&damaged);
            }
        }
    }
}

fn response(answers: &[(&str, RData)]) -> Vec<u8> {
    let name = Name::from_ascii("docs.acme-pets.com.").unwrap();
    let mut message = Message::response(0x1234, OpCode::Query);
    message.add_query(Query::query(name, RecordType::CNAME));
    for (owner, data) in answers {
        message.add_answer(Record::from_rdata(Name::from_ascii(owner).unwrap(), 3600, data.clone()));
    }
    message.to_vec().unwrap()
}

/// Makes the first seeds again: `cargo test --test it make_the_seeds -- --ignored`.
#[test]
#[ignore = "writes the seeds of the fuzzer"]
fn make_the_seeds() {
    let host = || Name::from_ascii("sites.petplatform.net.").unwrap();
    let docs = "docs.acme-pets.com.";
    let null =
        |code, bytes: &[u8]| RData::Unknown { code: RecordType::from(code), rdata: rdata::NULL::with(bytes.to_vec()) };
    let messages = [
        response(&[]),
        response(&[
            (docs, RData::CNAME(rdata::CNAME(host()))),
            ("sites.petplatform.net.", RData::A(rdata::A::new(192, 0, 2, 1))),
        ]),
        response(&[
            (docs, RData::TXT(rdata::TXT::new(vec!["v=spf1 -all".into()]))),
            (docs, RData::MX(rdata::MX::new(10, host()))),
        ]),
        response(&[
            (docs, RData::CAA(rdata::CAA::new_issue(true, Some(host()), Vec::new()))),
            (docs, null(257, b"\0\xc8x")),
        ]),
        response(&[
            ("acme-pets.com.", RData::SOA(rdata::SOA::new(host(), host(), 7, 1, 2, 3, 900))),
            ("acme-pets.com.", RData::NS(rdata::NS(host()))),
        ]),
        response(&[
            ("acme-pets.com.", null(39, b"\x03new\x03net\0")),
            (docs, RData::AAAA(rdata::AAAA::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1))),
        ]),
    ];
    let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        rcgen::CertificateParams::new(names).unwrap().self_signed(&key).unwrap().der().to_vec()
    };
    let sets: [(&str, Vec<Vec<u8>>); 5] = [
        (
            "name",
            texts(&[
                "https://ada:x@Docs.Acme-Pets.com:8443/guide?q#f",
                "docs.münchen.de",
                "xn--mnchen-3ya.de",
                "pаypal.com",
                "[2001:db8::1]:443",
                "ada@acme.com",
                "*.acme.co.uk",
                "a。b.github.io.",
            ]),
        ),
        ("message", messages.to_vec()),
        (
            "caa",
            texts(&[
                "letsencrypt.org",
                ";",
                "ca.example; validationmethods=dns-01,http-01; accounturi=https://ca.example/1",
                "%%%%%",
                " a-b.c ; x = y ",
            ]),
        ),
        (
            "certificate",
            vec![
                certificate(&["docs.acme-pets.com"]),
                certificate(&[]),
                certificate(&["*.acme-pets.com", "192.0.2.1", "acme-pets.com"]),
                b"-----BEGIN CERTIFICATE-----\n".to_vec(),
            ],
        ),
        (
            "configuration",
            texts(&[
                r#"{"domains": {"primary": "docs.acme.com", "redirects": [{"from": "old.acme.com", "to": "docs.acme.com", "status": 301}]}}"#,
                "[domains]\nprimary = \"docs.acme.com\"\n[[domains.redirects]]\nfrom = \"a.acme.com\"\nto = \"b.acme.com\"\nstatus = 302\n",
                r#"{"domains.primary": 5, "domains.redirects": {"a": [null, true, 1.5]}}"#,
                "redirect = []\nwhen = 1979-05-27T07:32:00Z\n",
            ]),
        ),
    ];
    for (reader, inputs) in sets {
        fs::create_dir_all(seeds(reader)).unwrap();
        for (number, input) in inputs.into_iter().enumerate() {
            fs::write(seeds(reader).join(format!("made-{number}")), input).unwrap();
        }
    }
}
