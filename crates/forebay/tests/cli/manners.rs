//! What all commands have in common: tables for spreadsheets, the order of names, hints after a wrong command line.

use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, finish, forebay};

/// The columns of a table for spreadsheets, and its rows.
fn table(csv: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let columns = rows.next().unwrap_or_default();
    (columns, rows.collect())
}

#[test]
fn every_list_is_a_table_for_spreadsheets() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    for name in ["b10", "b2"] {
        daemon.done(&["volume", "create", name, "--size", "5GB"]);
    }
    daemon.done(&["snapshot", "create", "b2,b10", "base"]);
    daemon.done(&["token", "create", "--description", "=1+1"]);

    let csv = daemon.done(&["volume", "list", "-o", "csv"]);
    let (columns, rows) = table(&csv);
    assert_eq!(columns[..3], ["name", "id", "export"], "{csv}");
    let size = columns.iter().position(|column| *column == "size").unwrap();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ["b2", "b10", "kafka"]);
    assert_eq!((rows[0][size], rows[2][size]), ("5000000000", ""), "bytes are numbers");
    assert!(columns.contains(&"snapshots.hourly"), "{csv}");

    for (command, column, rows_min) in [
        (&["volume", "show", "b2"][..], "path", 1),
        (&["volume", "traffic", "b2"], "read_rate", 0),
        (&["snapshot", "list"], "bytes_logical", 2),
        (&["snapshot", "list", "--space"], "frees_bytes", 2),
        (&["snapshot", "show", "b2@base"], "locked_until", 1),
        (&["export", "list"], "rules", 1),
        (&["export", "show", "default"], "access", 1),
        (&["export", "rule", "list", "default"], "clients", 1),
        (&["user", "list"], "role", 1),
        (&["token", "list"], "last_used", 1),
        (&["event", "list"], "message", 4),
        (&["config", "show"], "is_default", 10),
        (&["pool", "show"], "bytes_free", 1),
        (&["whoami"], "role", 1),
        (&["status"], "capacity.bytes_free", 1),
    ] {
        let csv = daemon.done(&[command, &["-o", "csv"]].concat());
        let (columns, _) = table(&csv);
        assert!(columns.contains(&column), "{command:?}: {csv}");
        assert!(csv.lines().count() > rows_min, "{command:?}: {csv}");
    }
    assert!(daemon.done(&["token", "list", "-o", "csv"]).contains(",'=1+1"), "a formula is text");
    for empty in
        [&["nfs", "clients"][..], &["nfs", "opens"], &["volume", "list", "--deleted"], &["job", "list"]]
    {
        assert_eq!(daemon.done(&[empty, &["-o", "csv"]].concat()), "", "{empty:?}");
    }
    daemon.stop();
}

#[test]
fn an_operator_sees_who_commands_are_and_what_one_object_is() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    assert_eq!(daemon.done(&["whoami"]), "local with role admin\n");
    let create = ["user", "create", "olga", "--role", "operator"];
    assert_eq!(daemon.done(&create), "created user olga with role operator\n");
    assert_refused(&daemon.run(&create), 1, &["user olga: already exists", "forebay user set olga"]);
    let token = daemon.done(&["token", "create", "--user", "olga"]);
    let (server, token) = (daemon.api(), token.trim().to_owned());
    let asked = finish(forebay().args(["whoami", "--server", &server, "--token", &token]));
    assert_eq!((asked.status, &asked.stdout[..]), (0, "olga with role operator\n"), "{asked:?}");

    daemon.done(&["snapshot", "create", "kafka", "base", "--expires", "7d"]);
    let shown = daemon.done(&["snapshot", "show", "kafka@base"]);
    for part in ["kafka@base", "taken by", "manual", "locked until", "not locked", "clones", "none"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_refused(&daemon.run(&["snapshot", "show", "kafka@ghost"]), 1, &["not found"]);
    let rules = daemon.done(&["export", "rule", "list", "default"]);
    assert_eq!(rules, daemon.done(&["export", "show", "default"]));
    daemon.stop();
}

#[test]
fn a_wrong_command_line_is_answered_with_what_was_typed_and_a_way_on() {
    let directory = tempdir().unwrap();
    let run = |arguments: &[&str]| {
        finish(forebay().args(arguments).env("FOREBAY_POOL_DIRECTORY", directory.path()))
    };
    let usage = run(&["volume", "create"]);
    assert_eq!(usage.status, 2);
    assert!(usage.stderr.contains("Usage: forebay volume create <NAME>"), "{}", usage.stderr);
    let given = run(&["volume", "create", "--pool-directory", "/x"]);
    assert!(given.stderr.contains("volume create --pool-directory <DIR> <NAME>"), "{}", given.stderr);

    let verb = run(&["list"]);
    assert_eq!(verb.status, 2);
    for part in ["unrecognized subcommand 'list'", "`forebay volume list`", "`forebay status`"] {
        assert!(verb.stderr.contains(part), "{part}: {}", verb.stderr);
    }
}
