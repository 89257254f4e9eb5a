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
    /// Names of the experiment's parts to run; all if there is none.
    pub parts: Vec<String>,
    /// The folder of results.
    pub out: PathBuf,
    /// The cache of what is fetched.
    pub cache: Cache,
}

impl Request {
    /// What must be fetched for it.
    pub fn toolsets(&self, of_experiment: &[Toolset]) -> Vec<Toolset> {
        let mut sets = vec![Toolset::Guests];
        sets.extend_from_slice(of_experiment);
        if self.storages.contains(&StorageKind::Ganesha) && !sets.contains(&Toolset::Bench) {
            sets.push(Toolset::Bench);
        }
        sets
    }

    /// Whether a part of the experiment is asked for.
    pub fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }
}
