//! The support bundle: what is in it, with and without a daemon, and what never is.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, run};

/// The files of a bundle.
fn unpacked(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(path).unwrap()));
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let name =
            entry.path().unwrap().strip_prefix("forebay-support").unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (name, bytes)
    });
    entries.collect()
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn a_bundle_of_a_running_daemon_has_what_support_needs_and_no_secret() {
    let scratch = tempdir().unwrap();
    let (certificate, key) = (scratch.path().join("server.pem"), scratch.path().join("server.key"));
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    // Somebody has put the key where the bundle looks: it must be taken out there, too.
    let secret_key = made.signing_key.serialize_pem();
    std::fs::write(&key, &secret_key).unwrap();
    let pool = scratch.path().join("pool");
    let commented: String = secret_key.lines().map(|line| format!("# {line}\n")).collect();
    let file = scratch.path().join("forebay.toml");
    let settings = format!(
        "[pool]\ndirectory = {pool:?}\n[api]\ntls_certificate = {certificate:?}\ntls_key = {key:?}\n[log]\nlevel = '''debug'''\n"
    );
    std::fs::write(&file, &settings).unwrap();
    let daemon = Daemon::start_with(scratch.path(), &["--config", file.to_str().unwrap()]);
    daemon.done(&["volume", "create", "orders"]);
    let token: Value = serde_json::from_str(&daemon.done(&["token", "create", "-o", "json"])).unwrap();
    let token = token["secret"].as_str().unwrap();
    // The same in a file that the bundle takes as it is.
    std::fs::write(&file, format!("{settings}# {token}\n{commented}")).unwrap();

    let bundle = scratch.path().join("bundle.tar.gz");
    let arguments = [
        "support",
        "bundle",
        "--config",
        file.to_str().unwrap(),
        "-o",
        "json",
        "--file",
        bundle.to_str().unwrap(),
    ];
    let finished = run(&arguments);
    assert_eq!(finished.status, 0, "{finished:?}");
    assert_eq!(std::fs::metadata(&bundle).unwrap().permissions().mode() & 0o777, 0o600);
    let files = unpacked(&bundle);
    for (name, bytes) in &files {
        assert!(!contains(bytes, token.rsplit('_').next().unwrap().as_bytes()), "{name} has the token");
        for line in secret_key.lines().filter(|line| !line.starts_with("-----")) {
            assert!(!contains(bytes, line.as_bytes()), "{name} has the key");
        }
    }
    assert!(contains(&files["configuration-file.toml"], b"[removed]"));

    let volumes: Value = serde_json::from_slice(&files["api/volumes.json"]).unwrap();
    assert!(
        volumes["items"].as_array().unwrap().iter().any(|volume| volume["name"] == "orders"),
        "{volumes}"
    );
    for (name, part) in [
        ("version.txt", "forebay "),
        ("api/health.json", "\"ok\""),
        ("api/events.json", "daemon_started"),
        ("api/pool.json", "\"id\""),
        ("api/metrics-history.json", "\"series\""),
        ("metrics.txt", "forebay_nfs_grace_period_active"),
        ("host/memory.txt", "MemTotal"),
        ("host/processors.txt", "processors: "),
        ("process/limits.txt", "Max open files"),
        ("pool/format.txt", "forebay-pool"),
        ("pool/files.txt", "segments: "),
        ("pool/file-system.txt", "free for the daemon: "),
    ] {
        let bytes = files.get(name).unwrap_or_else(|| panic!("there is no {name}: {}", finished.stdout));
        assert!(contains(bytes, part.as_bytes()), "{part:?} is not in {name}");
    }
    // The listing says what there is.
    let listing: Value = serde_json::from_str(&finished.stdout).unwrap();
    let listed =
        |name: &str| listing["entries"].as_array().unwrap().iter().any(|entry| entry["name"] == name);
    assert!(files.keys().all(|name| name == "README.txt" || listed(name)), "{listing}");
    // S3 is off, which is not a gap in the bundle.
    let missing = listing["missing"].as_array().unwrap();
    assert!(missing.iter().all(|file| !file["name"].as_str().unwrap().starts_with("api/")), "{listing}");
    assert!(contains(&files["README.txt"], b"api/volumes.json"));
    daemon.stop();
}

#[test]
fn without_a_daemon_and_with_a_wrong_configuration_a_bundle_has_what_can_be_had() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let pool = daemon.pool.clone();
    daemon.stop();
    let bundle = scratch.path().join("down.tar.gz");
    let of_pool =
        ["support", "bundle", "--pool-directory", pool.to_str().unwrap(), "--file", bundle.to_str().unwrap()];
    let finished = run(&of_pool);
    assert_eq!(finished.status, 0, "{finished:?}");
    let files = unpacked(&bundle);
    assert!(
        files.contains_key("pool/files.txt") && !files.contains_key("api/health.json"),
        "{:?}",
        files.keys()
    );
    assert!(contains(&files["README.txt"], b"no daemon listens on"));
    // One that is there is not written over.
    assert_refused(&run(&of_pool), 1, &["down.tar.gz", "--file FILE"]);

    let wrong = scratch.path().join("forebay.toml");
    std::fs::write(&wrong, "[nfs]\nlisen = \"0.0.0.0:2049\"\n").unwrap();
    let bundle = scratch.path().join("wrong.tar.gz");
    let finished =
        run(&["support", "bundle", "--config", wrong.to_str().unwrap(), "--file", bundle.to_str().unwrap()]);
    assert_eq!(finished.status, 0, "{finished:?}");
    let files = unpacked(&bundle);
    assert!(contains(&files["README.txt"], b"did you mean `listen`?"));
    assert!(contains(&files["configuration-file.toml"], b"lisen"));
}
