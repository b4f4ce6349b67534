//! The address of a service, and its API key.

use std::net::IpAddr;
use std::str::FromStr;

use derive_more::{Debug, Display};
use secrecy::{ExposeSecret, SecretString};
use url::{Host, Url};

use super::text;

/// The base address of a service, including `/v1`: `https://api.example.com/v1` (section 1 of the description).
#[derive(Clone, PartialEq, Eq, Debug, Display)]
#[display("{}", _0.as_str().trim_end_matches('/'))]
#[debug("{}", self)]
pub struct BaseUrl(Url);

/// Why an address or a key is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// The address is not a URL.
    #[error("\"{}\" is not a valid address. Example: https://api.example.com/v1.", text::short(.0))]
    NotAnAddress(String),
    /// Neither http nor https.
    #[error("The address must start with https:// (or http:// for this machine), not \"{}\".", text::short(.0))]
    Scheme(String),
    /// User name, password, query, fragment or API key in the address.
    #[error(
        "The address must not contain a user, a password, a query, a fragment or an API key, because it is shown on screen. Set the key in PETSTORE_API_KEY."
    )]
    Decorated,
    /// Clear text to another machine.
    #[error(
        "http:// would send the API key to {0} in clear text. Use https://, or --insecure-http if you trust the network."
    )]
    ClearText(String),
    /// No key.
    #[error("The API key is missing. Type or paste it.")]
    KeyMissing,
    /// A key with characters that are not allowed in an HTTP header.
    #[error("The API key may contain only visible ASCII characters and no spaces. Copy it again.")]
    KeyCharacters,
}

impl BaseUrl {
    /// The URL of `path`, for example `pets`, below the base address.
    pub fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        // A base with a host always has path segments.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path.split('/'));
        }
        url
    }

    /// Whether the host is this machine: `localhost`, a name below it or a loopback address.
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(_)) => self.loopback_name().is_some(),
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => IpAddr::from(ip).is_loopback(),
            None => false,
        }
    }

    /// The host if it is a name of this machine. It always resolves to the loopback addresses, without DNS (RFC 6761,
    /// section 6.3).
    pub fn loopback_name(&self) -> Option<&str> {
        self.0.domain().filter(|name| *name == "localhost" || name.ends_with(".localhost"))
    }

    /// Whether the connection is encrypted.
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Host and port: `api.example.com`, `127.0.0.1:8080`.
    pub fn authority(&self) -> String {
        self.0.authority().to_owned()
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Refuses to send a key in clear text to another machine.
    pub fn guard_clear_text(&self, allow_http: bool) -> Result<(), EndpointError> {
        if self.is_https() || self.is_loopback() || allow_http {
            Ok(())
        } else {
            Err(EndpointError::ClearText(self.authority()))
        }
    }
}

impl FromStr for BaseUrl {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        use EndpointError::*;
        // First, since other errors quote the text, and a host is sent to name servers.
        if text::holds_key(text) {
            return Err(Decorated);
        }
        let url = Url::parse(text.trim()).map_err(|_| match text.contains("://") {
            true => NotAnAddress(text.to_owned()),
            // The address of a browser, mostly.
            false => Scheme(text.to_owned()),
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Scheme(text.to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(Decorated);
        }
        Ok(Self(url))
    }
}

/// An API key (section 5). Never printed: `Debug` shows the last four characters at most.
#[derive(Clone, Debug)]
#[debug("ApiKey(...{})", self.ending())]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// Takes what was typed or pasted: surrounding whitespace and a leading `Bearer ` are removed.
    pub fn new(text: &str) -> Result<Self, EndpointError> {
        let text = text.trim();
        let key = match text.get(..7) {
            Some(scheme) if scheme.eq_ignore_ascii_case("bearer ") => text[7..].trim_start(),
            _ => text,
        };
        if key.is_empty() {
            return Err(EndpointError::KeyMissing);
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(EndpointError::KeyCharacters);
        }
        Ok(Self(key.to_owned().into()))
    }

    /// The last four characters, to tell keys apart; none for short keys, which they would give away.
    pub fn ending(&self) -> &str {
        let key = self.0.expose_secret();
        let shown = if key.len() >= 12 { 4 } else { 0 };
        &key[key.len() - shown..]
    }

    /// The key itself, for the code that puts it into the request.
    pub(crate) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl PartialEq for ApiKey {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_below_the_version() {
        for base in ["https://api.example.com/v1", "https://api.example.com/v1/"] {
            let base: BaseUrl = base.parse().unwrap();
            assert_eq!(base.join("pets").as_str(), "https://api.example.com/v1/pets");
            assert_eq!(base.join("pets/-5").as_str(), "https://api.example.com/v1/pets/-5");
            assert_eq!(base.to_string(), "https://api.example.com/v1");
            assert_eq!(base.origin(), "https://api.example.com");
        }
    }

    #[test]
    fn a_key_is_never_sent_in_clear_text_to_another_machine() {
        let guard = |text: &str| text.parse::<BaseUrl>().unwrap().guard_clear_text(false);
        for own in
            ["http://127.0.0.1:8080/v1", "http://[::1]/v1", "http://localhost:1/v1", "https://api.example.com/v1"]
        {
            assert_eq!(guard(own), Ok(()), "{own}");
        }
        for foreign in ["http://api.example.com/v1", "http://192.168.1.5/v1", "http://localhost.example.com/v1"] {
            assert!(matches!(guard(foreign), Err(EndpointError::ClearText(_))), "{foreign}");
        }
    }

    #[test]
    fn invalid_addresses_are_refused_with_the_reason() {
        let parse = |text: &str| text.parse::<BaseUrl>().unwrap_err();
        assert!(matches!(parse("https://"), EndpointError::NotAnAddress(_)));
        for unclear in ["ftp://x/v1", "api.example.com/v1", "localhost:8080/v1", "127.0.0.1:8080"] {
            assert!(matches!(parse(unclear), EndpointError::Scheme(_)), "{unclear}");
        }
        assert_eq!(parse("https://me:pw@x/v1"), EndpointError::Decorated);
        assert_eq!(parse("https://x/v1?a=b"), EndpointError::Decorated);
        for key in ["petk_0123456789abcdef", "https://petk_0123456789abcdef/v1", "ftp://x/petk_0123456789abcdef"] {
            assert_eq!(parse(key), EndpointError::Decorated, "{key}");
        }
    }

    #[test]
    fn a_pasted_key_is_cleaned_and_never_shown() {
        let key = ApiKey::new("  Bearer petk_0123456789abcdef77d0\n").unwrap();
        assert_eq!(key.expose(), "petk_0123456789abcdef77d0");
        assert_eq!(format!("{key:?}"), "ApiKey(...77d0)");
        assert_eq!(ApiKey::new("short").unwrap().ending(), "");
        for none in ["", " \n"] {
            assert_eq!(ApiKey::new(none), Err(EndpointError::KeyMissing), "{none:?}");
        }
        for bad in ["two words", "schlüssel", "a\nb"] {
            assert_eq!(ApiKey::new(bad), Err(EndpointError::KeyCharacters), "{bad:?}");
        }
    }
}
