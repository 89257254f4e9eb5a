//! `forebay lab run` with one experiment.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use super::args::RunArgs;
use super::setup::{provide, provide_kafka_tests, provide_plugin};
use super::status::{STATUS_COULD_NOT_RUN, STATUS_USAGE, STATUS_VERDICT_FAIL};
use crate::executable;
use crate::experiment::{self, Experiment};
use crate::host::{Needs, check_prerequisites};
use crate::output::print;
use crate::report::{self, NotRun, RunResult, Verdict};
use crate::request::{ClusterAddress, EnvironmentKind, Request, StorageKind, TierKind, TierRequest};
use crate::run::{self, supervisor};
use crate::storage;
use crate::toolbox::{Cache, Toolset};

/// Runs the experiment; returns the exit status.
pub fn run(args: RunArgs) -> Result<u8> {
    let Some(experiment) = experiment::find(&args.experiment) else {
        eprintln!(
            "forebay lab: there is no experiment {:?}; `forebay lab list` shows all of them",
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
    let mut requests = requests(experiment, args)?;
    prepare(experiment, &mut requests)?;
    Ok(execute(experiment, &requests, &expect_fail)?.status)
}

/// How an experiment ended.
#[derive(Default)]
pub struct Done {
    /// The exit status.
    pub status: u8,
    /// The user interrupted it.
    pub interrupted: bool,
    /// The storages without a result.
    pub missing: Vec<NotRun>,
}

/// Runs an experiment on one storage after the other, and writes its report.
pub fn execute(
    experiment: &dyn Experiment,
    requests: &Requests,
    expect_fail: &[StorageKind],
) -> Result<Done> {
    let mut results = Vec::new();
    let mut done = Done::default();
    if !requests.missing.is_empty() {
        done.status = STATUS_COULD_NOT_RUN;
    }
    done.missing.extend(requests.missing.iter().map(|(storage, why)| NotRun {
        experiment: experiment.name().to_owned(),
        storage: storage.clone(),
        why: why.clone(),
    }));
    requests.forget()?;
    for request in &requests.each {
        let missing = |why: &str| NotRun {
            experiment: request.experiment.clone(),
            storage: names_of(&request.storages),
            why: why.to_owned(),
        };
        match run::experiment::run(request) {
            Ok(run::experiment::Outcome::Finished(result)) => {
                let fail_expected = expect_fail.iter().any(|kind| kind.name() == result.storage);
                if (result.verdict == Verdict::Fail) != fail_expected && done.status == 0 {
                    done.status = STATUS_VERDICT_FAIL;
                }
                results.push(*result);
            }
            Ok(run::experiment::Outcome::CouldNotRun) => {
                done.status = STATUS_COULD_NOT_RUN;
                done.missing.push(missing("it could not be run; its output says why"));
            }
            Ok(run::experiment::Outcome::Interrupted) => {
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
pub fn names_of(storages: &[StorageKind]) -> String {
    storages.iter().map(StorageKind::name).collect::<Vec<_>>().join(",")
}

/// Why an experiment cannot be run with these arguments.
fn cannot_be_combined(experiment: &dyn Experiment, args: &RunArgs) -> Option<String> {
    let name = experiment.name();
    if let Some(mounted) =
        args.storage.iter().find(|kind| kind.folder().is_some() && experiment.needs_guests())
    {
        return Some(format!("experiment {name} needs guests of its own; {mounted} has none"));
    }
    if let Some(kind) = args.storage.iter().find(|kind| !experiment.fits(kind)) {
        return Some(format!(
            "experiment {name} cannot be run on {kind}, which lacks an operation that it needs"
        ));
    }
    if let Some(expected) = args.expect_fail.first() {
        if experiment.compares() {
            return Some(format!(
                "experiment {name} has one verdict for all storages together; --expect-fail {expected} is about that of one"
            ));
        }
        let defaults = experiment.default_storages();
        let storages = if args.storage.is_empty() { defaults } else { args.storage.as_slice() };
        if let Some(other) = args.expect_fail.iter().find(|kind| !storages.contains(kind)) {
            return Some(format!("--expect-fail {other}: experiment {name} is not run on {other} here"));
        }
    }
    if !experiment.takes_tiers() && (args.tier.is_some() || !args.fault.is_empty()) {
        return Some(format!("experiment {name} has no tier, so it takes neither --tier nor --fault"));
    }
    if experiment.default_faults().is_empty() && !args.fault.is_empty() {
        return Some(format!("experiment {name} is without faults, so it does not take --fault"));
    }
    if !args.bootstrap_server.is_empty() && !experiment.takes_clusters() {
        return Some(format!(
            "experiment {name} needs a cluster of its own; `forebay lab list` shows the experiments that run on an existing cluster"
        ));
    }
    None
}

/// Checks that the machine can run it, removes what earlier runs left behind, and fetches what is missing. Servers that cannot be had
/// are left out, as long as there is another storage to run on.
pub fn prepare(experiment: &dyn Experiment, requests: &mut Requests) -> Result<()> {
    check(experiment, &requests.each)?;
    requests.each.iter().try_for_each(|request| {
        let kafka = experiment.needs_kafka().then_some(request.kafka);
        provide(&request.cache, &request.toolsets(experiment.tools()), kafka)?;
        if experiment.needs_kafka_tests() {
            provide_kafka_tests(&request.cache)?;
        }
        if request.tier.is_some() { provide_plugin(&request.cache) } else { Ok(()) }
    })?;
    requests.leave_out_missing(|cache, set| provide(cache, &[set], None));
    if requests.each.is_empty() {
        let reasons = requests.missing.iter().map(|(storage, why)| format!("{storage}: {why}"));
        bail!("no storage is left to run on: {}", reasons.collect::<Vec<_>>().join("; "));
    }
    for (storage, why) in &requests.missing {
        eprintln!("forebay lab: {storage} cannot be had, and is left out: {why}");
    }
    Ok(())
}

fn check(experiment: &dyn Experiment, requests: &[Request]) -> Result<()> {
    let environment_kind = |wanted| requests.iter().any(|request| request.environment_kind() == wanted);
    let guests = environment_kind(EnvironmentKind::Guests);
    let namespaces = requests.iter().any(|request| request.environment_kind().has_namespaces());
    check_prerequisites(Needs { namespaces, guests, kafka: experiment.needs_kafka() })?;
    if let Some(request) = requests.first() {
        run::sweep(&request.cache.folder);
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

fn conclude(experiment: &dyn Experiment, out: &std::path::Path, results: &[RunResult]) -> Result<()> {
    if results.is_empty() {
        return Ok(());
    }
    let report = report::write(out, &experiment.subject(), results)?;
    print(&report::table(results))?;
    print(&format!("report: {}", report.display()))
}

/// What to run, and where the results go.
pub struct Requests {
    /// The folder of all results.
    pub out: PathBuf,
    /// One run each.
    pub each: Vec<Request>,
    /// The storages whose servers cannot be had, with the reasons.
    pub missing: Vec<(String, String)>,
}

impl Requests {
    /// Leaves out the storages whose servers `obtain` cannot get, and notes them in all runs that remain.
    fn leave_out_missing(&mut self, obtain: impl Fn(&Cache, Toolset) -> Result<()>) {
        for request in &mut self.each {
            let cache = request.cache.clone();
            request.leave_out_missing(|set| obtain(&cache, set));
            self.missing.append(&mut request.missing);
        }
        self.each.retain(|request| request.cluster.is_some() || !request.storages.is_empty());
        for request in &mut self.each {
            request.missing.clone_from(&self.missing);
        }
    }

    /// Removes the results of earlier runs in these folders, so that they are not mistaken for those of this run if it fails.
    pub fn forget(&self) -> Result<()> {
        let folders = self.each.iter().map(|request| &request.out);
        folders.chain([&self.out]).try_for_each(|folder| report::forget(folder))
    }
}

/// One request per storage, or one for all of them if the experiment compares storages or runs on an existing cluster.
pub fn requests(experiment: &dyn Experiment, args: RunArgs) -> Result<Requests> {
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
    let tier = experiment.takes_tiers().then(|| TierRequest {
        kind: args.tier.unwrap_or(TierKind::Forebay),
        faults: if args.fault.is_empty() { experiment.default_faults().to_vec() } else { args.fault },
    });
    let server = tier.as_ref().and_then(|tier| tier.kind.server());
    let needs_daemon = storages.iter().chain(&server).any(|kind| *kind == StorageKind::Forebay);
    let daemon = needs_daemon.then(|| executable::daemon(args.daemon)).transpose()?;
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
        daemon: daemon.clone(),
        is_on_host: experiment.is_on_host(),
        tier: tier.clone(),
        kafka: args.kafka,
        missing: Vec::new(),
    });
    let each = each.collect();
    Ok(Requests { out, each, missing: Vec::new() })
}

/// The folder for results: the given one, or one named for the experiment, the storages and the time.
pub fn out_folder(named: Option<PathBuf>, what: &str, on: &str) -> Result<PathBuf> {
    let out = named.unwrap_or_else(|| {
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string().replace(':', "");
        PathBuf::from("lab-results").join(format!("{what}-{on}-{now}"))
    });
    std::path::absolute(&out).with_context(|| format!("resolve {}", out.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{KafkaVersion, Profile};

    fn request(storages: &[StorageKind]) -> Request {
        Request {
            experiment: "object-store".into(),
            storages: storages.to_vec(),
            cluster: None,
            profile: Profile::Laptop,
            repetitions: None,
            parts: Vec::new(),
            out: "/nowhere".into(),
            cache: Cache { folder: "/nowhere".into(), mirror: None },
            daemon: None,
            is_on_host: true,
            tier: None,
            kafka: KafkaVersion::default(),
            missing: Vec::new(),
        }
    }

    fn without_minio(_: &Cache, set: Toolset) -> Result<()> {
        if set == Toolset::Minio { bail!("there is no go") } else { Ok(()) }
    }

    #[test]
    fn a_server_that_cannot_be_had_is_left_out_and_named_in_the_other_results() {
        let each = vec![request(&[StorageKind::Forebay]), request(&[StorageKind::Minio])];
        let mut requests = Requests { out: "/nowhere".into(), each, missing: Vec::new() };
        requests.leave_out_missing(without_minio);
        let names: Vec<_> = requests.each.iter().map(Request::storage_names).collect();
        assert_eq!(names, ["forebay"]);
        assert_eq!(requests.each[0].missing, [("minio".to_owned(), "there is no go".to_owned())]);
    }

    #[test]
    fn a_comparison_goes_on_with_the_servers_that_there_are() {
        let each = vec![request(&[StorageKind::Garage, StorageKind::Minio, StorageKind::Forebay])];
        let mut requests = Requests { out: "/nowhere".into(), each, missing: Vec::new() };
        requests.leave_out_missing(without_minio);
        assert_eq!(requests.each[0].storage_names(), "garage,forebay");
        assert_eq!(requests.missing.len(), 1);
    }
}
