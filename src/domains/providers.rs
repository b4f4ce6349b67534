//! DNS providers that are known from their name servers, and how their forms want a record.
//!
//! The words are those of the providers' own help pages, or of several guides that agree, in November 2026. What is not
//! certain is left out: a wrong word is worse than none.

use super::DnsName;

/// How a provider wants a record.
#[derive(Debug, PartialEq, Eq)]
pub struct Provider {
    /// What it is called.
    pub name: &'static str,
    /// The ends of the host names of its name servers, with spaces between them; one that ends with a hyphen is how their second label begins.
    servers: &'static str,
    /// What its form calls the owner name, the target and the TTL of a CNAME record, if that is known.
    pub form: Option<[&'static str; 3]>,
    /// The target needs a dot at its end.
    pub dotted: bool,
    /// What it has for the apex of a zone.
    pub apex: Apex,
}

/// What a provider has for the apex of a zone, where a CNAME record is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apex {
    /// Not known.
    Unknown,
    /// This type of record, which may point anywhere.
    Type(&'static str),
    /// Nothing that can point to the platform.
    Nothing,
}

impl Provider {
    const fn new(name: &'static str, servers: &'static str) -> Self {
        Self { name, servers, form: None, dotted: false, apex: Apex::Unknown }
    }

    const fn form(self, owner: &'static str, target: &'static str) -> Self {
        Self { form: Some([owner, target, "TTL"]), ..self }
    }

    const fn dotted(self) -> Self {
        Self { dotted: true, ..self }
    }

    const fn apex(self, apex: Apex) -> Self {
        Self { apex, ..self }
    }

    /// The provider that all these name servers belong to. A suffix that several providers use names none.
    pub fn of(servers: &[DnsName]) -> Option<&'static Self> {
        let (first, others) = servers.split_first()?;
        let provider = PROVIDERS.iter().find(|it| it.has(first))?;
        others.iter().all(|server| provider.has(server)).then_some(provider)
    }

    fn has(&self, server: &DnsName) -> bool {
        let second = server.as_str().split('.').nth(1).unwrap_or_default();
        self.servers.split(' ').any(|known| match known.strip_suffix('-') {
            Some(_) => second.starts_with(known),
            None => server.is_within(&DnsName::new(known)),
        })
    }
}

static PROVIDERS: &[Provider] = &[
    Provider {
        form: Some(["Record name", "Value", "TTL (seconds)"]),
        ..Provider::new("Amazon Route 53", "awsdns-").apex(Apex::Nothing)
    },
    Provider::new("Azure DNS", "azure-dns.com azure-dns.net azure-dns.org azure-dns.info")
        .form("Name", "Alias")
        .apex(Apex::Nothing),
    Provider::new("Bluehost", "bluehost.com"),
    Provider::new("Cloudflare", "ns.cloudflare.com foundationdns.com foundationdns.net foundationdns.org")
        .form("Name", "Target")
        .apex(Apex::Type("CNAME")),
    Provider::new("DigitalOcean", "digitalocean.com"),
    Provider::new("DNS Made Easy", "dnsmadeeasy.com").form("Name", "Alias to").dotted(),
    Provider::new("DNSimple", "dnsimple-edge.com dnsimple-edge.net dnsimple-edge.io dnsimple-edge.org dnsimple.com")
        .form("Name", "Content")
        .apex(Apex::Type("ALIAS")),
    Provider::new("easyDNS", "easydns.com easydns.net easydns.org easydns.info"),
    Provider::new("Gandi", "gandi.net").dotted(),
    Provider::new("GoDaddy", "domaincontrol.com").form("Name", "Value"),
    Provider::new("Hetzner", "ns.hetzner.com ns.hetzner.de first-ns.de second-ns.de second-ns.com").dotted(),
    Provider::new("Hostinger", "dns-parking.com").form("Name", "Target").apex(Apex::Type("CNAME")),
    Provider::new("Hover", "hover.com"),
    Provider::new("Infomaniak", "infomaniak.com"),
    Provider::new("IONOS", "ui-dns.com ui-dns.org ui-dns.biz ui-dns.de").form("Hostname", "Point to"),
    Provider::new("Linode", "linode.com").form("Hostname", "Alias to").apex(Apex::Nothing),
    Provider::new("Namecheap", "registrar-servers.com namecheaphosting.com").form("Host", "Value"),
    Provider::new("Network Solutions", "worldnic.com"),
    Provider::new("OVHcloud", "ovh.net").dotted().apex(Apex::Nothing),
    Provider::new("Vercel", "vercel-dns.com").apex(Apex::Type("ALIAS")),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(servers: &[&str]) -> Option<&'static str> {
        let servers: Vec<_> = servers.iter().map(|server| DnsName::new(server)).collect();
        Provider::of(&servers).map(|provider| provider.name)
    }

    #[test]
    fn a_provider_is_known_from_its_name_servers() {
        assert_eq!(of(&["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"]), Some("Cloudflare"));
        assert_eq!(of(&["ns-42.awsdns-05.com", "ns-1900.awsdns-45.co.uk"]), Some("Amazon Route 53"));
        assert_eq!(of(&["NS1.Domaincontrol.COM"]), Some("GoDaddy"));
    }

    #[test]
    fn servers_of_two_providers_or_of_nobody_known_name_none() {
        assert_eq!(of(&["ada.ns.cloudflare.com", "ns1.dnsimple.com"]), None);
        assert_eq!(of(&["ns1.notgandi.net"]), None);
        assert_eq!(of(&["ns1.acme-pets.com"]), None);
        // Several providers rent these.
        assert_eq!(of(&["dns1.p01.nsone.net", "ns-cloud-a1.googledomains.com"]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn no_provider_hides_another_one() {
        for provider in PROVIDERS {
            for known in provider.servers.split(' ').filter(|known| !known.ends_with('-')) {
                assert_eq!(of(&[&format!("ns1.{known}")]), Some(provider.name));
            }
        }
    }
}
