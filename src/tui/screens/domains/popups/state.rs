//! What the boxes of the panel hold.

use crate::domains::sandbox::SandboxStep;

/// The record in one format after another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatsBox {
    /// Which of [`ExportFormat::ALL`](crate::domains::record_export::ExportFormat::ALL).
    pub choice: usize,
    /// With what must be deleted first.
    pub with_deletes: bool,
}

/// What can be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideBox {
    /// The acts, as they were when the box was opened.
    pub acts: Vec<SandboxStep>,
    /// The marked one.
    pub choice: usize,
}
