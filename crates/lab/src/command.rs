//! The command line `forebay lab …`.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};

use crate::agent;
use crate::cluster::Distribution;
use crate::comparison::{self, CompareArgs};
use crate::experiment::{self, Experiment};
use crate::host::toolbox::{Cache, Toolbox, Toolset};
use crate::host::{check_prerequisites, supervisor, worker};
use crate::probe::{self, ProbeCommand};
use crate::progress::Progress;
use crate::report::{self, RunResult, Verdict};
use crate::request::{Profile, Request};
use crate::storage::StorageKind;

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
}

/// What `run` can be told.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Name of the experiment; `forebay lab list` names them all
    experiment: String,
    /// Storages to run on, separated by commas; what is the default depends on the experiment
    #[arg(long, value_delimiter = ',', value_name = "STORAGE")]
    storage: Vec<StorageKind>,
    /// Storages that should fail, separated by commas: for the exit status, fail counts as pass there and pass as fail
    #[arg(long, value_delimiter = ',', value_name = "STORAGE")]
    expect_fail: Vec<StorageKind>,
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
#[derive(Debug, Args)]
pub struct CacheArgs {
    /// Folder for what the lab fetches; $XDG_CACHE_HOME/forebay or ~/.cache/forebay if not given
    #[arg(long = "cache", env = "FOREBAY_LAB_CACHE", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Address of a Debian mirror; the one in this machine's package sources if not given
    #[arg(long, env = "FOREBAY_LAB_MIRROR", value_name = "URL")]
    mirror: Option<String>,
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
        LabCommand::Setup(cache) => setup(cache),
        LabCommand::Init(guest) => return agent::init(&guest.config),
        LabCommand::Agent(guest) => agent::serve(&guest.config).map(|()| 0),
        LabCommand::Probe(command) => probe::main(command).map(|()| 0),
        LabCommand::Worker { order } => worker::run(&order),
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
        let storages: Vec<_> = experiment.default_storages().iter().map(|kind| kind.name()).collect();
        table.add_row([experiment.name(), experiment.subject().question, &storages.join(", ")]);
    }
    let storages: Vec<_> = StorageKind::value_variants().iter().map(|kind| kind.name()).collect();
    println!("{table}\n\nStorages: {}", storages.join(", "));
    Ok(0)
}

fn setup(cache: CacheArgs) -> Result<u8> {
    check_prerequisites(true)?;
    let cache = cache.resolve()?;
    provide(&cache, Toolset::ALL, true)?;
    println!("the lab is ready; it keeps what it fetched in {}", cache.folder.display());
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
    let Some(experiment) = experiment::find(&args.experiment) else {
        eprintln!(
            "forebay lab: there is no experiment {:?}; `forebay lab list` names them all",
            args.experiment
        );
        return Ok(STATUS_USAGE);
    };
    if let Some(kind) = named_twice(&args.storage) {
        eprintln!("forebay lab: storage {kind} is named twice");
        return Ok(STATUS_USAGE);
    }
    if let Some(part) = args.part.iter().find(|part| !experiment.parts().contains(&part.as_str())) {
        eprintln!("forebay lab: {} has no part {part:?}; {}", experiment.name(), parts_told(experiment));
        return Ok(STATUS_USAGE);
    }
    check_prerequisites(experiment.needs_kafka())?;
    supervisor::sweep();
    let expect_fail = args.expect_fail.clone();
    let requests = requests(experiment, args)?;
    for request in &requests.each {
        provide(&request.cache, &request.toolsets(experiment.tools()), experiment.needs_kafka())?;
    }
    let mut results = Vec::new();
    let mut status = 0;
    for request in &requests.each {
        match supervisor::run(request) {
            Ok(supervisor::Outcome::Finished(result)) => {
                let fail_expected = expect_fail.iter().any(|kind| kind.name() == result.storage);
                if (result.verdict == Verdict::Fail) != fail_expected && status == 0 {
                    status = STATUS_VERDICT_FAIL;
                }
                results.push(*result);
            }
            Ok(supervisor::Outcome::CouldNotRun) => status = STATUS_COULD_NOT_RUN,
            Ok(supervisor::Outcome::Interrupted) => return Ok(supervisor::STATUS_INTERRUPTED),
            Err(error) => {
                eprintln!("forebay lab: {error:#}");
                status = STATUS_COULD_NOT_RUN;
            }
        }
    }
    conclude(experiment, &requests.out, &results)?;
    Ok(status)
}

fn parts_told(experiment: &dyn Experiment) -> String {
    match experiment.parts() {
        [] => "it runs as a whole".to_owned(),
        parts => format!("it has {}", parts.join(", ")),
    }
}

fn named_twice(storages: &[StorageKind]) -> Option<StorageKind> {
    let mut seen = HashSet::new();
    storages.iter().copied().find(|kind| !seen.insert(*kind))
}

fn conclude(experiment: &dyn Experiment, out: &std::path::Path, results: &[RunResult]) -> Result<()> {
    if results.is_empty() {
        return Ok(());
    }
    let report = report::write(out, &experiment.subject(), results)?;
    println!("{}", report::table(results));
    println!("report: {}", report.display());
    Ok(())
}

struct Requests {
    /// The folder of all results.
    out: PathBuf,
    each: Vec<Request>,
}

/// One request per storage, or one for all where the experiment compares them.
fn requests(experiment: &dyn Experiment, args: RunArgs) -> Result<Requests> {
    let storages =
        if args.storage.is_empty() { experiment.default_storages().to_vec() } else { args.storage };
    let names: Vec<_> = storages.iter().map(|kind| kind.name()).collect();
    let out = args.out.unwrap_or_else(|| {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace(':', "");
        PathBuf::from("lab-results").join(format!("{}-{}-{now}", experiment.name(), names.join("-")))
    });
    let out = std::path::absolute(&out).with_context(|| format!("resolve {}", out.display()))?;
    let cache = args.cache.resolve()?;
    let groups: Vec<Vec<StorageKind>> = if experiment.compares() {
        vec![storages]
    } else {
        storages.into_iter().map(|kind| vec![kind]).collect()
    };
    let single = groups.len() == 1;
    let each = groups.into_iter().map(|group| Request {
        experiment: experiment.name().to_owned(),
        out: if single { out.clone() } else { out.join(group.first().map_or("", |kind| kind.name())) },
        storages: group,
        profile: args.profile,
        repetitions: args.repetitions,
        parts: args.part.clone(),
        cache: cache.clone(),
    });
    let each = each.collect();
    Ok(Requests { out, each })
}
