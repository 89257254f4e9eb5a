//! The command line `forebay lab …`.

mod all;
mod guest;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};

use crate::agent;
use crate::cluster::Distribution;
use crate::comparison::{self, CompareArgs};
use crate::experiment::{self, Experiment};
use crate::host::toolbox::{Cache, Toolbox, Toolset};
use crate::host::{Needs, check_prerequisites, supervisor, worker};
use crate::output::print;
use crate::probe::{self, ProbeCommand};
use crate::progress::Progress;
use crate::report::{self, NotRun, RunResult, Verdict};
use crate::request::{ClusterAddress, Profile, Request, Surroundings};
use crate::storage::{self, StorageKind};

/// The experiment could not be run.
const STATUS_COULD_NOT_RUN: u8 = 1;
/// The command line is wrong. clap uses the same.
const STATUS_USAGE: u8 = 2;
/// The experiment ran, and its verdict is fail.
pub(crate) const STATUS_VERDICT_FAIL: u8 = 4;

/// What the lab can be told to do.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// List the experiments, and the storages they run on
    List,
    /// Run an experiment, and write result.json and report.html
    ///
    /// Exit status: 0 if the verdict is pass, 1 if the experiment could not be run, 2 if the command line is wrong, 4 if the
    /// verdict is fail. Of several storages the worst counts: 1 before 4 before 0.
    Run(RunArgs),
    /// Put the results of runs side by side, and beside those of the technical reports
    ///
    /// Exit status: 0 if the page was written, 1 if a folder holds no results, or one that cannot be read.
    Compare(CompareArgs),
    /// Boot one Linux guest, mount NFS in it, and run a program there: a client to try a server with
    ///
    /// Without a program it runs a shell, which takes commands from standard input; the guest ends with it. The program sees the files of this
    /// host, and the mounts below /mnt. Its exit status is the program's, 128 and the signal's number if one ended it, 125 if there is no
    /// guest, or 130 if it was interrupted.
    Guest(guest::ClientArgs),
    /// Check that this machine can run the lab, and fetch what it needs
    Setup(CacheArgs),
    /// The first process of a guest
    #[command(hide = true)]
    Init(GuestArgs),
    /// The process that does the lab's bidding in a guest
    #[command(hide = true)]
    Agent(GuestArgs),
    /// A program that experiments run in a guest
    #[command(hide = true, subcommand)]
    Probe(ProbeCommand),
    /// The process that does a run, in namespaces of its own
    #[command(hide = true)]
    Worker {
        /// The work order
        order: PathBuf,
    },
    /// Removes what a run made that was killed
    #[command(hide = true)]
    Clean {
        /// The run's work order
        order: PathBuf,
    },
}

/// What `run` can be told.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// Name of the experiment; `forebay lab list` names them all. `all`: every one that repeats the technical reports
    experiment: String,
    /// Storages to run on, separated by commas; what is the default depends on the experiment
    ///
    /// mount:DIR is a directory of this host, such as an NFS mount; brokers then run on this host, without guests.
    #[arg(long, value_delimiter = ',', value_name = "STORAGE")]
    storage: Vec<StorageKind>,
    /// Storages that should fail, separated by commas: for the exit status, fail counts as pass there and pass as fail
    #[arg(long, value_delimiter = ',', value_name = "STORAGE")]
    expect_fail: Vec<StorageKind>,
    /// Run on a Kafka cluster that is there, instead of on storages: addresses of brokers, separated by commas
    ///
    /// Only experiments that do nothing but produce and consume can. No root is needed. Topics of the run's own are made, and deleted at
    /// its end.
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',', value_parser = broker_address, conflicts_with_all = ["storage", "expect_fail"])]
    bootstrap_server: Vec<String>,
    /// What clients of that cluster must know (security.protocol, sasl.…): a properties file as Kafka's own tools take
    #[arg(long, value_name = "FILE", requires = "bootstrap_server")]
    client_config: Option<PathBuf>,
    /// Sizes of the experiment
    #[arg(long, default_value = "laptop")]
    profile: Profile,
    /// Parts of the experiment to run, separated by commas; all if none is named
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    part: Vec<String>,
    /// How often to repeat what is measured
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repetitions: Option<u32>,
    /// Folder for the results; ./lab-results/EXPERIMENT-STORAGE-TIME if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
}

/// Where fetched things are kept.
#[derive(Debug, Clone, Args)]
pub struct CacheArgs {
    /// Folder for what the lab fetches; $XDG_CACHE_HOME/forebay or ~/.cache/forebay if not given
    #[arg(long = "cache", env = "FOREBAY_LAB_CACHE", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Address of a Debian mirror; the one in this machine's package sources if not given
    #[arg(long, env = "FOREBAY_LAB_MIRROR", value_name = "URL")]
    mirror: Option<String>,
}

/// The address of a broker, `HOST:PORT`.
fn broker_address(text: &str) -> Result<String, String> {
    let (host, port) =
        text.rsplit_once(':').ok_or_else(|| format!("{text:?} has no port: write HOST:PORT"))?;
    if host.is_empty() || host.contains(char::is_whitespace) {
        return Err(format!("{text:?} names no host: write HOST:PORT"));
    }
    match port.parse::<u16>() {
        Ok(1..) => Ok(text.to_owned()),
        _ => Err(format!("{port:?} is not a port: write HOST:PORT")),
    }
}

/// What a guest's kernel passes to its first process.
#[derive(Debug, Args)]
pub struct GuestArgs {
    /// The guest's configuration
    config: PathBuf,
    /// Words that the kernel adds by itself
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    ignored: Vec<String>,
}

impl CacheArgs {
    fn resolve(self) -> Result<Cache> {
        let folder = match self.folder {
            Some(folder) => folder,
            None => default_cache()?,
        };
        let folder = std::path::absolute(&folder).with_context(|| format!("resolve {}", folder.display()))?;
        Ok(Cache { folder, mirror: self.mirror })
    }
}

fn default_cache() -> Result<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
    Ok(base.context("no HOME to keep a cache in: name a folder with --cache")?.join("forebay"))
}

/// Does what the command line says.
pub fn main(command: LabCommand) -> ExitCode {
    let status = match command {
        LabCommand::List => list(),
        LabCommand::Run(args) => run(args),
        LabCommand::Compare(args) => comparison::run(&args).map(|()| 0),
        LabCommand::Guest(args) => Ok(guest::run(args)),
        LabCommand::Setup(cache) => setup(cache),
        LabCommand::Init(guest) => return agent::init(&guest.config),
        LabCommand::Agent(guest) => agent::serve(&guest.config).map(|()| 0),
        LabCommand::Probe(command) => probe::main(command).map(|()| 0),
        LabCommand::Worker { order } => worker::run(&order),
        LabCommand::Clean { order } => worker::clean(&order).map(|()| 0),
    };
    match status {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("forebay lab: {error:#}");
            ExitCode::from(STATUS_COULD_NOT_RUN)
        }
    }
}

fn list() -> Result<u8> {
    let mut table = comfy_table::Table::new();
    table.set_header(["EXPERIMENT", "QUESTION", "STORAGES IF NONE IS NAMED"]);
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
        "mount:DIR is a directory of this host, with brokers on this host, for: {}",
        names(&|experiment| !experiment.needs_guests())
    ))?;
    print(&format!(
        "--bootstrap-server, for a cluster that is there already: {}",
        names(&|experiment| experiment.takes_clusters())
    ))?;
    Ok(0)
}

fn setup(cache: CacheArgs) -> Result<u8> {
    check_prerequisites(Needs { namespaces: true, guests: true, kafka: true })?;
    let cache = cache.resolve()?;
    provide(&cache, Toolset::ALL, true)?;
    print(&format!("the lab is ready; it keeps what it fetched in {}", cache.folder.display()))?;
    Ok(0)
}

/// Fetches what is missing, here and not in the worker, which is cut off from the machine's network.
fn provide(cache: &Cache, sets: &[Toolset], with_kafka: bool) -> Result<()> {
    let progress = Progress::new();
    let mut result = sets.iter().try_for_each(|set| Toolbox::provide(cache, *set, &progress));
    if with_kafka && result.is_ok() {
        result = Distribution::open(&cache.folder, &progress).map(drop);
    }
    progress.finish();
    result
}

fn run(args: RunArgs) -> Result<u8> {
    if let Some(kind) = named_twice(&args.storage) {
        eprintln!("forebay lab: storage {kind} is named twice");
        return Ok(STATUS_USAGE);
    }
    if args.experiment == all::NAME {
        return all::run(args);
    }
    let Some(experiment) = experiment::find(&args.experiment) else {
        eprintln!(
            "forebay lab: there is no experiment {:?}; `forebay lab list` names them all",
            args.experiment
        );
        return Ok(STATUS_USAGE);
    };
    if let Some(part) = args.part.iter().find(|part| !experiment.parts().contains(&part.as_str())) {
        eprintln!("forebay lab: {} has no part {part:?}; {}", experiment.name(), parts_told(experiment));
        return Ok(STATUS_USAGE);
    }
    if let Some(why) = cannot_be_combined(experiment, &args) {
        eprintln!("forebay lab: {why}");
        return Ok(STATUS_USAGE);
    }
    let expect_fail = args.expect_fail.clone();
    let requests = requests(experiment, args)?;
    prepare(experiment, &requests)?;
    Ok(execute(experiment, &requests, &expect_fail)?.status)
}

/// What became of an experiment.
#[derive(Default)]
struct Done {
    /// The exit status.
    status: u8,
    /// Somebody ended it.
    interrupted: bool,
    /// The storages that it came to no result on.
    missing: Vec<NotRun>,
}

/// Runs an experiment on one storage after the other, and writes its report.
fn execute(experiment: &dyn Experiment, requests: &Requests, expect_fail: &[StorageKind]) -> Result<Done> {
    let mut results = Vec::new();
    let mut done = Done::default();
    requests.forget()?;
    for request in &requests.each {
        let missing = |why: &str| NotRun {
            experiment: request.experiment.clone(),
            storage: names_of(&request.storages),
            why: why.to_owned(),
        };
        match supervisor::run(request) {
            Ok(supervisor::Outcome::Finished(result)) => {
                let fail_expected = expect_fail.iter().any(|kind| kind.name() == result.storage);
                if (result.verdict == Verdict::Fail) != fail_expected && done.status == 0 {
                    done.status = STATUS_VERDICT_FAIL;
                }
                results.push(*result);
            }
            Ok(supervisor::Outcome::CouldNotRun) => {
                done.status = STATUS_COULD_NOT_RUN;
                done.missing.push(missing("it could not be run; what it printed says why"));
            }
            Ok(supervisor::Outcome::Interrupted) => {
                done.missing.push(missing("interrupted"));
                return Ok(Done { status: supervisor::STATUS_INTERRUPTED, interrupted: true, ..done });
            }
            Err(error) => {
                eprintln!("forebay lab: {error:#}");
                done.status = STATUS_COULD_NOT_RUN;
                done.missing.push(missing(&format!("{error:#}")));
            }
        }
    }
    conclude(experiment, &requests.out, &results)?;
    Ok(done)
}

/// The names of storages, with commas between them.
fn names_of(storages: &[StorageKind]) -> String {
    storages.iter().map(StorageKind::name).collect::<Vec<_>>().join(",")
}

/// Why an experiment cannot be run on what the command line names.
fn cannot_be_combined(experiment: &dyn Experiment, args: &RunArgs) -> Option<String> {
    let name = experiment.name();
    if let Some(mounted) =
        args.storage.iter().find(|kind| kind.folder().is_some() && experiment.needs_guests())
    {
        return Some(format!("experiment {name} needs guests of its own; {mounted} has none"));
    }
    if let Some(kind) = args.storage.iter().find(|kind| !experiment.fits(kind)) {
        return Some(format!(
            "experiment {name} cannot be run on {kind}: it does to a storage what only some can do"
        ));
    }
    if let Some(expected) = args.expect_fail.first() {
        if experiment.compares() {
            return Some(format!(
                "experiment {name} has one verdict over all storages; --expect-fail {expected} is about that of one"
            ));
        }
        let defaults = experiment.default_storages();
        let storages = if args.storage.is_empty() { defaults } else { args.storage.as_slice() };
        if let Some(other) = args.expect_fail.iter().find(|kind| !storages.contains(kind)) {
            return Some(format!("--expect-fail {other}: experiment {name} is not run on {other} here"));
        }
    }
    if !args.bootstrap_server.is_empty() && !experiment.takes_clusters() {
        return Some(format!(
            "experiment {name} needs a cluster of its own and cannot use another one; `forebay lab list` says which can"
        ));
    }
    None
}

/// Checks that the machine can do it, removes what earlier runs left, and fetches what is missing.
fn prepare(experiment: &dyn Experiment, requests: &Requests) -> Result<()> {
    check(experiment, &requests.each)?;
    requests.each.iter().try_for_each(|request| {
        provide(&request.cache, &request.toolsets(experiment.tools()), experiment.needs_kafka())
    })
}

fn check(experiment: &dyn Experiment, requests: &[Request]) -> Result<()> {
    let surroundings = |wanted| requests.iter().any(|request| request.surroundings() == wanted);
    let guests = surroundings(Surroundings::Guests);
    let namespaces = guests || surroundings(Surroundings::Native);
    check_prerequisites(Needs { namespaces, guests, kafka: experiment.needs_kafka() })?;
    if let Some(request) = requests.first() {
        supervisor::sweep(&request.cache.folder);
    }
    for request in requests {
        for folder in request.storages.iter().filter_map(StorageKind::folder) {
            storage::check_folder(folder, experiment.disk_bytes(request.profile))?;
        }
        if let Some(config) = request.cluster.as_ref().and_then(|cluster| cluster.client_config.as_deref()) {
            std::fs::File::open(config)
                .with_context(|| format!("open the clients' configuration {}", config.display()))?;
        }
    }
    Ok(())
}

fn parts_told(experiment: &dyn Experiment) -> String {
    match experiment.parts() {
        [] => "it runs as a whole".to_owned(),
        parts => format!("it has {}", parts.join(", ")),
    }
}

fn named_twice(storages: &[StorageKind]) -> Option<StorageKind> {
    let mut seen = HashSet::new();
    storages.iter().find(|kind| !seen.insert(*kind)).cloned()
}

fn conclude(experiment: &dyn Experiment, out: &std::path::Path, results: &[RunResult]) -> Result<()> {
    if results.is_empty() {
        return Ok(());
    }
    let report = report::write(out, &experiment.subject(), results)?;
    print(&report::table(results))?;
    print(&format!("report: {}", report.display()))
}

struct Requests {
    /// The folder of all results.
    out: PathBuf,
    each: Vec<Request>,
}

impl Requests {
    /// Removes what earlier runs left in the folders of results: it would be taken for that of this one if this comes to none.
    fn forget(&self) -> Result<()> {
        let folders = self.each.iter().map(|request| &request.out);
        folders.chain([&self.out]).try_for_each(|folder| report::forget(folder))
    }
}

/// One request per storage, or one for all where the experiment compares them or runs on a cluster.
fn requests(experiment: &dyn Experiment, args: RunArgs) -> Result<Requests> {
    let absolute =
        |path: PathBuf| std::path::absolute(&path).with_context(|| format!("resolve {}", path.display()));
    let cluster = match args.bootstrap_server.as_slice() {
        [] => None,
        addresses => Some(ClusterAddress {
            bootstrap: addresses.join(","),
            client_config: args.client_config.map(absolute).transpose()?,
        }),
    };
    let storages = match &cluster {
        Some(_) => Vec::new(),
        None if args.storage.is_empty() => experiment.default_storages().to_vec(),
        None => args.storage,
    };
    let names: Vec<_> = storages.iter().map(StorageKind::file_name).collect();
    let on = if cluster.is_some() { "cluster".to_owned() } else { names.join("-") };
    let out = out_folder(args.out, experiment.name(), &on)?;
    let cache = args.cache.resolve()?;
    let groups: Vec<Vec<StorageKind>> = if experiment.compares() || cluster.is_some() {
        vec![storages]
    } else {
        storages.into_iter().map(|kind| vec![kind]).collect()
    };
    let single = groups.len() == 1;
    let each = groups.into_iter().map(|group| Request {
        experiment: experiment.name().to_owned(),
        out: if single {
            out.clone()
        } else {
            out.join(group.first().map_or(String::new(), StorageKind::file_name))
        },
        storages: group,
        cluster: cluster.clone(),
        profile: args.profile,
        repetitions: args.repetitions,
        parts: args.part.clone(),
        cache: cache.clone(),
    });
    let each = each.collect();
    Ok(Requests { out, each })
}

/// The folder of results: the one that was named, or one for what is run, where it is run, and now.
fn out_folder(named: Option<PathBuf>, what: &str, on: &str) -> Result<PathBuf> {
    let out = named.unwrap_or_else(|| {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace(':', "");
        PathBuf::from("lab-results").join(format!("{what}-{on}-{now}"))
    });
    std::path::absolute(&out).with_context(|| format!("resolve {}", out.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_broker_has_a_host_and_a_port() {
        for good in ["kafka-1:9092", "127.0.0.1:1", "[::1]:9092"] {
            assert_eq!(broker_address(good).unwrap(), good);
        }
        for bad in ["kafka-1", ":9092", "kafka-1:", "kafka-1:0", "kafka-1:70000", "two hosts:9092"] {
            assert!(broker_address(bad).is_err(), "{bad}");
        }
    }
}
