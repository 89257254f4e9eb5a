//! pjdfstest: tests the effect and the errors of each system call on files, for all cases that POSIX distinguishes.
//!
//! The program is from crates.io, compiled by the toolbox, and runs in a guest. [`EXCUSED`] lists the cases that a storage may fail, each
//! with the reason. Any other failure fails the check.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::{PATIENCE, PartContext, TARGET};
use crate::host::{Guest, GuestCommand};
use crate::report::Excerpt;
use crate::request::StorageKind;
use crate::toolbox::Toolset;

/// The features of the file system, and the resolution of its timestamps.
const CONFIGURATION: &str = "[features]\nposix_fallocate = {}\nrename_ctime = {}\nutime_now = {}\nutimensat = {}\n\
                             [settings]\nnaptime = 0.01\n";

/// The program runs twice. One case keeps an unlinked file open until the program ends, and as long as there is such a file, the client's
/// kernel does not remount the storage as read-only. So the cases that need a remount run separately.
const RUNS: [Run; 2] = [
    Run { configuration: "/run/pjdfstest.toml", remounts: false, pattern: &[] },
    Run { configuration: "/run/pjdfstest-remounts.toml", remounts: true, pattern: &["erofs"] },
];

/// One run of the program.
struct Run {
    configuration: &'static str,
    /// Whether it may mount the storage again as read-only, and back.
    remounts: bool,
    /// Parts of the names of the cases; empty for all cases.
    pattern: &'static [&'static str],
}

/// The users that the cases switch to. The guest gets its own list, because its `/etc` is the host's.
const PASSWD: &str =
    "root:x:0:0:root:/:/bin/sh\ntests:x:1001:1001::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n";
const GROUP: &str = "root:x:0:\ntests:x:1001:\nnobody:x:65534:\n";

/// A file system other than the storage, for operations that must fail across file systems.
const OTHER: &str = "/run/other";

/// Cases that fail although the storage is not at fault: their name, and the reason.
const EXCUSED: [(&str, &str); 0] = [];

/// In the second pass, all cases are repeated until the server has been killed this many times.
const KILLS_LEAST: u32 = 3;

/// How a case ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ended {
    Passed,
    Skipped(String),
    Failed(String),
}

/// Runs the part.
pub fn run(context: &PartContext<'_>) -> Result<()> {
    let tools = context.environment.tools_of(Toolset::Pjdfstest)?;
    context.recorder.version("pjdfstest", tools.version("pjdfstest")?);
    prepare(context.client)?;
    let suite = Suite { context, program: tools.path("bin/pjdfstest").to_string_lossy().into_owned() };
    let mut cases = BTreeMap::new();
    let mut again = 0;
    match context.kills {
        None => suite.run_all(&mut cases)?,
        Some(kills) => kills.through(KILLS_LEAST, || {
            let mut some = BTreeMap::new();
            suite.run_all(&mut some)?;
            again += suite.run_failed_again(&mut some)?;
            // A failure stays, even if a repetition passes.
            for (name, ended) in some {
                if !matches!(cases.get(&name), Some(Ended::Failed(_))) {
                    cases.insert(name, ended);
                }
            }
            Ok(())
        })?,
    }
    conclude(context, &cases, again);
    Ok(())
}

/// The program, and the context of its runs.
struct Suite<'a> {
    context: &'a PartContext<'a>,
    program: String,
}

impl Suite<'_> {
    fn run_all(&self, cases: &mut BTreeMap<String, Ended>) -> Result<()> {
        for run in &RUNS {
            let some = self.run_some(run, run.pattern)?;
            ensure!(!some.is_empty(), "pjdfstest ran no case; see logs/pjdfstest.log");
            cases.extend(some);
        }
        Ok(())
    }

    /// Runs failed cases once more, alone, and returns their number. If the server dies between an operation and its reply, the client
    /// sends the request again, and the case gets an error such as EEXIST. Only a reply cache on disk could prevent this.
    fn run_failed_again(&self, cases: &mut BTreeMap<String, Ended>) -> Result<usize> {
        let failed = |ended: &Ended| matches!(ended, Ended::Failed(_));
        let names: Vec<_> =
            cases.iter().filter(|(_, ended)| failed(ended)).map(|(name, _)| name.clone()).collect();
        // If the reply to an operation on a name was lost, the client trusts its older cache of that name for up to a minute.
        if !names.is_empty() {
            self.context.client.drop_caches()?;
        }
        for name in &names {
            let run =
                RUNS.iter().find(|run| run.remounts == name.contains("erofs")).context("no such run")?;
            // pjdfstest compares `--exact` with the whole path of a case, but prints the path without its beginning.
            let whole = format!("pjdfstest::tests::{name}");
            let again = self.run_some(run, &["--exact", whole.as_str()])?;
            ensure!(again.contains_key(name), "pjdfstest did not run {name} again");
            cases.extend(again);
        }
        Ok(names.len())
    }

    fn run_some(&self, run: &Run, pattern: &[&str]) -> Result<BTreeMap<String, Ended>> {
        let command = GuestCommand::new(&self.program)
            .args(["--configuration-file", run.configuration, "--path", TARGET, "--secondary-fs", OTHER])
            .args(pattern.iter().copied())
            .log(self.context.environment.logs().join("pjdfstest.log"));
        let output = self.context.client.exec(&command, PATIENCE)?;
        // 1 means that a case failed. With any other status the run is incomplete, and missing cases would not be noticed.
        ensure!(
            matches!(output.exit.code, Some(0 | 1)),
            "pjdfstest did not run to its end ({})",
            output.exit
        );
        Ok(parse(&output.stdout))
    }
}

fn prepare(guest: &Guest) -> Result<()> {
    guest.make_folder(OTHER)?;
    for (name, content) in [("passwd", PASSWD), ("group", GROUP)] {
        let own = format!("/run/etc/{name}");
        guest.write_file(&own, content.as_bytes())?;
        let bind = GuestCommand::new("mount").args(["--bind", &own, &format!("/etc/{name}")]);
        guest.run(&bind, PATIENCE).context("give the guest users of its own")?;
    }
    for run in &RUNS {
        let configuration = format!("{CONFIGURATION}allow_remount = {}\n", run.remounts);
        guest.write_file(run.configuration, configuration.as_bytes())?;
    }
    Ok(())
}

/// The output of the program: a line for each case, and lines below it that begin with a tab.
fn parse(printed: &str) -> BTreeMap<String, Ended> {
    let mut cases = BTreeMap::new();
    let mut last: Option<String> = None;
    for line in printed.lines() {
        if let Some(detail) = line.strip_prefix('\t') {
            let case = last.as_ref().and_then(|name| cases.get_mut(name));
            if let Some(Ended::Skipped(why) | Ended::Failed(why)) = case {
                *why = if why.is_empty() { detail.to_owned() } else { format!("{why}; {detail}") };
            }
            continue;
        }
        let Some((name, word)) = line.trim_end().rsplit_once(' ') else { continue };
        let ended = match word {
            "ok" => Ended::Passed,
            "skipped" => Ended::Skipped(String::new()),
            "FAILED" => Ended::Failed(String::new()),
            _ => continue,
        };
        let name = name.trim_end().to_owned();
        cases.insert(name.clone(), ended);
        last = Some(name);
    }
    cases
}

fn conclude(context: &PartContext<'_>, cases: &BTreeMap<String, Ended>, again: usize) {
    let count = |wanted: fn(&Ended) -> bool| cases.values().filter(|ended| wanted(ended)).count();
    let passed = count(|ended| matches!(ended, Ended::Passed));
    let skipped = count(|ended| matches!(ended, Ended::Skipped(_)));
    let failed: Vec<_> = cases
        .iter()
        .filter(|(name, ended)| matches!(ended, Ended::Failed(_)) && excuse(name).is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    let excused = cases.len() - passed - skipped - failed.len();
    let mut detail =
        format!("{passed} passed, {skipped} do not apply, {excused} excused, {} failed", failed.len());
    if context.kills.is_some() {
        detail = format!("{detail}; {again} were run twice");
    }
    if !failed.is_empty() {
        detail = format!("{detail}: {}", failed.join(", "));
    }
    // Failures of other storages are reported, but do not fail the experiment.
    let must = *context.kind == StorageKind::Forebay;
    context.check(
        "pjdfstest",
        "System calls and their errors (pjdfstest)",
        failed.is_empty() || !must,
        detail,
    );
    context.figure("pjdfstest_passed", "pjdfstest: cases passed", passed as f64, "");
    if context.kills.is_some() && failed.is_empty() {
        return;
    }
    let lines = cases.iter().map(|(name, ended)| told(name, ended)).collect();
    context.recorder.excerpt(Excerpt {
        title: match context.kills {
            None => "Cases of pjdfstest".into(),
            Some(_) => "Cases of pjdfstest, while the server is killed".into(),
        },
        file: "logs/pjdfstest.log".into(),
        lines,
        highlight: "FAILED".into(),
    });
}

fn excuse(name: &str) -> Option<&'static str> {
    EXCUSED.iter().find(|(excused, _)| *excused == name).map(|(_, reason)| *reason)
}

fn told(name: &str, ended: &Ended) -> String {
    match (ended, excuse(name)) {
        (Ended::Passed, _) => format!("{name}: passed"),
        (Ended::Skipped(why), _) => format!("{name}: does not apply ({why})"),
        (Ended::Failed(why), Some(reason)) => format!("{name}: excused ({reason}): {why}"),
        (Ended::Failed(why), None) => format!("{name}: FAILED: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_prints_is_understood() {
        let printed = "chmod::a      ok\nchmod::b \tx   skipped\n\trequires features: chflags\n\
                       open::c      FAILED\n\tassertion failed: x\n\tleft: 1\n\nSummary: 1 failed\n";
        let cases = parse(printed);
        assert_eq!(cases.len(), 3);
        assert_eq!(cases["chmod::a"], Ended::Passed);
        assert_eq!(cases["open::c"], Ended::Failed("assertion failed: x; left: 1".into()));
    }
}
