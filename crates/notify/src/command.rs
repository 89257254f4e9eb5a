//! A program that is run for each notice: the notice is JSON on its standard input, and in variables.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::message::Notice;

/// Longer runs are ended.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// Characters of its messages that are shown.
const SHOWN: usize = 200;

/// Runs the program. The error names the cause.
pub async fn run(program: &Path, notice: &Notice) -> Result<(), String> {
    let of = |cause: String| format!("{}: {cause}", program.display());
    let ran = tokio::time::timeout(WAIT_MAX, ran(program, notice)).await;
    ran.unwrap_or_else(|_| Err(format!("ended because it took more than {} s", WAIT_MAX.as_secs())))
        .map_err(of)
}

async fn ran(program: &Path, notice: &Notice) -> Result<(), String> {
    let mut child = Command::new(program)
        .env("FOREBAY_ALERT_ID", &notice.id)
        .env("FOREBAY_ALERT_NAME", &notice.name)
        .env("FOREBAY_ALERT_SEVERITY", notice.severity.word())
        .env("FOREBAY_ALERT_STATE", notice.state.word())
        .env("FOREBAY_ALERT_OBJECT", without_nul(&notice.object))
        .env("FOREBAY_ALERT_MESSAGE", without_nul(&notice.message))
        .env("FOREBAY_ALERT_REMEDY", without_nul(&notice.remedy))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot be run: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program need not read it.
        let _ = stdin.write_all(notice.json().to_string().as_bytes()).await;
    }
    let output = child.wait_with_output().await.map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&output.stderr);
    let shown: String =
        messages.trim().chars().filter(|character| !character.is_control()).take(SHOWN).collect();
    let colon = if shown.is_empty() { "" } else { ": " };
    Err(format!("{}{colon}{shown}", output.status))
}

/// A variable cannot have a NUL.
fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    /// A child that is forked while a script is written has it open for a moment, and Linux runs no program that is open for writing.
    static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

    fn script(folder: &Path, text: &str) -> PathBuf {
        let path = folder.join("program");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[tokio::test]
    async fn it_gets_the_notice_and_no_shell_interprets_it() {
        let _alone = ONE_AT_A_TIME.lock().await;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().display();
        let program = script(
            folder.path(),
            &format!("cat > {place}/in; printf %s \"$FOREBAY_ALERT_OBJECT\" > {place}/object"),
        );
        let mut notice = Notice::test("storage-1", "ada");
        notice.object = "volume $(touch x)\0; `id`".into();
        run(&program, &notice).await.unwrap();
        assert_eq!(
            std::fs::read_to_string(folder.path().join("object")).unwrap(),
            "volume $(touch x) ; `id`"
        );
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.path().join("in")).unwrap()).unwrap();
        assert_eq!(json["state"], "test");
    }

    #[tokio::test]
    async fn its_failure_is_an_error_with_its_words() {
        let _alone = ONE_AT_A_TIME.lock().await;
        let folder = tempfile::tempdir().unwrap();
        let program = script(folder.path(), "echo no modem >&2; exit 3");
        let error = run(&program, &Notice::test("storage-1", "ada")).await.unwrap_err();
        assert!(error.contains("exit status: 3: no modem"), "{error}");
        let gone = folder.path().join("gone");
        assert!(run(&gone, &Notice::test("storage-1", "ada")).await.unwrap_err().contains("cannot be run"));
    }
}
