//! Prints a plan for people or for programs.

use anyhow::Result;

use super::quantity::show;
use super::{Nodes, Plan, SizeArgs, plan};
use crate::arguments::Format;
use crate::output;

/// Calculates and prints the plan.
pub fn run(wanted: &SizeArgs) -> Result<()> {
    let plan = plan(wanted)?;
    output::print_as(if wanted.json { Format::Json } else { Format::Table }, &plan, print)
}

fn print(plan: &Plan) -> Result<()> {
    let days = plan.retention_seconds / 86_400.0;
    let mut pairs = vec![
        ("produced", format!("{}/s, kept for {days} days", show(plan.produce))),
        (
            "written to storage",
            format!(
                "{}/s at replication factor {}; {}/s by each of {} brokers",
                show(plan.storage_write),
                plan.replication,
                show(plan.broker_write),
                plan.brokers
            ),
        ),
        ("storage throughput", format!("{}/s, reads included", show(plan.storage_throughput))),
        ("capacity, replicas", show(plan.capacity_logical)),
        ("capacity, stored", format!("{} at {:.2}:1", show(plan.capacity_physical), plan.efficiency)),
        (
            "capacity to provide",
            format!(
                "{} including free space; {} if each replica was stored separately",
                show(plan.capacity_with_reserve),
                show(plan.capacity_without_efficiency)
            ),
        ),
    ];
    match &plan.nodes {
        Some(nodes) => pairs.push(("storage nodes", describe(nodes))),
        None => pairs.push(("storage nodes", "give --node-throughput or --node-capacity".to_owned())),
    }
    output::print_pairs(&pairs)?;
    let Some(nodes) = plan.nodes.as_ref().filter(|nodes| !nodes.produce_max.is_empty()) else {
        return Ok(());
    };
    output::print_line("")?;
    let rows =
        nodes.produce_max.iter().map(|(factor, rate)| vec![factor.to_string(), format!("{}/s", show(*rate))]);
    output::print_columns(&["replication factor", "maximum produce rate"], rows)
}

fn describe(nodes: &Nodes) -> String {
    let part = |count: Option<u64>, of: &str| count.map(|count| format!("{count} for {of}"));
    let parts: Vec<String> = [part(nodes.for_throughput, "throughput"), part(nodes.for_capacity, "capacity")]
        .into_iter()
        .flatten()
        .collect();
    format!("{} ({})", nodes.needed, parts.join(", "))
}
