//! `forebay pool recover` and `forebay pool lost-found`: repairing an inconsistent pool, and its leftover
//! segments.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use forebay_admin::views::{List, LostSegmentView, time};
use forebay_pool::{Assessment, CopyAssessment, Pool, PoolOptions};

use super::arguments::LostFoundCommand;
use crate::admin::client::Client;
use crate::commands::init::{check_owner, check_owner_of_files};
use crate::config::{PoolConfig, size};
use crate::output::{print_as, print_columns, print_done, print_gone, print_line};

/// Opens a pool with the metadata that is left. Without `accept_loss`, only reports what that would do.
pub fn recover(config: &PoolConfig, accept_loss: bool) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    runtime.block_on(async {
        let assessment = Pool::assess(&config.directory, config.options()).await?;
        show(&config.directory.display().to_string(), &assessment)?;
        if assessment.mismatches.is_empty() {
            return print_line("the pool is consistent; `forebay serve` opens it");
        }
        if !accept_loss {
            // What the daemon would report, with its exit status.
            let refusal = Pool::check_unopened(&config.directory, config.options(), false, Default::default()).await;
            return match refusal {
                Err(error) => Err(error.into()),
                Ok(_) => Err(anyhow!("nothing was changed; to open the pool with this metadata, add --accept-loss")),
            };
        }
        check_owner(&config.directory)?;
        let pool = Pool::recover(&config.directory, config.options()).await?;
        let aside = pool.lost_and_found()?.len();
        pool.close().await.map_err(|error| anyhow!("the pool was not closed cleanly: {error}"))?;
        print_line(&format!(
            "the pool now matches its metadata; {aside} segments are in lost+found; check it with `forebay pool check --read`"
        ))
    })
}

/// Makes the second copy in `directory` the pool. Without `first_is_lost`, only says what it has.
pub fn promote(directory: &Path, first_is_lost: bool, accept_loss: bool) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    runtime.block_on(async {
        let found = Pool::assess_copy(directory, PoolOptions::default()).await?;
        show_copy(directory, &found)?;
        if !first_is_lost {
            let accept = if found.mismatches.is_empty() { "" } else { " --accept-loss" };
            bail!(
                "nothing was changed; if the first copy is lost, and the pool wrote to this one until then, add --first-is-lost{accept}"
            );
        }
        check_owner_of_files(directory)?;
        Pool::promote(directory, PoolOptions::default(), accept_loss).await?;
        print_line(&format!(
            "{0} is the pool now: name it as pool.directory, remove pool.copies_directory or name a new directory there, and start the \
             daemon; never start the first copy again",
            directory.display()
        ))
    })
}

fn show_copy(directory: &Path, found: &CopyAssessment) -> Result<()> {
    print_line(&format!("second copy {} of pool {}", directory.display(), found.pool))?;
    let written = found.written.map_or_else(|| "at an unknown time".to_owned(), time);
    print_line(&format!(
        "the pool last recorded its state here {written}; if it ran later than about 10 seconds after that, it ran without this copy"
    ))?;
    print_line(&format!("the copy ends at batch {} of start {}", found.batch, found.start))?;
    found.mismatches.iter().try_for_each(|mismatch| print_line(&format!("missing: {mismatch}")))
}

/// Prints what recovery would do. `place` names the pool.
pub fn show(place: &str, assessment: &Assessment) -> Result<()> {
    print_line(&format!("pool {place}"))?;
    for mismatch in &assessment.mismatches {
        print_line(&format!("inconsistent: {mismatch}"))?;
    }
    let volumes = match assessment.volumes.as_slice() {
        [] => "no volumes".to_owned(),
        volumes => format!("volumes {}", volumes.join(", ")),
    };
    print_line(&format!(
        "the existing metadata has {volumes}, with {} of data",
        size::rounded(assessment.bytes_logical)
    ))?;
    let bytes = assessment.unnamed.iter().map(|(_, bytes)| bytes).sum();
    print_line(&format!(
        "unknown segments, which would be kept in lost+found: {} ({})",
        assessment.unnamed.len(),
        size::rounded(bytes)
    ))?;
    print_line(&format!("missing segments: {}", assessment.lost.len()))
}

/// Carries out a `forebay pool lost-found` command.
pub fn lost_found(command: LostFoundCommand) -> Result<()> {
    match command {
        LostFoundCommand::List(remote) => {
            let found: List<LostSegmentView> = Client::new(&remote)?.get("pool/lost-found")?;
            print_as(remote.format(), &found, |found| {
                let row = |segment: &LostSegmentView| {
                    vec![segment.segment.clone(), size::rounded(segment.bytes), segment.start.to_string()]
                };
                print_columns(&["segment", "size", "start"], found.items.iter().map(row))
            })
        }
        LostFoundCommand::Delete { segments, all, remote } => {
            let client = Client::new(&remote)?;
            let segments = match all {
                true => {
                    let found: List<LostSegmentView> = client.get("pool/lost-found")?;
                    found.items.into_iter().map(|found| found.segment).collect()
                }
                false => segments,
            };
            for segment in &segments {
                client.delete(&format!("pool/lost-found/{segment}"))?;
                print_gone(remote.format(), &format!("deleted segment {segment}"))?;
            }
            if segments.is_empty() {
                print_done(remote.format(), &segments, "lost+found is empty")?;
            }
            Ok(())
        }
    }
}
