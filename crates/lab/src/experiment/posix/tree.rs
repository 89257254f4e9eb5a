//! A tree of many files: created, renamed, listed while it is deleted, and removed.

use anyhow::Result;

use super::{PATIENCE, PartContext, TARGET, said};
use crate::probe::{self, TreeDone};

/// Runs the part.
pub fn run(context: &PartContext<'_>) -> Result<()> {
    let files = context.size(10_000, 10_000, 500_000);
    context.recorder.setting("files in the tree", files);
    let folder = format!("{TARGET}/tree");
    let output =
        context.client.exec(&probe::guest_command(&["tree", &folder, &files.to_string()])?, PATIENCE)?;
    let detail = match serde_json::from_str::<TreeDone>(&output.stdout) {
        Ok(done) => {
            for (stage, ms) in &done.stages {
                let name = format!("tree_{}_s", stage.replace(' ', "_"));
                context.figure(&name, &format!("Tree: {stage}"), *ms as f64 / 1e3, "s");
            }
            format!("{} files", done.files)
        }
        Err(_) => said(&output),
    };
    let passed = output.exit.success();
    context.check("tree", "Many files created, renamed, listed while deleted, removed", passed, detail);
    Ok(())
}
