//! Flags, environment, configuration file: what counts, and how mistakes are refused.

use std::path::{Path, PathBuf};

use tempfile::tempdir;

use crate::daemon::{assert_refused, finish, forebay, run};

fn write(directory: &Path, text: &str) -> PathBuf {
    let path = directory.join("forebay.toml");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn the_printed_default_is_accepted() {
    let scratch = tempdir().unwrap();
    let printed = run(&["config", "init"]);
    let path = write(scratch.path(), &printed.stdout);
    let checked = finish(forebay().args(["config", "check"]).arg(&path));
    assert_eq!(checked.status, 0, "{checked:?}");
    assert_eq!(checked.stdout, format!("{}: ok\n", path.display()));
}

#[test]
fn a_wrong_key_is_refused_with_file_line_key_and_the_right_one() {
    let scratch = tempdir().unwrap();
    let path = write(scratch.path(), "[nfs]\nlease_second = 30\n");
    for arguments in [["config", "check"], ["serve", "--config"]] {
        let refused = finish(forebay().args(arguments).arg(&path));
        let line = format!("{}:2: unknown key `nfs.lease_second`", path.display());
        assert_refused(&refused, 2, &[&line, "did you mean `lease_seconds`?"]);
    }
}

#[test]
fn a_wrong_value_is_refused_with_its_origin() {
    let scratch = tempdir().unwrap();
    let path = write(scratch.path(), "[nfs]\nlisten = \"somewhere\"\n");
    let refused = finish(forebay().args(["serve", "--config"]).arg(&path));
    assert_refused(&refused, 2, &[":2: nfs.listen: `somewhere` is not an address", "0.0.0.0:2049"]);

    let refused = run(&["serve", "--nfs-listen", "2049"]);
    assert_refused(&refused, 2, &["--nfs-listen: `2049` is not an address"]);

    let refused = finish(forebay().arg("serve").env("FOREBAY_POOL_SIZE_MAX", "12XB"));
    assert_refused(&refused, 2, &["FOREBAY_POOL_SIZE_MAX: `12XB` is not a size", "500GiB"]);

    let refused = run(&["serve", "--nfs-lease-seconds", "60"]);
    assert_refused(&refused, 2, &["nfs.grace_seconds is 45", "nfs.lease_seconds (60)"]);
}

#[test]
fn a_missing_file_is_refused_with_what_to_do() {
    let refused = run(&["serve", "--config", "/nowhere/forebay.toml"]);
    assert_refused(&refused, 2, &["/nowhere/forebay.toml", "forebay config init"]);
}

#[test]
fn flags_beat_the_environment_which_beats_the_file() {
    let scratch = tempdir().unwrap();
    let path = write(scratch.path(), "[pool]\ndirectory = \"/from-file\"\n");
    let socket_of = |command: &mut std::process::Command| {
        let failed = finish(command.args(["volume", "list", "--config"]).arg(&path));
        assert_eq!(failed.status, 1);
        failed.stderr
    };
    assert!(socket_of(&mut forebay()).contains("/from-file/admin.sock"));
    let environment = ("FOREBAY_POOL_DIRECTORY", "/from-environment");
    let by_environment = socket_of(forebay().env(environment.0, environment.1));
    assert!(by_environment.contains("/from-environment/admin.sock"), "{by_environment}");
    let mut command = forebay();
    command.args(["volume", "list", "--pool-directory", "/from-flag", "--config"]).arg(&path);
    let by_flag = finish(command.env(environment.0, environment.1)).stderr;
    assert!(by_flag.contains("/from-flag/admin.sock"), "{by_flag}");
}

#[test]
fn wrong_command_lines_exit_with_2() {
    for arguments in [&["serve", "--no-such-flag"][..], &["volume"], &["no-such-command"]] {
        assert_eq!(run(arguments).status, 2, "{arguments:?}");
    }
    let refused = run(&["volume", "create", "logs", "--owner", "kafka"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("write UID:GID as numbers"), "{}", refused.stderr);
}
