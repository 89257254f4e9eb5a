//! Who serves a pool whose directory several machines can reach: one of them at a time.
//!
//! The owner says in a small file in the pool's directory that it is there, twice a second ([`Holder`]). Every other machine waits
//! ([`Standby`]): it reads the file and asks the owner over the network. When both are silent, it has the owner *fenced* by a program of the
//! operator, which switches the machine off or cuts it off from the storage, and then opens the pool. [`Watch`] decides what is silence,
//! [`check_directory`] refuses directories in which this cannot work.
//!
//! An owner may be stopped, replaced, and continue. So it looks at the file before each beat, and asks [`Holder::confirm`] before each
//! change of the pool's files.
//!
//! What must hold: nobody opens a pool while its last owner may still write to it. The owner is known not to write if it has said that it
//! released the pool, if it was a process of this machine that is dead, or if the fence program says so. Time alone never proves it. A lock on
//! the directory is taken as well, but a lock of a cluster file system can be lost by an owner that does not notice.

mod beats;
mod connections;
mod directory;
mod holder;
mod look;
mod owner;
mod probe;
mod standby;
mod watch;

pub use beats::Beats;
pub use connections::{Connections, Ends};
pub use directory::{DirectoryError, check_directory};
pub use holder::Holder;
pub use owner::{Node, Owner, OwnerError, Phase, Takeover, TakeoverKind};
pub use standby::{Claim, Standby, StandbyError};
pub use watch::{Verdict, Watch, Witness};
