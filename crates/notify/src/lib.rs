//! Notices that leave the machine: by webhook, mail or command, and a heartbeat whose absence tells that nobody watches.
//!
//! ```text
//!   file of targets ── targets ──┐
//!   Notice ── Notifier ── a queue and a task for each target ── message ── http | mail | command
//! ```
//! The file of targets is not part of the configuration because it has secrets: support bundles contain the configuration.
//!
//! What must hold: a target that hangs, fails or answers nonsense delays no other one and nothing else in the daemon; memory is bounded;
//! redirects are not followed; nothing that a notice contains is interpreted by a shell; and the last failure of each target can be seen.
//! Start reading at [`Notifier`].

mod command;
mod http;
mod mail;
mod message;
mod notifier;
mod targets;

pub use message::{Notice, Severity, State};
pub use notifier::{Notifier, TargetStatus};
pub use targets::{Kind, Target, Targets, TargetsError};
