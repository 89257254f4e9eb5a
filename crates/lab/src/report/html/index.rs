//! The index of many runs: which experiment passed on which storage, with links to each report.

use std::fmt::Write;

use super::text::{duration, escape};
use super::{parts, put};
use crate::report::result::{RunResult, Verdict};
use crate::report::subject::{Subject, SubjectOf};

const QUESTION: &str = "All requested experiments on all requested storages: did they pass, how long did they take, and what did they find?";

/// The data of the index besides the runs.
#[derive(Debug, Clone, Copy)]
pub struct All<'a> {
    /// The duration of all runs together, in milliseconds.
    pub took_ms: u64,
    /// The runs without a result.
    pub not_run: &'a [NotRun],
    /// Describes an experiment, given its name.
    pub subject_of: SubjectOf,
}

/// A run without a result.
#[derive(Debug, Clone)]
pub struct NotRun {
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the storage; of several, with commas between them.
    pub storage: String,
    /// The reason, in a sentence.
    pub why: String,
}

/// A row of the index.
pub struct Entry<'a> {
    /// The run.
    pub run: &'a RunResult,
    /// Its report, relative to the page.
    pub page: Option<String>,
}

/// The whole page. `comparison` is the path of the page that compares the runs, relative to this one.
pub fn index(entries: &[Entry], all: &All, comparison: &str) -> String {
    let mut html = String::new();
    parts::head(&mut html, "All experiments", QUESTION, &about(entries, all));
    cards(&mut html, entries, all.not_run, comparison);
    html.push_str(
        "<section><h2>Experiments</h2><div class=\"wide\"><table class=\"checks\"><thead><tr><th>Experiment</th><th>Storage</th>\
         <th>Verdict</th><th>Duration</th><th>Result</th></tr></thead><tbody>",
    );
    for name in experiments(entries, all.not_run) {
        rows(&mut html, name, (all.subject_of)(name), entries, all.not_run);
    }
    html.push_str("</tbody></table></div></section>\n");
    parts::foot(&mut html);
    html
}

fn about(entries: &[Entry], all: &All) -> Vec<(&'static str, String)> {
    let begun = entries.iter().map(|entry| entry.run.started_at.as_str()).min();
    let mut about = Vec::new();
    if let Some(entry) = entries.first() {
        about.push(("profile", entry.run.profile.clone()));
    }
    if let Some(begun) = begun {
        about.push(("started", parts::moment(begun)));
    }
    about.push(("duration", duration(all.took_ms)));
    about
}

fn cards(html: &mut String, entries: &[Entry], not_run: &[NotRun], comparison: &str) {
    let passed = entries.iter().filter(|entry| entry.run.verdict != Verdict::Fail).count();
    let whole = passed == entries.len() && not_run.is_empty() && !entries.is_empty();
    let word = if whole { "pass" } else { "fail" };
    let mut told = format!("{passed} of {} runs passed.", entries.len());
    if !not_run.is_empty() {
        put!(told, " {} could not be run.", not_run.len());
    }
    put!(
        html,
        "<section class=\"cards\"><article class=\"card {word}\"><p class=\"storage\">all</p>\
         <p class=\"verdict\">{}{word}</p><p>{told}</p></article>\
         <article class=\"card plain\"><p class=\"storage\">compare</p><p class=\"verdict\">\
         <a href=\"{}\">Storages side by side</a></p><p>Figures with ratios, the plots of all storages in one drawing, and the ratios \
         of the technical reports.</p></article></section>\n",
        parts::sign(whole),
        escape(comparison)
    );
}

/// The names of the experiments in the order in which they were run, followed by those without any run.
fn experiments<'a>(entries: &[Entry<'a>], not_run: &'a [NotRun]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let all = entries.iter().map(|entry| entry.run.experiment.as_str());
    for name in all.chain(not_run.iter().map(|missing| missing.experiment.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn rows(html: &mut String, name: &str, subject: Option<Subject>, entries: &[Entry], not_run: &[NotRun]) {
    let own: Vec<_> = entries.iter().filter(|entry| entry.run.experiment == name).collect();
    let missing: Vec<_> = not_run.iter().filter(|missing| missing.experiment == name).collect();
    let (count, mut first) = (own.len() + missing.len(), true);
    let mut begin = |html: &mut String| {
        html.push_str("<tr>");
        if std::mem::take(&mut first) {
            put!(
                html,
                "<th scope=\"rowgroup\" rowspan=\"{count}\">{}<small><code>{}</code></small></th>",
                escape(subject.map_or(name, |subject| subject.title)),
                escape(name)
            );
        }
    };
    for entry in own {
        begin(html);
        row(html, entry);
    }
    for missing in missing {
        begin(html);
        put!(
            html,
            "<td><code>{}</code></td><td class=\"bad\">{}<b>not run</b></td><td></td><td>{}</td></tr>",
            escape(&missing.storage),
            parts::sign(false),
            escape(&missing.why)
        );
    }
}

fn row(html: &mut String, Entry { run, page }: &Entry) {
    let word = run.verdict.word();
    let class = parts::class_of(run.verdict);
    put!(
        html,
        "<td><code>{}</code></td><td class=\"{class}\">{}",
        escape(&run.storage),
        parts::sign_of(run.verdict)
    );
    match page {
        Some(page) => put!(html, "<a href=\"{}\"><b>{word}</b></a>", escape(page)),
        None => put!(html, "<b>{word}</b>"),
    }
    put!(html, "</td><td>{}</td><td>{}</td></tr>", duration(run.duration_ms), escape(&run.why));
}
