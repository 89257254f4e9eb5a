//! Layers within a crate: which of its folders may use which, and how large a circle of modules may be.
//!
//! The folders of a crate's `src` are *floors*, listed from the ground up. A module may use its own floor and those below.
//! Within and across floors, modules that use each other in a circle can be understood, tested and changed only together, so the
//! largest circle is limited. For circles a module is a file or a folder directly below a floor, with everything in it.
//!
//! What counts is an import or a path in the code (`use crate::…`, `crate::a::b`, `super::c`). Calls of methods do not count, nor
//! does anything that is compiled for tests only. To put another crate on floors, list them in [`CRATES`].

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{Modules, Names, Sources};

/// The rule for one crate.
pub struct Rule {
    /// The crate's folder below `crates`.
    pub crate_folder: &'static str,
    /// The folders and files of `src`, the ground floor first. Empty: the crate has no floors yet, and is not checked.
    pub floors: &'static [&'static str],
    /// Uses of a higher floor that are accepted: the file below `src`, the module that it uses, and why.
    pub exceptions: &'static [(&'static str, &'static str, &'static str)],
    /// Modules in the largest circle.
    pub circle_max: usize,
}

pub const CRATES: &[Rule] = &[
    Rule {
        crate_folder: "pool",
        floors: &[
            "base",    // errors, the interface's types, counters, locks, time
            "format",  // what bytes on the disk mean
            "salvage", // reads segments by their format alone, for a pool that is lost
            "store",   // the metadata store, segments, the pool's directory
            "parts",   // what an open pool keeps in memory
            "engine",  // all parts together; transactions
            "data",    // bytes of files
            "tree",    // directories, names, attributes
            "volumes", // volumes, snapshots, clones
            "buckets", // tables of entries that own content
            "upkeep",  // checking, scrubbing, cleaning, freeing
            "backup",  // backups and restores
            "opening", // from a directory to an open pool
            "pool",    // the interface
        ],
        exceptions: &[],
        circle_max: 8,
    },
    Rule {
        crate_folder: "nfs",
        floors: &[
            "status",       // the pool's errors as NFS statuses
            "statistics",   // counters
            "memory",       // the memory that is kept for clients
            "identity",     // users and groups
            "protection",   // how TLS protects a connection
            "referral",     // paths of other servers
            "policy",       // export policies
            "error",        // why a server cannot start
            "config",       // how a server behaves
            "connection",   // one TCP connection: replies, calls to the client, TLS
            "tree",         // filehandles, the tree down to the volumes
            "state",        // clients, leases, opens, locks
            "session",      // sessions, slots, the back channel
            "replies",      // outcomes of operations that survive a restart
            "inspect",      // paths of open files
            "shared",       // all parts together
            "counters",     // a snapshot of all counters
            "housekeeping", // the regular work
            "trace",        // spans of COMPOUNDs
            "fs",           // objects, names, attributes, permissions
            "compound",     // the context of one COMPOUND
            "gate",         // what export policies allow an operation
            "throttle",     // throughput limits on operations
            "ops",          // one file for each operation
            "dispatch",     // the operations of a COMPOUND, in order
            "rpc",          // requests on connections
            "server",       // binds, runs, stops
        ],
        exceptions: &[],
        circle_max: 4,
    },
    Rule {
        crate_folder: "s3",
        floors: &[
            "errors",           // errors that the library has no name for
            "clock",            // times in milliseconds
            "percent",          // percent-encoding
            "host",             // the bucket in the name of the host
            "error_document",   // error documents as AWS writes them
            "names",            // what buckets and keys may be called
            "limits",           // how often a limit on clients was reached
            "memory",           // what requests may keep in memory, charged to clients
            "checksum",         // checksums of bodies and of objects in parts
            "facts",            // what is stored with objects, uploads and parts
            "copy_source",      // the header that names the source of a copy
            "conditions",       // If-Match and its like
            "range",            // ranges of bytes
            "records",          // the record batches of a log segment
            "pieces",           // reads contents piece by piece
            "file_copy",        // copies a file into a draft
            "configuration",    // settings of buckets
            "listing",          // pages of listings
            "not_built",        // what is refused, and why
            "lenient",          // headers that AWS reads leniently
            "impossible",       // requests that no operation has
            "guard",            // refuses what the library would wrongly obey
            "held",             // responses, which keep their memory
            "pool_error",       // errors of the pool as S3 errors
            "throttle",         // throughput limits of buckets
            "store",            // the tables of a bucket, and the rules of versions
            "statistics",       // counters
            "shared",           // what all requests share
            "counters",         // a snapshot of all counters
            "exchange",         // what becomes known of one request, and what is done with it
            "cross_origin",     // preflights, and headers for other origins
            "auth",             // users, keys, policies, the gate
            "manage",           // buckets, as those who run the server manage them
            "key_expiry",       // reports expired access keys
            "cleaning",         // removes the parts of ended uploads
            "lifecycle_worker", // removes what lifecycle rules say
            "ops",              // one file for each operation, or for a few that belong together
            "reference",        // the reference page of operations
            "server",           // the HTTP service
        ],
        exceptions: &[],
        circle_max: 4,
    },
    Rule {
        crate_folder: "admin",
        floors: &[
            "base",         // paths, the current request's id, problems of a request, strict JSON
            "efficiency",   // how much less is stored than files have
            "object_store", // what a bucket costs
            "views",        // the types of request and response bodies
            "error",        // errors as the API reports them
            "traces",       // spans for OpenTelemetry
            "kafka",        // the last report about Kafka, and who holds .lock
            "metrics",      // metrics for Prometheus
            "health",       // the table of health rules, and the alerts that it makes
            "history",      // the metrics of the last month, in memory
            "dashboards",   // Grafana dashboards, generated
            "lab",          // reports of the lab's experiments
            "console",      // the files of the web console
            "watch",        // reports refused NFS clients as events
            "api",          // everything that requests work on
            "caller",       // who makes a request, and what that user may do
            "access",       // the id, the span and the log line of a request
            "request",      // extractors of query, path and body
            "openapi",      // completes the OpenAPI document
            "handlers",     // one file for each family of resources
            "router",       // all routes
        ],
        exceptions: &[],
        circle_max: 4,
    },
    Rule {
        crate_folder: "forebay",
        floors: &[
            "config",     // the settings, and the sources of their values
            "arguments",  // arguments that several commands share
            "output",     // what commands print
            "lab",        // runs the lab, a program of its own
            "admin",      // the client of a daemon's API
            "traces",     // spans for a collector of OpenTelemetry
            "logging",    // the daemon's log
            "commands",   // the commands, a folder or file for each family
            "remote",     // the lab's command that asks a daemon
            "cli",        // the command line: all commands together
            "completion", // completes words of the command line in a shell
            "reference",  // the pages that are generated from all of this
        ],
        exceptions: &[],
        circle_max: 4,
    },
    Rule {
        crate_folder: "lab",
        floors: &[
            "exec",       // runs programs
            "executable", // which program is the lab, and which the daemon
            "output",     // what is printed
            "progress",   // what is shown meanwhile
            "wire",       // messages between processes of the lab
            "toolbox",    // downloads and unpacked packages
            "report",     // results, tables, pages
            "request",    // what the command line asks for
            "agent",      // runs in a guest
            "host",       // guests, networks, processes on this machine
            "probe",      // small programs that run beside or instead of brokers
            "cluster",    // Kafka
            "storage",    // what brokers keep their logs on
            "testbed",    // a storage, guests and brokers together
            "experiment", // what is measured
            "client",     // a guest for a person
            "run",        // experiments in turn
            "command",    // the command line
        ],
        exceptions: &[],
        circle_max: 4,
    },
];

/// One module uses another: the place, and what it names there.
type Edges = BTreeMap<(String, String), String>;

/// Returns what breaks the rule in a crate with these sources, a sentence or two for each.
pub fn violations(rule: &Rule, sources: &Sources) -> Vec<String> {
    if rule.floors.is_empty() {
        return Vec::new();
    }
    let modules = Modules::read(sources);
    let mut wrong = misplaced(rule, &modules);
    wrong.extend(upward_uses(rule, &modules));
    wrong.extend(circle_too_large(rule, &edges(&modules)));
    wrong
}

/// Top-level modules that the table does not list, and floors that do not exist.
fn misplaced(rule: &Rule, modules: &Modules) -> Vec<String> {
    let there: BTreeSet<&str> =
        modules.0.keys().filter(|path| path.len() == 1).map(|path| path[0].as_str()).collect();
    let listed: BTreeSet<&str> = rule.floors.iter().copied().collect();
    let unlisted =
        there.difference(&listed).map(|name| format!("{name} is on no floor of {}", rule.crate_folder));
    let empty = listed.difference(&there).map(|name| format!("{} has no {name}", rule.crate_folder));
    unlisted.chain(empty).collect()
}

fn upward_uses(rule: &Rule, modules: &Modules) -> Vec<String> {
    let floor =
        |path: &[String]| rule.floors.iter().position(|name| Some(*name) == path.first().map(String::as_str));
    let mut wrong = Vec::new();
    let mut needed = BTreeSet::new();
    for (path, target, place) in uses(modules) {
        if floor(&path).is_none_or(|own| floor(&target).is_none_or(|used| used <= own)) {
            continue;
        }
        let (file, used) = (&modules.0[&path].file, target.join("::"));
        match rule.exceptions.iter().position(|(from, to, _)| from == file && *to == used) {
            Some(exception) => {
                needed.insert(exception);
            }
            None => wrong.push(format!(
                "{place}: {} is a floor above {}",
                target.first().map_or("", String::as_str),
                path.first().map_or("", String::as_str)
            )),
        }
    }
    let unneeded = rule.exceptions.iter().enumerate().filter(|(index, _)| !needed.contains(index));
    wrong
        .extend(unneeded.map(|(_, (from, to, _))| format!("nothing needs the exception of {from} for {to}")));
    wrong
}

/// Each use of one module by another: the modules' paths, and the place in words.
fn uses(modules: &Modules) -> Vec<(Names, Names, String)> {
    let mut found = Vec::new();
    for (path, module) in modules.0.iter().filter(|(path, _)| !path.is_empty()) {
        for place in &module.uses {
            let is_all_of_root = place.path.len() == 1 && place.path[0] == "*";
            let targets =
                if is_all_of_root { modules.homes_of_all(&[]) } else { [modules.home(&place.path)].into() };
            let words = format!("{}:{} uses {}", module.file, place.line, place.path.join("::"));
            let targets = targets.into_iter().filter(|target| !target.is_empty() && target != path);
            found.extend(targets.map(|target| (path.clone(), target, words.clone())));
        }
    }
    found
}

/// The uses among modules as circles count them.
fn edges(modules: &Modules) -> Edges {
    let shorten = |path: &[String]| path[..path.len().min(2)].join("::");
    let all = uses(modules).into_iter().map(|(from, to, place)| ((shorten(&from), shorten(&to)), place));
    all.filter(|((from, to), _)| from != to).collect()
}

fn circle_too_large(rule: &Rule, edges: &Edges) -> Option<String> {
    let circle = largest_circle(edges);
    if circle.len() <= rule.circle_max {
        return None;
    }
    let within = edges.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
    let ties: Vec<String> = within.map(|((from, to), place)| format!("  {from} -> {to}: {place}")).collect();
    let members: Vec<&str> = circle.iter().map(String::as_str).collect();
    Some(format!(
        "{}: a circle of {} modules, and at most {} may be one: {}\n{}",
        rule.crate_folder,
        circle.len(),
        rule.circle_max,
        members.join(", "),
        ties.join("\n")
    ))
}

/// The modules of the largest circle: each reaches every other. Empty if there is none.
fn largest_circle(edges: &Edges) -> BTreeSet<String> {
    let modules: BTreeSet<&str> = edges.keys().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        modules.iter().map(|module| (*module, reachable(edges, module))).collect();
    let circles = modules.iter().map(|module| {
        let both = reached[module].iter().filter(|other| reached[*other].contains(module));
        both.map(|other| (*other).to_owned()).collect::<BTreeSet<String>>()
    });
    circles.max_by_key(BTreeSet::len).unwrap_or_default()
}

/// What is used by the module, by what that uses, and so on. The module itself is among it only if it is in a circle.
fn reachable<'a>(edges: &'a Edges, module: &'a str) -> BTreeSet<&'a str> {
    let used_by = |module: &'a str| {
        let own = edges.keys().filter(move |(from, _)| from == module);
        own.map(|(_, to)| to.as_str())
    };
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&str> = used_by(module).collect();
    while let Some(next) = waiting.pop() {
        if reached.insert(next) {
            waiting.extend(used_by(next));
        }
    }
    reached
}

#[test]
fn modules_use_their_own_floor_and_those_below() {
    let files = super::files();
    let wrong: Vec<String> = CRATES
        .iter()
        .flat_map(|rule| {
            let folder = format!("crates/{}/src/", rule.crate_folder);
            let sources = files
                .iter()
                .filter_map(|file| Some((file.path.strip_prefix(&folder)?.to_owned(), file.text.clone())));
            let found = violations(rule, &sources.collect());
            found.into_iter().map(move |sentence| format!("{folder}{sentence}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A crate of three floors, with one file more.
fn small_crate(file: &str, text: &str) -> Sources {
    let mut sources: Sources = [
        ("lib.rs", "mod ground;\nmod middle;\nmod top;\npub use ground::Error;\npub use top::*;\n"),
        ("ground/mod.rs", "//! [`crate::top::Top`]\npub struct Error;\npub mod types;\n"),
        ("ground/types.rs", "use super::Error;\n// crate::top::Top\npub struct Word;\n"),
        ("middle/mod.rs", "pub mod one;\npub mod two;\npub mod three;\n"),
        ("middle/one.rs", "use crate::{Error, ground::types::{self, Word}};\npub struct One;\n"),
        (
            "middle/two.rs",
            "const TEXT: &str = \"crate::top::Top\";\n#[cfg(test)]\nmod tests { use crate::top::Top; }\n",
        ),
        (
            "middle/three.rs",
            "#[cfg(test)]\nuse crate::top::{self, Top};\npub fn done() { super::one::go() }\n",
        ),
        ("top.rs", "use crate::middle::{one::One, two};\npub struct Top;\n"),
    ]
    .map(|(file, text)| (file.to_owned(), text.to_owned()))
    .into();
    sources.insert(file.to_owned(), text.to_owned());
    sources
}

const SMALL: Rule =
    Rule { crate_folder: "small", floors: &["ground", "middle", "top"], exceptions: &[], circle_max: 2 };

#[test]
fn a_use_of_a_higher_floor_is_found_by_file_and_line() {
    assert_eq!(violations(&SMALL, &small_crate("middle/four.rs", "")), [] as [&str; 0]);
    let upward = [
        ("use crate::top::Top;\n", "crate::top::Top"),
        ("use crate::{\n    Error, Top,\n};\n", "Top"),
        ("fn make() -> crate::top::Top {}\n", "top::Top"),
        ("use super::super::top::Top as Other;\n", "top::Top"),
        ("use crate::*;\n", "*"),
        ("#[cfg(not(test))]\nuse crate::{ground::{Error, types::Word}, top};\n", "top"),
    ];
    for (text, named) in upward {
        let found = violations(&SMALL, &small_crate("middle/two.rs", text));
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let line = 1 + text.lines().position(|line| line.contains("op") || line.contains('*')).unwrap();
        let named = named.trim_start_matches("crate::");
        assert_eq!(found[0], format!("middle/two.rs:{line} uses {named}: top is a floor above middle"));
    }
}

#[test]
fn an_accepted_use_of_a_higher_floor_is_no_fault_until_it_is_gone() {
    const EXCEPTION: Rule = Rule { exceptions: &[("middle/two.rs", "top", "for this test")], ..SMALL };
    let sources = small_crate("middle/two.rs", "use crate::top::Top;\n");
    assert_eq!(violations(&EXCEPTION, &sources), [] as [&str; 0]);
    let gone = violations(&EXCEPTION, &small_crate("middle/two.rs", ""));
    assert_eq!(gone, ["nothing needs the exception of middle/two.rs for top"]);
}

#[test]
fn a_circle_that_is_too_large_is_found_with_its_members_and_ties() {
    let mut sources = small_crate("middle/two.rs", "use crate::middle::three::done;\n");
    sources.insert("middle/one.rs".to_owned(), "use super::two;\n".to_owned());
    let found = violations(&SMALL, &sources);
    assert_eq!(
        found,
        ["small: a circle of 3 modules, and at most 2 may be one: middle::one, middle::three, middle::two
  middle::one -> middle::two: middle/one.rs:1 uses middle::two
  middle::three -> middle::one: middle/three.rs:3 uses middle::one::go
  middle::two -> middle::three: middle/two.rs:1 uses middle::three::done"]
    );
    assert!(violations(&Rule { circle_max: 3, ..SMALL }, &sources).is_empty());
}

#[test]
fn a_folder_that_the_table_does_not_list_is_found() {
    let mut sources = small_crate("attic.rs", "");
    sources.insert("lib.rs".to_owned(), "mod attic;\nmod ground;\nmod middle;\n".to_owned());
    assert_eq!(violations(&SMALL, &sources), ["attic is on no floor of small", "small has no top"]);
}
