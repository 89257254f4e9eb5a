//! `object-store`: does an object store do what tiered storage needs? Test T1 of the report on tiered storage.
//!
//! The AWS SDK for Java, with its default settings, puts, reads, overwrites, lists and deletes objects as tiering does, and compares
//! every byte. The checks decide the verdict; the latencies are shown.

use std::collections::BTreeMap;

use anyhow::Result;

use super::definition::Experiment;
use crate::cluster::{Checked, Distribution, Kind, ObjectsTool, StoreAddress};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Axis, CurveSpec, Recorder, Subject};
use crate::request::{Request, StorageKind};
use crate::storage::{self, ObjectStore};

/// The experiment.
pub struct ObjectStoreCheck;

const LATENCY: &str = "object_latency";
const MEBIBYTE: f64 = 1048576.0;

impl Experiment for ObjectStoreCheck {
    fn name(&self) -> &'static str {
        "object-store"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "An object store for tiered storage",
            question: "Does the object store answer every request of tiered storage, with exactly the bytes that were written?",
            method: "The AWS SDK for Java, version 2, with its default settings, puts log segments of 1 to 64 MiB with their indexes, reads \
                     them whole and in ranges, replaces an object while others read it, writes on conditions, uploads in parts, deletes, \
                     lists thousands of keys, and lets several brokers tier at the same time. Every byte that is read is compared with \
                     what was written. Answers that S3 prescribes, such as those to refused requests, are compared too.",
        }
    }

    fn is_on_host(&self) -> bool {
        true
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay || kind.is_object_store()
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let kind = request.storage()?;
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        recorder.stage("server");
        let store = storage::start_object_store(kind, environment)?;
        describe(&store, recorder);
        recorder.begin("server", "serving", Tone::Good);
        let tool = ObjectsTool::new(kafka, environment.logs(), environment.state_folder().to_owned());
        let checked = tool.check(&address_of(&store), request.profile, |part| {
            recorder.stage(part);
            if let Some(resident) = store.resident() {
                recorder.point("Server's memory", "MB", resident as f64 / 1e6);
            }
        })?;
        recorder.version("AWS SDK for Java", &checked.sdk);
        recorder.setting("sizes", checked.sizes.as_str());
        recorder.stage("result");
        report(&checked, kind, recorder);
        store.stop()?;
        let count: u64 = checked.cases.iter().map(|case| case.checked).sum();
        Ok(format!("{kind} held in all {count} checks of {} cases", checked.cases.len()))
    }
}

/// Records how a store was started, and its versions.
pub fn describe(store: &ObjectStore, recorder: &Recorder) {
    for (name, version) in &store.versions {
        recorder.version(name, version);
    }
    let how = store.command.as_deref().unwrap_or("the lab did not start it");
    recorder.setting(&format!("server of {}", store.kind), how);
    recorder.event(Tone::Plain, format_args!("{} answers at {}", store.kind, store.endpoint));
}

/// The address of a store, for the tool.
pub fn address_of(store: &ObjectStore) -> StoreAddress {
    StoreAddress {
        name: store.kind.name(),
        endpoint: store.endpoint.clone(),
        region: store.region.clone(),
        access_key: store.key.id.clone(),
        secret_key: store.key.secret.clone(),
        pid: store.pid(),
    }
}

fn report(checked: &Checked, kind: &StorageKind, recorder: &Recorder) {
    let of_kind = |title: &str, name: &str, wanted: Kind| {
        let cases = checked.cases.iter().filter(|case| case.kind == wanted);
        let (count, failed) =
            cases.fold((0, 0), |(count, failed), case| (count + case.checked, failed + case.failed));
        recorder.check(name, title, failed == 0 && count > 0, format_args!("{} of {count}", count - failed));
    };
    of_kind("Every byte that is read is the one that was written", "contents", Kind::Content);
    of_kind("Every operation is answered", "answered", Kind::Answer);
    for (group, failures) in by_group(checked) {
        let title = format!("Answers are those of S3: {group}");
        let detail = if failures.is_empty() { "all".to_owned() } else { failures.join("; ") };
        recorder.check(&format!("group_{group}"), &title, failures.is_empty(), detail);
    }
    recorder.curve(CurveSpec {
        drawing: LATENCY.into(),
        title: "Latency by mean size, from the median to the 99th percentile".into(),
        x: Axis::log("Mean size", "MiB"),
        y: Axis::log("Median latency", "ms"),
        references: Vec::new(),
    });
    for operation in &checked.operations {
        let (key, title) = (operation.name.replace([' ', '-'], "_"), &operation.name);
        let name = |end: &str| format!("{key}_{end}");
        recorder.figure(&name("count"), &format!("{title}: answered"), operation.count as f64, "");
        recorder.figure(&name("p50_ms"), &format!("{title}: p50"), operation.p50_ms, "ms");
        recorder.figure(&name("p99_ms"), &format!("{title}: p99"), operation.p99_ms, "ms");
        if operation.bytes > 0 && operation.count > 0 {
            recorder.figure(
                &name("mb_per_s"),
                &format!("{title}: one at a time"),
                operation.mb_per_s,
                "MB/s",
            );
            let size = operation.bytes as f64 / operation.count as f64 / MEBIBYTE;
            let (p50, p99) = (operation.p50_ms, operation.p99_ms);
            recorder.curve_point_spread(LATENCY, &kind.name(), size, p50, p50, p99);
        }
    }
    let repeated = checked.requests_repeated as f64;
    recorder.figure("requests_repeated", "Requests that the SDK sent again", repeated, "");
}

/// The failures of each group, by the group's name; also groups without any.
fn by_group(checked: &Checked) -> BTreeMap<&str, Vec<String>> {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for case in &checked.cases {
        let failures = groups.entry(&case.group).or_default();
        if case.failed > 0 {
            failures.push(format!(
                "{} ({} of {}): {}",
                case.title,
                case.failed,
                case.checked,
                case.details.join(", ")
            ));
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::Verdict;

    fn checked(failed: u64) -> Checked {
        serde_json::from_value(serde_json::json!({
            "sdk": "2", "sizes": "", "requests_repeated": 0,
            "cases": [
                {"group": "list", "kind": "answer", "title": "list: list is answered", "checked": 4, "failed": 0, "details": []},
                {"group": "list", "kind": "rule", "title": "list: all", "checked": 4, "failed": failed, "details": ["number 3"]},
                {"group": "put", "kind": "content", "title": "put: get returns", "checked": 2, "failed": 0, "details": []},
            ],
            "operations": [
                {"name": "get range", "count": 2, "bytes": 2_097_152, "p50_ms": 3.0, "p99_ms": 4.0, "mb_per_s": 300.0},
            ],
        }))
        .unwrap()
    }

    fn result(failed: u64) -> crate::report::RunResult {
        let recorder = Recorder::new(Progress::silent());
        report(&checked(failed), &StorageKind::Minio, &recorder);
        recorder.finish("object-store", "minio", "laptop", "all is well")
    }

    #[test]
    fn a_store_passes_if_every_case_held() {
        let result = result(0);
        assert_eq!(result.verdict, Verdict::Pass);
        let names: Vec<_> = result.checks.iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names, ["contents", "answered", "group_list", "group_put"]);
        assert_eq!(result.curves[0].lines[0].points[0].x, 1.0);
    }

    #[test]
    fn a_case_that_failed_once_is_named() {
        let result = result(1);
        assert_eq!((result.verdict, result.why.as_str()), (Verdict::Fail, "list: all (1 of 4): number 3"));
    }

    #[test]
    fn a_check_that_compared_nothing_does_not_pass() {
        let recorder = Recorder::new(Progress::silent());
        let mut empty = checked(0);
        empty.cases.retain(|case| case.kind != Kind::Content);
        report(&empty, &StorageKind::Minio, &recorder);
        assert_eq!(recorder.finish("object-store", "minio", "laptop", "").verdict, Verdict::Fail);
    }
}
