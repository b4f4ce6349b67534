//! What a request says, read strictly: axum's own extractors answer in plain text, and some of them in 422. In the body
//! of a creation (section 4.2) each member is read once, each with its own rule and code.

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tokio::time::timeout;
use url::form_urlencoded;

use super::config::Config;
use super::failure::{Failure, Result};
use super::names::route;
use crate::model::draft::{check_name, parse_status};
use crate::model::{FieldError, NewPet, PatchOperation, PetId, PetMember, PetPatch, PetQuery, PetStatus};
use crate::store::Position;

/// The query of a list (section 4.1, and `after`, an addition), which may have an order (`order` and `before`, additions).
/// Nothing is clamped; names that are not known are left alone, so that proxies and later versions may add some.
pub fn pet_query(uri: &Uri, has_order: bool) -> Result<PetQuery> {
    let (mut limit, mut status, mut newest_first, mut after, mut before) = (None, None, None, None, None);
    let is_descending = |order: &str| ["asc", "desc"].contains(&order).then_some(order == "desc");
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        let (name, rule, is_first) = match &*name {
            "limit" => ("limit", "a whole number from 1 to 100", put(&mut limit, value.parse().ok())),
            "status" => ("status", "available, pending or sold", put(&mut status, value.parse().ok())),
            "after" => ("after", "the id of a pet", put(&mut after, plain_int64(&value))),
            "before" if has_order => ("before", "the id of a pet", put(&mut before, plain_int64(&value))),
            "order" if has_order => ("order", "asc or desc", put(&mut newest_first, is_descending(&value))),
            _ => continue,
        };
        match is_first {
            Some(true) => {}
            Some(false) => return Err(Failure::RepeatedParameter(name)),
            None => return Err(Failure::Parameter { name, rule, value: value.into_owned() }),
        }
    }
    let newest_first = newest_first.unwrap_or_default();
    let (after, other) = if newest_first { (before, after) } else { (after, before) };
    if other.is_some() {
        return Err(Failure::OtherOrder);
    }
    Ok(PetQuery { status, limit: limit.unwrap_or_default(), newest_first, after })
}

/// Where a stream of events begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamStart {
    /// With what comes from now on.
    Now,
    /// With the pets that were added after this one, and with changes from now on.
    After(PetId),
    /// With all that follows a position that an event had.
    At(Position),
}

/// Where a stream of events begins, and which status it shows. `Last-Event-ID`, which a client sends when it comes again,
/// counts more than `after`.
pub fn stream_start(uri: &Uri, headers: &HeaderMap) -> Result<(StreamStart, Option<PetStatus>)> {
    let query = pet_query(uri, false)?;
    let (name, rule) = ("Last-Event-ID", "the id of an event");
    let Some(value) = at_most_one(headers, name)?.map(shown) else {
        return Ok((query.after.map_or(StreamStart::Now, StreamStart::After), query.status));
    };
    let position = Position::parse(&value).ok_or(Failure::Parameter { name, rule, value })?;
    Ok((StreamStart::At(position), query.status))
}

/// The value of a header, if it has one; an error if it has several.
pub fn at_most_one<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a HeaderValue>> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_none() { Ok(value) } else { Err(Failure::RepeatedParameter(name)) }
}

fn shown(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// Whether it is the first value that was put there, if there is one.
fn put<T>(slot: &mut Option<T>, value: Option<T>) -> Option<bool> {
    Some(slot.replace(value?).is_none())
}

/// The id in the path of a pet, of its provenance or its history. Anything that is not an id is not found.
pub fn pet_id(uri: &Uri) -> Result<PetId> {
    let (_, text) = route(uri.path());
    plain_int64(text).ok_or_else(|| Failure::NoSuchPet(text.to_owned()))
}

/// An id as we write it: no plus sign, no leading zeros, no escapes.
fn plain_int64(text: &str) -> Option<PetId> {
    text.parse().ok().filter(|id: &PetId| id.to_string() == text)
}

/// What makes a creation happen once only (an addition): the name and the rule of the IETF's draft, quotes or none.
pub fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>> {
    let (name, rule) = ("Idempotency-Key", "1 to 255 visible ASCII characters");
    let Some(key) = at_most_one(headers, name)?.map(shown) else { return Ok(None) };
    let is_visible = (1..=255).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    if is_visible { Ok(Some(key)) } else { Err(Failure::Parameter { name, rule, value: key }) }
}

/// The operations of a change test what the pet is; conditions in headers would be ignored, and are refused (RFC 9110, 13.1).
pub fn no_preconditions(headers: &HeaderMap) -> Result<()> {
    for name in ["If-Match", "If-None-Match", "If-Unmodified-Since"] {
        if let Some(value) = headers.get(name).map(shown) {
            let rule = "left out here, where operations test what the pet is";
            return Err(Failure::Parameter { name, rule, value });
        }
    }
    Ok(())
}

/// The whole body of a request of this `media_type`.
pub async fn body(headers: &HeaderMap, body: Body, media_type: &'static str, config: &Config) -> Result<Bytes> {
    if !is_plain(headers, media_type) {
        return Err(Failure::MediaType(media_type));
    }
    // A length that is known to be too large is refused before a byte of it is read.
    if body.size_hint().lower() > config.body_bytes as u64 {
        return Err(Failure::BodyTooLarge(config.body_bytes));
    }
    let whole = timeout(config.body_time, Limited::new(body, config.body_bytes).collect()).await;
    match whole {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Failure::BodyTooLarge(config.body_bytes)),
        Ok(Err(_)) => Err(Failure::BodyCut),
        Err(_) => Err(Failure::BodyTooSlow),
    }
}

/// One Content-Type, which is `media_type` whatever its parameters, and nothing packed.
fn is_plain(headers: &HeaderMap, media_type: &str) -> bool {
    let Ok(Some(sent)) = at_most_one(headers, "Content-Type") else { return false };
    let essence = sent.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(media_type) && !headers.contains_key(header::CONTENT_ENCODING)
}

/// The members as they are written, so that each can be checked separately, and `1.0` differs from `1`. serde refuses a
/// member that comes twice, also when it is written with escapes; members it does not know are ignored.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    name: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present", rename = "categoryId")]
    category_id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    status: Option<&'a RawValue>,
}

/// A member that is there, even if it is `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

/// The pet in `body`, or the first thing that is wrong with it.
pub fn new_pet(body: &[u8]) -> Result<NewPet> {
    // serde would also take an array with the values in order.
    let members: Members<'_> = json(body, '{', Failure::BodyNotAnObject)?;
    let name = text(members.name.ok_or(FieldError::NameBlank)?)?;
    check_name(&name)?;
    let category_id = category_id(members.category_id.ok_or(FieldError::CategoryMissing)?)?;
    Ok(NewPet { name, category_id, status: members.status.map(status).transpose()? })
}

/// Reads the JSON in `body`, or refuses it as `other` if it does not begin with `first`.
fn json<'a, T: Deserialize<'a>>(body: &'a [u8], first: char, other: Failure) -> Result<T> {
    let text = str::from_utf8(body).map_err(|_| Failure::BodyNotUtf8)?;
    if !text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with(first) {
        return Err(other);
    }
    serde_json::from_str(text).map_err(Failure::BodyMalformed)
}

/// An operation as it is written.
#[derive(Deserialize)]
struct Operation<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    op: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    path: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<&'a RawValue>,
}

/// The changes in `body` (JSON Patch, RFC 6902), or the first thing that is wrong with it.
pub fn patch(body: &[u8]) -> Result<PetPatch> {
    let operations: Vec<&RawValue> = json(body, '[', Failure::BodyNotAPatch)?;
    let read = |raw: &RawValue| operation(&json(raw.get().as_bytes(), '{', Failure::BodyNotAPatch)?);
    operations.into_iter().map(read).collect::<Result<_, _>>().map(PetPatch)
}

fn operation(Operation { op, path, value }: &Operation<'_>) -> Result<PatchOperation> {
    let refused = |member, rule, raw: Option<&RawValue>| {
        let value = raw.map_or_else(|| "missing".to_owned(), |raw| raw.get().to_owned());
        Failure::Operation { member, rule, value }
    };
    let word = |raw: Option<&RawValue>| text(raw?).ok();
    let is_test = match word(*op).as_deref() {
        Some("test") => true,
        Some("replace") => false,
        _ => return Err(refused("op", "\"test\" or \"replace\"", *op)),
    };
    let Some(value) = *value else { return Err(refused("value", "there", None)) };
    let member = match word(*path).as_deref() {
        Some("/name") => {
            let name = text(value)?;
            // A name that no pet can have is tested like others.
            if !is_test {
                check_name(&name)?;
            }
            PetMember::Name(name)
        }
        Some("/categoryId") => PetMember::CategoryId(category_id(value)?),
        Some("/status") => PetMember::Status(status(value)?),
        _ => return Err(refused("path", "\"/name\", \"/categoryId\" or \"/status\"", *path)),
    };
    Ok(if is_test { PatchOperation::Test(member) } else { PatchOperation::Replace(member) })
}

/// Fails for everything but a string, and for a string with half of a surrogate pair.
fn text(member: &RawValue) -> Result<String> {
    serde_json::from_str(member.get()).map_err(|_| Failure::NameNotText(member.get().to_owned()))
}

/// A JSON number without fraction and exponent is just what Rust parses, and JSON has no plus sign.
fn category_id(member: &RawValue) -> Result<i64, FieldError> {
    member.get().parse().map_err(|_| FieldError::CategoryNotInt64(member.get().to_owned()))
}

fn status(member: &RawValue) -> Result<PetStatus, FieldError> {
    let word = text(member).map_err(|_| FieldError::StatusUnknown(member.get().to_owned()))?;
    parse_status(&word)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;
    use crate::model::Limit;

    #[test]
    fn parameters_are_decoded_and_unknown_ones_left_alone() {
        let query = |text: &'static str| pet_query(&Uri::from_static(text), true);
        assert_eq!(query("/v1/pets").unwrap(), PetQuery::default());
        assert_eq!(
            query("/v1/pets?li%6Dit=1%30&status=sold&after=-9&x=1&x=2&%FF").unwrap(),
            PetQuery {
                status: Some(PetStatus::Sold),
                limit: Limit::try_from(10).unwrap(),
                after: Some(-9),
                ..PetQuery::default()
            }
        );
        assert!(matches!(query("/v1/pets?limit=5&limit=5"), Err(Failure::RepeatedParameter("limit"))));
        for bad in ["limit", "limit=%2B5", "limit=+5", "status=", "after=01", "after=", "after=9223372036854775808"] {
            let uri = format!("/v1/pets?{bad}").parse().unwrap();
            assert!(matches!(pet_query(&uri, true), Err(Failure::Parameter { .. })), "{bad}");
        }
    }

    #[test]
    fn an_order_has_its_parameter_for_pages_and_a_stream_has_none() {
        let query = |text: &str, has_order| pet_query(&format!("/v1/pets?{text}").parse().unwrap(), has_order);
        let newest_first = PetQuery { newest_first: true, ..PetQuery::default() };
        assert_eq!(query("order=asc", true).unwrap(), PetQuery::default());
        assert_eq!(query("order=desc", true).unwrap(), newest_first);
        assert_eq!(query("before=7&order=desc", true).unwrap(), PetQuery { after: Some(7), ..newest_first });
        for bad in
            ["before=7", "order=asc&before=7", "order=desc&after=7", "after=7&before=7", "order=desc&after=7&before=7"]
        {
            let expected = "Use after with order=asc, which is the default, and before with order=desc.";
            assert_eq!(query(bad, true).unwrap_err().to_string(), expected, "{bad}");
        }
        assert_eq!(query("order=DESC", true).unwrap_err().to_string(), "order must be asc or desc, not \"DESC\".");
        let wrong = query("order=desc&before=+7", true).unwrap_err();
        assert_eq!(wrong.to_string(), "before must be the id of a pet, not \" 7\".");
        for twice in ["order=desc&order=desc", "order=desc&before=1&before=1"] {
            assert!(matches!(query(twice, true), Err(Failure::RepeatedParameter(_))), "{twice}");
        }
        assert_eq!(query("order=x&before=y", false).unwrap(), PetQuery::default());
    }

    #[test]
    fn an_idempotency_key_is_one_word_of_ascii() {
        let key = |values: &[&[u8]]| {
            let name = HeaderName::from_static("idempotency-key");
            let values = values.iter().map(|value| (name.clone(), HeaderValue::from_bytes(value).unwrap()));
            idempotency_key(&values.collect())
        };
        assert_eq!(key(&[]).unwrap(), None);
        assert_eq!(key(&[b"\"8e03978e-40d5\""]).unwrap().as_deref(), Some("\"8e03978e-40d5\""));
        assert!(key(&[&[b'x'; 255]]).unwrap().is_some());
        for bad in [&b""[..], b"a b", b"a\tb", b"\xff", "é".as_bytes(), &[b'x'; 256]] {
            assert!(matches!(key(&[bad]), Err(Failure::Parameter { name: "Idempotency-Key", .. })), "{bad:?}");
        }
        assert!(matches!(key(&[b"a", b"a"]), Err(Failure::RepeatedParameter("Idempotency-Key"))));
    }

    #[test]
    fn an_id_is_an_int64_as_we_write_it() {
        let id = |text: &'static str| pet_id(&Uri::from_static(text)).ok();
        assert_eq!(id("/v1/pets/7"), Some(7));
        assert_eq!((id("/v1/pets/7/provenance"), id("/v1/pets/07/provenance")), (Some(7), None));
        assert_eq!(id("/v1/pets/9223372036854775807"), Some(i64::MAX));
        for bad in ["/v1/pets/9223372036854775808", "/v1/pets/+1", "/v1/pets/01", "/v1/pets/%31", "/v1/pets/1.0"] {
            assert_eq!(id(bad), None, "{bad}");
        }
    }
}
