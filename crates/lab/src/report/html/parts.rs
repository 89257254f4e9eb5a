//! The text of pages: title, verdicts, checks, settings, method, logs.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use super::put;
use super::text::{clock, escape};
use crate::progress::Tone;
use crate::report::figure_table::Named;
use crate::report::result::{Check, Event, Excerpt, RunResult, Verdict};

const STYLE: &str = include_str!("page.css");

/// The logo, as in the console.
const MARK: &str = "<svg class=\"mark\" viewBox=\"0 0 32 32\" aria-hidden=\"true\"><rect width=\"32\" height=\"32\" rx=\"7\"/>\
                    <path d=\"M5 12c4-4 7-4 11 0s7 4 11 0M5 20c4-4 7-4 11 0s7 4 11 0\"/></svg>";
const TICK: &str = "<svg class=\"sign\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M3 8.5l3.2 3.2L13 4.8\"/></svg>";
const BAR: &str =
    "<svg class=\"sign\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M3 8h10\"/></svg>";
const CROSS: &str =
    "<svg class=\"sign\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M4 4l8 8M12 4l-8 8\"/></svg>";

/// The beginning of a page. `about` has the names and values in its header, in order.
pub fn head(html: &mut String, title: &str, question: &str, about: &[(&str, String)]) {
    put!(
        html,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Forebay lab</title>\n\
         <style>\n{STYLE}</style></head>\n<body><main>\n\
         <header><p class=\"brand\">{MARK}Forebay lab</p><h1>{title}</h1><p class=\"question\">{question}</p>",
        title = escape(title),
        question = escape(question),
    );
    html.push_str("<p class=\"meta\">");
    for (name, value) in about {
        put!(html, "<span>{} <b>{}</b></span>", escape(name), escape(value));
    }
    html.push_str("</p></header>\n");
}

/// The end of a page.
pub fn foot(html: &mut String) {
    html.push_str("<footer>Written by <code>forebay lab</code>. Programs can read the same data from <code>result.json</code>.</footer>\n");
    html.push_str("</main></body></html>\n");
}

/// A time in UTC, in a form that is easy to read.
pub fn moment(rfc_3339: &str) -> String {
    rfc_3339.replace('T', " ").replace('Z', " UTC")
}

/// A tick or a cross.
pub fn sign(passed: bool) -> &'static str {
    if passed { TICK } else { CROSS }
}

/// The sign of a verdict.
pub fn sign_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => TICK,
        Verdict::Measured => BAR,
        Verdict::Fail => CROSS,
    }
}

/// The class that colours a verdict.
pub fn class_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "good",
        Verdict::Measured => "neutral",
        Verdict::Fail => "bad",
    }
}

/// The verdicts, with their reasons.
pub fn cards(html: &mut String, runs: &[Named]) {
    html.push_str("<section class=\"cards\">");
    for Named { name, run, .. } in runs {
        let word = run.verdict.word();
        put!(
            html,
            "<article class=\"card {word}\"><p class=\"storage\">{}</p><p class=\"verdict\">{}{word}</p><p>{}</p></article>",
            escape(name),
            sign_of(run.verdict),
            escape(&run.why),
        );
    }
    html.push_str("</section>\n");
}

/// All checks, with a column for each run.
pub fn checks(html: &mut String, runs: &[Named]) {
    html.push_str("<div class=\"wide\"><table class=\"checks\"><thead><tr><th>Check</th>");
    for named in runs {
        put!(html, "<th>{}</th>", escape(&named.name));
    }
    html.push_str("</tr></thead><tbody>");
    for (name, title) in check_names(runs) {
        put!(html, "<tr><th scope=\"row\">{}</th>", escape(title));
        for named in runs {
            check_cell(html, named.run.checks.iter().find(|check| check.name == name));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>\n");
}

fn check_names<'a>(runs: &[Named<'a>]) -> Vec<(&'a str, &'a str)> {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for check in runs.iter().flat_map(|named| &named.run.checks) {
        if !names.iter().any(|(name, _)| *name == check.name) {
            names.push((&check.name, &check.title));
        }
    }
    names
}

fn check_cell(html: &mut String, check: Option<&Check>) {
    match check {
        None => html.push_str("<td class=\"muted\">not reached</td>"),
        Some(check) => {
            let class = if check.passed { "good" } else { "bad" };
            put!(
                html,
                "<td><span class=\"{class}\">{}</span>{}</td>",
                sign(check.passed),
                escape(&check.detail)
            );
        }
    }
}

/// A table of names and values: its heading, and the function that reads them from a run.
type Values<'a> = (&'a str, fn(&RunResult) -> Vec<(&str, String)>);

const SETTINGS: Values =
    ("Setting", |run| run.settings.iter().map(|(name, value)| (name.as_str(), setting(value))).collect());

/// A value without the quotes and brackets of JSON.
fn setting(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(setting).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

const VERSIONS: Values = ("Version of", |run| {
    run.versions.iter().map(|(name, version)| (name.as_str(), version.clone())).collect()
});

/// The settings of all runs. A value that is the same in all runs is shown once.
pub fn settings(html: &mut String, runs: &[Named]) {
    values(html, runs, SETTINGS, false);
}

/// The versions of all runs. A value that is the same in all runs is shown once.
pub fn versions(html: &mut String, runs: &[Named]) {
    values(html, runs, VERSIONS, false);
}

/// The settings in which the runs differ. Returns false if there are none.
pub fn different_settings(html: &mut String, runs: &[Named]) -> bool {
    values(html, runs, SETTINGS, true)
}

fn values(html: &mut String, runs: &[Named], (heading, of): Values, only_different: bool) -> bool {
    let all: Vec<_> = runs.iter().map(|named| of(named.run)).collect();
    let names: BTreeSet<&str> = all.iter().flatten().map(|(name, _)| *name).collect();
    let row = |name: &str| -> Vec<Option<&str>> {
        let value = |values: &Vec<(&str, String)>| values.iter().position(|(other, _)| *other == name);
        all.iter()
            .map(|values| value(values).and_then(|at| values.get(at)).map(|(_, value)| value.as_str()))
            .collect()
    };
    let rows: Vec<_> = names.iter().map(|name| (*name, row(name))).collect();
    let agree = |row: &[Option<&str>]| row.windows(2).all(|pair| pair.first() == pair.last());
    let rows: Vec<_> = rows.into_iter().filter(|(_, row)| !only_different || !agree(row)).collect();
    if rows.is_empty() {
        return false;
    }
    put!(html, "<div class=\"wide\"><table class=\"plain\"><thead><tr><th>{heading}</th>");
    for named in runs {
        put!(html, "<th>{}</th>", escape(&named.name));
    }
    html.push_str("</tr></thead><tbody>");
    for (name, row) in rows {
        put!(html, "<tr><th scope=\"row\">{}</th>", escape(name));
        if agree(&row) {
            let value = row.first().copied().flatten().unwrap_or_default();
            put!(html, "<td colspan=\"{}\">{}</td>", runs.len(), escape(value));
        } else {
            for value in row {
                put!(html, "<td>{}</td>", escape(value.unwrap_or("–")));
            }
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    true
}

/// Lines of a log.
pub fn log(html: &mut String, excerpt: &Excerpt) {
    put!(
        html,
        "<figure class=\"log\"><figcaption>{} <code>{}</code></figcaption><pre>",
        escape(&excerpt.title),
        escape(&excerpt.file)
    );
    for line in &excerpt.lines {
        let pointed_at = !excerpt.highlight.is_empty() && line.contains(&excerpt.highlight);
        let (open, close) = if pointed_at { ("<mark>", "</mark>") } else { ("", "") };
        put!(html, "{open}{}{close}\n", escape(line));
    }
    html.push_str("</pre></figure>");
}

/// The events of a run, in a block that the reader can unfold.
pub fn events(html: &mut String, summary: &str, events: &[Event]) {
    if events.is_empty() {
        return;
    }
    put!(html, "<details><summary>{}</summary><table class=\"events\"><tbody>", escape(summary));
    for event in events {
        let class = match event.tone {
            Tone::Plain | Tone::Stage => "",
            Tone::Good => "good",
            Tone::Bad => "bad",
        };
        put!(
            html,
            "<tr><td>{}</td><td class=\"{class}\">{}</td></tr>",
            clock(event.at_ms),
            escape(&event.text)
        );
    }
    html.push_str("</tbody></table></details>");
}
