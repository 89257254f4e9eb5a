//! What a person asked the lab to do.

use std::path::PathBuf;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::host::toolbox::{Cache, Toolset};
use crate::storage::StorageKind;

/// How large an experiment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Small enough for a laptop or a CI machine: minutes.
    Laptop,
    /// The sizes of the reports that the lab repeats.
    Full,
}

impl Profile {
    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Laptop => "laptop",
            Self::Full => "full",
        }
    }
}

/// One run in one worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// Name of the experiment.
    pub experiment: String,
    /// The storages: exactly one, unless the experiment compares storages within one run.
    pub storages: Vec<StorageKind>,
    /// The sizes.
    pub profile: Profile,
    /// How often to repeat what is measured; the experiment decides if none.
    pub repetitions: Option<u32>,
    /// The folder of results.
    pub out: PathBuf,
    /// The cache of what is fetched.
    pub cache: Cache,
}

impl Request {
    /// What must be fetched for it.
    pub fn toolsets(&self, benchmark: bool) -> &'static [Toolset] {
        if benchmark || self.storages.contains(&StorageKind::Ganesha) {
            &[Toolset::Guests, Toolset::Bench]
        } else {
            &[Toolset::Guests]
        }
    }
}
