//! How the lab's program is found, and the reports of the lab that a daemon shows.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::daemon::Daemon;
use crate::http::User;

/// A result as `forebay lab run` writes it, with a page.
fn put_result(results: &Path, folder: &str, storage: &str, verdict: &str) {
    let folder = results.join(folder);
    fs::create_dir_all(&folder).unwrap();
    let result = json!({
        "format": 1, "experiment": "silly-rename", "storage": storage, "profile": "laptop", "verdict": verdict,
        "why": "Because <it> is so.", "started_at": "2026-11-22T20:00:00Z", "duration_ms": 61_000,
        "versions": {"kafka": "4.1.0"}, "settings": {"brokers": 4}, "figures": [], "measurements": [], "events": [], "lanes": [],
        "checks": [{"name": "alive", "title": "Every broker lives", "passed": verdict == "pass", "detail": "4 of 4"}],
        "series": [], "excerpts": [],
    });
    fs::write(folder.join("result.json"), result.to_string()).unwrap();
    let page = format!("<!DOCTYPE html><title>{storage}</title><p>Because &lt;it&gt; is so.</p>\n");
    fs::write(folder.join("report.html"), page).unwrap();
}

fn daemon_with(scratch: &TempDir, results: &Path) -> Daemon {
    Daemon::start_with(scratch.path(), &["--lab-results-directory", results.to_str().unwrap()])
}

fn of_folder<'a>(reports: &'a Value, folder: &str) -> &'a Value {
    reports["items"].as_array().unwrap().iter().find(|report| report["folder"] == folder).unwrap()
}

#[test]
fn reports_are_listed_and_their_pages_shown_without_a_script_or_an_origin() {
    let (scratch, results) = (tempdir().unwrap(), tempdir().unwrap());
    put_result(results.path(), "silly-rename-forebay", "forebay", "pass");
    put_result(results.path(), "silly-rename-knfsd", "knfsd-v3", "fail");
    fs::create_dir(results.path().join("broken")).unwrap();
    fs::write(results.path().join("broken/result.json"), "{\"format\": 1, \"exp").unwrap();
    let daemon = daemon_with(&scratch, results.path());
    let reader = User::with_role(&daemon, "read-only");

    let reports = reader.get("/lab/reports").body;
    assert_eq!((&reports["total"], &reports["problem"]), (&3.into(), &Value::Null), "{reports}");
    assert_eq!(reports["directory"], results.path().to_str().unwrap());
    assert!(of_folder(&reports, "broken")["problem"].as_str().unwrap().contains("cut off"));
    let report = of_folder(&reports, "silly-rename-knfsd");
    assert_eq!(
        (&report["runs"][0]["verdict"], &report["runs"][0]["checks_passed"]),
        (&"fail".into(), &0.into())
    );
    let place = format!("/lab/reports/{}", report["id"].as_str().unwrap());
    assert_eq!(reader.get(&place).body, *report);
    assert_eq!(reader.get("/lab/reports?limit=1").body["items"].as_array().unwrap().len(), 1);

    let page = reader.get(&format!("{place}/page"));
    assert!(page.body.as_str().unwrap().contains("Because &lt;it&gt; is so."), "{page:?}");
    let opened = reader.ask("POST", &format!("{place}/page"), None);
    assert_eq!(opened.status, 201, "{opened:?}");
    let nobody = User::of(&daemon, None);
    let path = opened.body["path"].as_str().unwrap();
    let shown = nobody.send_to("GET", path, "", "");
    assert_eq!((shown.status, &shown.body), (200, &page.body));
    for header in ["content-security-policy", "x-content-type-options", "referrer-policy", "cache-control"] {
        assert_eq!(shown.header(header), page.header(header), "{header}");
    }
    let policy = shown.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox; default-src 'none'"), "{policy}");
    assert!(!policy.contains("allow-") && !policy.contains("script"), "{policy}");

    let table = daemon.done(&["lab", "reports"]);
    assert!(table.lines().any(|line| line.contains("knfsd-v3") && line.contains("fail")), "{table}");
    let same: Value = serde_json::from_str(&daemon.done(&["lab", "reports", "--json"])).unwrap();
    assert_eq!(same["items"], reports["items"]);
    assert!(!daemon.log().contains(path), "a ticket is for nobody's log");
    daemon.stop();
}

#[test]
fn nothing_but_reports_is_shown_and_nothing_without_leave() {
    let (scratch, results) = (tempdir().unwrap(), tempdir().unwrap());
    put_result(results.path(), "in/one", "forebay", "pass");
    fs::write(results.path().join("secret.txt"), "secret").unwrap();
    let daemon = daemon_with(&scratch, &results.path().join("in"));
    let (reader, nobody) = (User::with_role(&daemon, "read-only"), User::of(&daemon, None));
    let id = reader.get("/lab/reports").body["items"][0]["id"].as_str().unwrap().to_owned();
    for (method, path) in [
        ("GET", "/lab/reports".to_owned()),
        ("GET", format!("/lab/reports/{id}/page")),
        ("POST", format!("/lab/reports/{id}/page")),
    ] {
        assert_eq!(nobody.ask(method, &path, None).code(), "token_missing", "{path}");
    }
    for wrong in ["0123456789abcdef", "..%2f..%2fsecret.txt", "%2e%2e"] {
        let refused = reader.get(&format!("/lab/reports/{wrong}/page"));
        assert_eq!((refused.status, refused.code()), (404, "lab_report_not_found"), "{wrong}");
    }
    let opened = reader.ask("POST", &format!("/lab/reports/{id}/page"), None);
    let path = opened.body["path"].as_str().unwrap();
    let ticket = path.strip_suffix("one/report.html").unwrap();
    for place in [
        "../secret.txt",
        "..%2fsecret.txt",
        "one/result.json",
        "one/../one/report.html",
        "%ff",
        "",
        "one//report.html",
    ] {
        let refused = nobody.send_to("GET", &format!("{ticket}{place}"), "", "");
        assert_eq!(refused.status, 404, "{place}: {refused:?}");
        assert!(!refused.body.to_string().contains("secret"), "{place}");
    }
    let other = path.replacen(|letter: char| letter.is_ascii_digit(), "x", 1);
    assert_eq!(nobody.send_to("GET", &other, "", "").status, 404);
    assert_eq!(nobody.send_to("GET", path, "", "").status, 200);
    daemon.stop();
}

#[test]
fn without_the_setting_and_without_the_directory_it_says_what_to_do() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    assert!(daemon.done(&["lab", "reports"]).contains("set lab.results_directory"));
    daemon.stop();
    let daemon = daemon_with(&scratch, &scratch.path().join("nothing"));
    let told = daemon.done(&["lab", "reports"]);
    assert!(told.contains("cannot be read") && told.contains("let the daemon's user read it"), "{told}");
    daemon.stop();
}

/// A copy of this program in a folder of its own, where the lab's program is not.
struct Alone {
    folder: TempDir,
    program: PathBuf,
}

impl Alone {
    fn new() -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_forebay"));
        let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let own = folder.path().join("forebay");
        fs::hard_link(program, &own).unwrap();
        Self { program: own, folder }
    }

    fn run(&self, search_path: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("PATH", search_path).env_remove("FOREBAY_LAB_DAEMON").output().unwrap()
    }
}

/// A program in place of the lab's: says what it was started with, and exits with status 4.
fn put_lab(folder: &Path) {
    let path = folder.join("forebay-lab");
    fs::write(&path, "#!/bin/sh\necho \"$0|$FOREBAY_LAB_DAEMON|$*\"\nexit 4\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_labs_program_is_run_with_the_same_words_and_exit_status() {
    let (alone, elsewhere) = (Alone::new(), tempdir().unwrap());
    put_lab(elsewhere.path());
    let said = |folder: &Path, words: &str| {
        format!("{}|{}|{words}\n", folder.join("forebay-lab").display(), alone.program.display())
    };
    let found = alone.run(elsewhere.path(), &["lab", "run", "--out", "reports", "--", "-x"]);
    assert_eq!(String::from_utf8_lossy(&found.stdout), said(elsewhere.path(), "run --out reports -- -x"));
    assert_eq!(found.status.code(), Some(4));
    // The one beside this program comes first.
    put_lab(alone.folder.path());
    for words in [&["--help"][..], &["help", "run"], &["guest", "--help"], &[]] {
        let found = alone.run(elsewhere.path(), &[&["lab"], words].concat());
        assert_eq!(String::from_utf8_lossy(&found.stdout), said(alone.folder.path(), &words.join(" ")));
    }
    let own = alone.run(elsewhere.path(), &["lab", "reports", "--help"]);
    assert!(String::from_utf8_lossy(&own.stdout).contains("Usage: forebay lab reports"), "{own:?}");
}

#[test]
fn completions_have_the_labs_commands_as_the_labs_program_describes_them() {
    let alone = Alone::new();
    let described = r#"{"name": "forebay-lab", "about": null, "arguments": [], "commands": [{"name": "run", "about": "Run it",
        "arguments": [{"id": "profile", "long": "profile", "short": null, "help": "Sizes", "takes_value": true, "is_path": false,
        "values": ["laptop", "full"]}], "commands": []}]}"#;
    let path = alone.folder.path().join("forebay-lab");
    fs::write(&path, format!("#!/bin/sh\necho '{described}'\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let offered = |search_path: &str, words: &[&str]| {
        crate::completion::offered(&alone.program, Some(Path::new(search_path)), words)
    };
    assert_eq!(offered("/bin:/usr/bin", &["lab", ""]), ["reports", "run", "help"]);
    assert_eq!(offered("/bin:/usr/bin", &["lab", "run", "--profile", ""]), ["laptop", "full"]);
    fs::remove_file(&path).unwrap();
    assert_eq!(offered("/nowhere", &["lab", "r"]), ["reports"]);
}

#[test]
fn without_the_labs_program_it_says_where_it_looked_and_how_to_get_it() {
    let (alone, elsewhere) = (Alone::new(), tempdir().unwrap());
    let refused = alone.run(elsewhere.path(), &["lab", "run", "silly-rename"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    for part in ["forebay-lab", alone.folder.path().to_str().unwrap(), "PATH", "make build", "Debian package"]
    {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let help = alone.run(elsewhere.path(), &["--help"]);
    assert!(String::from_utf8_lossy(&help.stdout).contains("lab"), "{help:?}");
    let help = alone.run(elsewhere.path(), &["help", "lab"]);
    assert!(String::from_utf8_lossy(&help.stdout).contains("forebay lab --help"), "{help:?}");
}
