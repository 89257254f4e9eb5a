//! Hooks: programs that the operator provides.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use forebay_address::{Hook, HookError};
use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;

/// A hook that is a shell script.
struct Script {
    folder: TempDir,
    hook: Hook,
}

impl Script {
    fn new(commands: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let program = folder.path().join("hook.sh");
        // Another process writes the file: while this one has it open for writing, a program that another test starts would
        // inherit it, and the script could not be run.
        let mut install = Command::new("install")
            .args(["-m", "755", "/dev/stdin"])
            .arg(&program)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let script = format!("#!/bin/sh\ncd {}\n{commands}\n", folder.path().display());
        install.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        assert!(install.wait().unwrap().success());
        Self { folder, hook: Hook { program, timeout: Duration::from_secs(60) } }
    }

    fn program(&self) -> String {
        self.hook.program.display().to_string()
    }

    fn read(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.folder.path().join(file)).ok().filter(|text| text.ends_with('\n'))
    }

    /// A process id that the script writes to a file.
    async fn process(&self, file: &str) -> Pid {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(text) = self.read(file) {
                return Pid::from_raw(text.trim().parse().unwrap()).unwrap();
            }
            assert!(Instant::now() < deadline, "the script does not start");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// A process that nobody has waited for is a zombie, which counts as ended.
async fn has_ended(process: Pid) -> bool {
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).unwrap_or_default();
        if test_kill_process(process).is_err() || stat.contains(") Z ") {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_hook_gets_its_action_arguments_and_environment() {
    let script = Script::new("echo \"$*:$ADDRESS:$(cat)\" > called");
    script.hook.run("acquire", &["10.0.0.50", "a b"], &[("ADDRESS", "10.0.0.50/24@eth0")]).await.unwrap();
    assert_eq!(script.read("called").unwrap(), "acquire 10.0.0.50 a b:10.0.0.50/24@eth0:\n");
}

#[tokio::test]
async fn a_hook_that_fails_is_reported_with_its_last_line() {
    let script = Script::new("echo out; echo first >&2; printf 'no \\033[1mquorum\\n\\n' >&2; exit 7");
    let error = script.hook.run("fence", &[], &[]).await.unwrap_err();
    assert!(matches!(error, HookError::Failed { .. }));
    let line = format!(
        "hook `{} fence` failed with exit status 7: no [1mquorum; run it by hand to find out why",
        script.program()
    );
    assert_eq!(error.to_string(), line);

    let script = Script::new("echo only on standard output; kill -9 $$");
    let error = script.hook.run("fence", &[], &[]).await.unwrap_err().to_string();
    assert!(error.contains("failed with signal: 9 (SIGKILL): only on standard output; "), "{error}");

    let script = Script::new("exit 1");
    let error = script.hook.run("fence", &[], &[]).await.unwrap_err().to_string();
    assert!(error.contains("failed with exit status 1: it wrote nothing; "), "{error}");
}

#[tokio::test]
async fn a_hook_that_writes_a_lot_neither_blocks_nor_fills_memory() {
    let script = Script::new("yes x | head -c 3000000; yes y | tr -d '\\n' | head -c 3000000 >&2; exit 1");
    let error = script.hook.run("fence", &[], &[]).await.unwrap_err().to_string();
    assert!(error.contains(": yyyy"));
    assert!(error.len() < 5000, "{} bytes", error.len());
}

#[tokio::test]
async fn a_hook_that_hangs_is_killed_with_all_that_it_started() {
    let mut script = Script::new("sleep 1000 &\necho $! > child\necho waiting\nwait");
    script.hook.timeout = Duration::from_secs(2);
    let error = script.hook.run("release", &[], &[]).await.unwrap_err();
    assert!(matches!(error, HookError::TimedOut { .. }));
    let start = format!("hook `{} release` did not end within 2 s and was killed", script.program());
    assert!(error.to_string().starts_with(&start), "{error}");
    assert!(has_ended(script.process("child").await).await);
}

#[tokio::test]
async fn a_hook_that_is_not_awaited_any_more_is_killed_with_all_that_it_started() {
    let script = Script::new("sleep 1000 &\necho $! > child\nwait");
    let hook = script.hook.clone();
    let run = tokio::spawn(async move { hook.run("release", &[], &[]).await });
    let child = script.process("child").await;
    run.abort();
    assert!(has_ended(child).await);
}

#[tokio::test]
async fn what_a_hook_leaves_in_the_background_delays_nobody_and_stays() {
    let script = Script::new("sleep 1000 &\necho $! > child");
    let start = Instant::now();
    script.hook.run("acquire", &[], &[]).await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(30));
    let child = script.process("child").await;
    test_kill_process(child).unwrap();
    rustix::process::kill_process(child, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn a_program_that_cannot_be_run_is_found_early() {
    let check = |program: PathBuf| Hook { program, timeout: Duration::from_secs(1) }.check();
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("missing");
    let error = check(missing.clone()).unwrap_err();
    assert!(matches!(error, HookError::Missing { .. }));
    assert!(error.to_string().starts_with(&format!("hook {}: ", missing.display())), "{error}");

    let plain = folder.path().join("plain");
    fs::write(&plain, "#!/bin/sh\n").unwrap();
    let error = check(plain.clone()).unwrap_err();
    assert!(error.to_string().contains(&format!("`chmod +x {}`", plain.display())), "{error}");

    assert!(matches!(check(folder.path().to_owned()), Err(HookError::NotExecutable { .. })));
    assert!(matches!(check("hook.sh".into()), Err(HookError::NotAbsolute { .. })));
    check(Path::new("/bin/sh").to_owned()).unwrap();
}

#[tokio::test]
async fn a_program_in_no_format_that_the_system_knows_is_reported() {
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("hook");
    let made = Command::new("install").args(["-m", "755", "/dev/null"]).arg(&program).status().unwrap();
    assert!(made.success());
    let hook = Hook { program, timeout: Duration::from_secs(1) };
    let error = hook.run("fence", &[], &[]).await.unwrap_err();
    assert!(matches!(error, HookError::Start { .. }), "{error}");
    assert!(error.to_string().contains("cannot be started: "), "{error}");
}
