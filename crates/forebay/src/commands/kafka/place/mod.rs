//! `forebay kafka place`: puts all replicas of each partition into one pool.
//!
//! [`described`] reads what Kafka's tools print, [`layout`] finds the pool of each log directory, [`survey`] puts the replicas of each
//! partition together, [`plan`](mod@plan) chooses, [`report`] shows it, and [`execute`](mod@execute) has Kafka do it.

mod arguments;
mod described;
mod execute;
mod layout;
mod plan;
mod report;
mod survey;
#[cfg(test)]
mod tests;
mod tools;

use anyhow::{Context, Result, bail, ensure};

pub use arguments::PlaceArgs;
use arguments::PlaceFormat;
use described::{Assignment, LogDirs};
use layout::Layout;
use plan::plan;
use report::Figures;
use survey::{Survey, matches};
use tools::Tools;

use crate::config::size::rounded;
use crate::output::{complain, confirm, print_line, print_own};

/// Plans, prints the plan, and has Kafka carry it out.
pub fn run(arguments: &PlaceArgs) -> Result<()> {
    let tools = tools_of(arguments);
    let (dirs, assignment) = read(arguments, tools.as_ref())?;
    let layout = Layout::new(&arguments.pools, &arguments.other, &dirs)?;
    let is_chosen = |topic: &str| {
        arguments.topics.is_empty() || arguments.topics.iter().any(|pattern| matches(pattern, topic))
    };
    let survey = Survey::new(&dirs, &layout, assignment.as_ref(), is_chosen)?;
    drop(dirs);
    let planned = plan(&survey.partitions, &layout, (!arguments.keep).then_some(arguments.balance));
    let figures = Figures::of(&survey, &planned, &layout);
    let notes = report::notes(&survey, &planned, &figures, &layout);
    let reassignment = || report::reassignment(&survey, &planned, &layout).to_string();
    match arguments.output {
        PlaceFormat::Table => report::print(&figures, &layout, &notes)?,
        PlaceFormat::Json => {
            ensure!(
                assignment.is_some(),
                "the order of the replicas is not known, and Kafka's reassignment must name it: add --assignment FILE with what \
                 kafka-topics.sh --describe prints"
            );
            print_own(&format!("{}\n", reassignment()))?;
            notes.iter().for_each(|note| complain(note));
        }
    }
    let Some(tools) = tools.filter(|_| arguments.execute) else { return Ok(()) };
    if figures.replicas == 0 {
        return Ok(());
    }
    confirm(arguments.sure, || {
        Ok(format!("Kafka copies {} within its brokers. Begin?", rounded(figures.bytes)))
    })?;
    let moves = report::moves(&survey, &planned, &layout);
    // The question may have waited for long, and Kafka would take the replicas back to where they were.
    let now = described::assignment(&tools.topics()?).context("the output of kafka-topics.sh")?;
    if let Some(name) = report::changed(&survey, &planned, &now) {
        bail!("the brokers of {name} have changed since this was planned: plan again");
    }
    execute::execute(&tools, &reassignment(), &moves, arguments.throttle)?;
    match arguments.output {
        PlaceFormat::Table => {
            print_line(&format!("moved {} replicas, {}", figures.replicas, rounded(figures.bytes)))
        }
        PlaceFormat::Json => Ok(()),
    }
}

fn tools_of(arguments: &PlaceArgs) -> Option<Tools> {
    Some(Tools {
        directory: arguments.kafka.clone()?,
        bootstrap_server: arguments.bootstrap_server.clone()?,
        command_config: arguments.command_config.clone(),
    })
}

/// The output of Kafka's tools, from files or from the tools themselves.
fn read(arguments: &PlaceArgs, tools: Option<&Tools>) -> Result<(LogDirs, Option<Assignment>)> {
    if let Some(tools) = tools {
        let assignment = described::assignment(&tools.topics()?).context("the output of kafka-topics.sh")?;
        let dirs = LogDirs::read(&tools.log_dirs()?).context("the output of kafka-log-dirs.sh")?;
        return Ok((dirs, Some(assignment)));
    }
    let file = arguments.log_dirs.as_deref().context("name the output of kafka-log-dirs.sh, or --kafka")?;
    if arguments.assignment.as_deref().is_some_and(|other| other == file) {
        bail!("{}: --assignment must be another file: it is the output of kafka-topics.sh", file.display());
    }
    let assignment = arguments
        .assignment
        .as_deref()
        .map(|file| described::assignment(&tools::read(file)?).with_context(|| file.display().to_string()));
    let name = if file == std::path::Path::new("-") {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    };
    let dirs = LogDirs::read(&tools::read(file)?).context(name)?;
    Ok((dirs, assignment.transpose()?))
}
