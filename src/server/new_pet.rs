//! The body of a creation (section 4.2), read strictly: each member once, each with its own rule and code.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::failure::Failure;
use crate::model::draft::{check_name, parse_status};
use crate::model::{FieldError, NewPet, PetStatus};

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
pub(super) fn parse(body: &[u8]) -> Result<NewPet, Failure> {
    let text = str::from_utf8(body).map_err(|_| Failure::BodyNotUtf8)?;
    // serde would also take an array with the values in order.
    if !text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with('{') {
        return Err(Failure::BodyNotAnObject);
    }
    let members: Members<'_> = serde_json::from_str(text).map_err(Failure::BodyMalformed)?;
    Ok(NewPet {
        name: name(members.name)?,
        category_id: category_id(members.category_id)?,
        status: members.status.map(status).transpose()?,
    })
}

fn name(member: Option<&RawValue>) -> Result<String, Failure> {
    let raw = member.ok_or(FieldError::NameBlank)?.get();
    // Fails for everything but a string, and for a string with half of a surrogate pair.
    let name: String = serde_json::from_str(raw).map_err(|_| Failure::NameNotText(raw.to_owned()))?;
    check_name(&name)?;
    Ok(name)
}

/// A JSON number without fraction and exponent is just what Rust parses, and JSON has no plus sign.
fn category_id(member: Option<&RawValue>) -> Result<i64, FieldError> {
    let raw = member.ok_or(FieldError::CategoryMissing)?.get();
    raw.parse().map_err(|_| FieldError::CategoryNotInt64(raw.to_owned()))
}

fn status(member: &RawValue) -> Result<PetStatus, FieldError> {
    let raw = member.get();
    let word: String = serde_json::from_str(raw).map_err(|_| FieldError::StatusUnknown(raw.to_owned()))?;
    parse_status(&word)
}
