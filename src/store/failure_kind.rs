//! The kinds of failures, as metrics name them.

/// A closed list, so that it can be a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "each name says what it is")]
pub enum FailureKind {
    Timeout,
    QueueFull,
    ReadOnly,
    Closed,
    NoConnection,
    UnknownOutcome,
    Conflicts,
    Stuck,
    DiskFull,
    Locked,
    Privilege,
    Pooler,
    Schema,
    Database,
    Other,
}
