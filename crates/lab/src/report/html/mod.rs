//! Draws the report: one page that needs nothing else, in light and dark.
//!
//! No script: it must open from a file, in a mail, in a browser of tomorrow. Colours are custom properties of `page.css`,
//! the drawings are SVG that uses them.

mod chart;
mod measurements;
mod text;

use std::fmt::Write;

use super::{Check, Event, Excerpt, Figure, RunResult, Subject, Tone};
pub use text::number;
use text::{clock, duration, escape};

const STYLE: &str = include_str!("page.css");

/// The whole page for these runs of one experiment.
pub fn page(subject: &Subject, runs: &[RunResult]) -> String {
    let mut html = String::new();
    head(&mut html, subject, runs);
    cards(&mut html, runs);
    if runs.iter().any(|run| !run.checks.is_empty()) {
        checks(&mut html, runs);
    }
    for run in runs {
        section(&mut html, run);
    }
    html.push_str("<footer>Written by <code>forebay lab</code>. The same in <code>result.json</code>, for machines.</footer>\n");
    html.push_str("</main></body></html>\n");
    html
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($html:expr, $($argument:tt)*) => {{
        let _ = write!($html, $($argument)*);
    }};
}
use put;

fn head(html: &mut String, subject: &Subject, runs: &[RunResult]) {
    put!(
        html,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title} · Forebay lab</title>\n\
         <style>\n{STYLE}</style></head>\n<body><main>\n\
         <header><p class=\"brand\">{MARK}Forebay lab</p><h1>{title}</h1><p class=\"question\">{question}</p>",
        title = escape(subject.title),
        question = escape(subject.question),
    );
    if let Some(first) = runs.first() {
        let total: u64 = runs.iter().map(|run| run.duration_ms).sum();
        put!(
            html,
            "<p class=\"meta\"><span>experiment <b>{}</b></span><span>profile <b>{}</b></span>\
             <span>started <b>{}</b></span><span>took <b>{}</b></span></p>",
            escape(&first.experiment),
            escape(&first.profile),
            escape(&first.started_at.replace('T', " ").replace('Z', " UTC")),
            duration(total),
        );
    }
    html.push_str("</header>\n");
}

/// Water above a turbine.
const MARK: &str = "<svg class=\"mark\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M2 6h9v8c0 3 2 5 5 5h6\"/>\
                    <path class=\"thin\" d=\"M2 10h5M2 14h5\"/></svg>";

fn cards(html: &mut String, runs: &[RunResult]) {
    html.push_str("<section class=\"cards\">");
    for run in runs {
        let word = run.verdict.word();
        put!(
            html,
            "<article class=\"card {word}\"><p class=\"storage\">{}</p><p class=\"verdict\">{}{word}</p><p>{}</p></article>",
            escape(&run.storage),
            if word == "pass" { CROSS_OR_TICK.0 } else { CROSS_OR_TICK.1 },
            escape(&run.why),
        );
    }
    html.push_str("</section>\n");
}

/// Tick, cross.
const CROSS_OR_TICK: (&str, &str) = (
    "<svg class=\"sign\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M3 8.5l3.2 3.2L13 4.8\"/></svg>",
    "<svg class=\"sign\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M4 4l8 8M12 4l-8 8\"/></svg>",
);

/// All checks, a column per run.
fn checks(html: &mut String, runs: &[RunResult]) {
    html.push_str("<section><h2>What must hold</h2><div class=\"wide\"><table class=\"checks\"><thead><tr><th>Check</th>");
    for run in runs {
        put!(html, "<th>{}</th>", escape(&run.storage));
    }
    html.push_str("</tr></thead><tbody>");
    for (name, title) in check_names(runs) {
        put!(html, "<tr><th scope=\"row\">{}</th>", escape(title));
        for run in runs {
            check_cell(html, run.checks.iter().find(|check| check.name == name));
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div></section>\n");
}

fn check_names(runs: &[RunResult]) -> Vec<(&str, &str)> {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for check in runs.iter().flat_map(|run| &run.checks) {
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
            let (class, sign) =
                if check.passed { ("good", CROSS_OR_TICK.0) } else { ("bad", CROSS_OR_TICK.1) };
            put!(html, "<td><span class=\"{class}\">{sign}</span>{}</td>", escape(&check.detail));
        }
    }
}

fn section(html: &mut String, run: &RunResult) {
    put!(
        html,
        "<section class=\"run\"><h2><span class=\"dot {}\"></span>{} <small>{}</small></h2>",
        run.verdict.word(),
        escape(&run.storage),
        duration(run.duration_ms)
    );
    figures(html, &run.figures);
    measurements::draw(html, &run.measurements);
    chart::draw(html, run);
    for excerpt in &run.excerpts {
        log(html, excerpt);
    }
    events(html, &run.events);
    details(html, run);
    html.push_str("</section>\n");
}

fn figures(html: &mut String, figures: &[Figure]) {
    if figures.is_empty() {
        return;
    }
    html.push_str("<dl class=\"figures\">");
    for figure in figures {
        put!(
            html,
            "<div><dt>{}</dt><dd>{}<span>{}</span></dd></div>",
            escape(&figure.title),
            number(figure.value),
            escape(&figure.unit)
        );
    }
    html.push_str("</dl>");
}

fn log(html: &mut String, excerpt: &Excerpt) {
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

fn events(html: &mut String, events: &[Event]) {
    if events.is_empty() {
        return;
    }
    html.push_str("<details><summary>What happened, line by line</summary><table class=\"events\"><tbody>");
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

fn details(html: &mut String, run: &RunResult) {
    let settings = run.settings.iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (name.as_str(), value)
    });
    let versions = run.versions.iter().map(|(name, version)| (name.as_str(), version.clone()));
    html.push_str("<details><summary>Settings and versions</summary><div class=\"pair\">");
    names_and_values(html, settings.collect());
    names_and_values(html, versions.collect());
    html.push_str("</div></details>");
}

fn names_and_values(html: &mut String, rows: Vec<(&str, String)>) {
    html.push_str("<table class=\"plain\"><tbody>");
    for (name, value) in rows {
        put!(html, "<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escape(name), escape(&value));
    }
    html.push_str("</tbody></table>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::Recorder;

    const SUBJECT: Subject =
        Subject { title: "Killing & restarting", question: "Does it live?", method: "M." };

    fn run() -> RunResult {
        let recorder = Recorder::new(Progress::silent());
        recorder.stage("records written");
        recorder.point("Acknowledged records", "/s", 1000.0);
        recorder.begin("broker 1", "serving", Tone::Good);
        recorder.end("broker 1", Tone::Bad);
        recorder.check("processes", "No broker ended", false, "broker 1 <script>alert(1)</script>");
        recorder.excerpt(Excerpt {
            title: "What broker 1 said".into(),
            file: "logs/broker-1.log".into(),
            lines: vec!["ERROR </pre><b>".into(), "/mnt/.nfs01: busy".into()],
            highlight: ".nfs".into(),
        });
        recorder.finish("silly-rename", "knfsd-v3", "laptop", "")
    }

    #[test]
    fn a_page_needs_nothing_but_itself() {
        let html = page(&SUBJECT, &[run()]);
        for foreign in ["<script", "<link", "src=", "href=", "http:", "https:", "url("] {
            assert!(!html.contains(foreign), "{foreign} is in the page");
        }
    }

    #[test]
    fn what_a_log_says_stays_text() {
        let html = page(&SUBJECT, &[run()]);
        assert!(html.contains("ERROR &lt;/pre&gt;&lt;b&gt;"));
        assert!(html.contains("<mark>/mnt/.nfs01: busy</mark>"));
        assert!(html.contains("Killing &amp; restarting"));
    }

    #[test]
    fn a_check_that_one_storage_never_reached_is_not_shown_as_held() {
        let mut other = run();
        other.storage = "forebay".into();
        other.checks.clear();
        let html = page(&SUBJECT, &[run(), other]);
        assert!(html.contains("<th>knfsd-v3</th><th>forebay</th>"));
        assert!(html.contains("not reached"));
    }
}
