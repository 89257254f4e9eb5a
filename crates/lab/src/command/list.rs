//! `forebay lab list`.

use anyhow::Result;

use crate::experiment::{self, Experiment};
use crate::output::print;
use crate::request::StorageKind;

/// Prints the experiments and the storages they run on; returns the exit status.
pub fn run() -> Result<u8> {
    let mut table = comfy_table::Table::new();
    table.set_header(["EXPERIMENT", "QUESTION", "DEFAULT STORAGES"]);
    table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
    for experiment in experiment::ALL {
        let storages: Vec<_> = experiment.default_storages().iter().map(StorageKind::name).collect();
        table.add_row([experiment.name(), experiment.subject().question, &storages.join(", ")]);
    }
    let names = |wanted: &dyn Fn(&dyn Experiment) -> bool| {
        let found =
            experiment::ALL.iter().filter(|experiment| wanted(**experiment)).map(|found| found.name());
        found.collect::<Vec<_>>().join(", ")
    };
    print(&format!("{table}\n\nStorages: {}", StorageKind::all_names()))?;
    print(&format!(
        "mount:DIR, a directory of this host with the brokers on this host, works with: {}",
        names(&|experiment| !experiment.needs_guests())
    ))?;
    print(&format!(
        "versitygw, garage, minio and http://HOST:PORT, object stores, work with: {}",
        names(&|experiment| experiment.fits(&StorageKind::Minio))
    ))?;
    print(&format!(
        "--bootstrap-server, an existing cluster, works with: {}",
        names(&|experiment| experiment.takes_clusters())
    ))?;
    Ok(0)
}
