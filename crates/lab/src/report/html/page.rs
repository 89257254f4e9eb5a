//! The report of one experiment, on one storage or several.
//!
//! It follows the order of a reader's questions: the verdict, the figures, plots, the timeline, the checks, settings and
//! versions, the method, and the logs.

use std::fmt::Write;

use super::text::{duration, escape};
use super::{figures, parts, plots, put, timeline};
use crate::report::figure_table::{FigureTable, Named, named};
use crate::report::result::RunResult;
use crate::report::subject::Subject;

/// The whole page for these runs of one experiment.
pub fn page(subject: &Subject, runs: &[RunResult]) -> String {
    let runs = named(&runs.iter().collect::<Vec<_>>());
    let mut html = String::new();
    parts::head(&mut html, subject.title, subject.question, &about(&runs));
    parts::cards(&mut html, &runs);
    figures_of(&mut html, &runs);
    plots_of(&mut html, &runs);
    timelines(&mut html, &runs);
    if runs.iter().any(|named| !named.run.checks.is_empty()) {
        html.push_str("<section><h2>Checks</h2>");
        parts::checks(&mut html, &runs);
        html.push_str("</section>\n");
    }
    html.push_str("<section><h2>Settings and versions</h2><div class=\"panel\">");
    parts::settings(&mut html, &runs);
    parts::versions(&mut html, &runs);
    html.push_str("</div></section>\n");
    put!(html, "<section><h2>Method</h2><p class=\"method\">{}</p></section>\n", escape(subject.method));
    logs(&mut html, &runs);
    parts::foot(&mut html);
    html
}

fn about(runs: &[Named]) -> Vec<(&'static str, String)> {
    let Some(Named { run: first, .. }) = runs.first() else { return Vec::new() };
    let total = runs.iter().fold(0u64, |total, named| total.saturating_add(named.run.duration_ms));
    vec![
        ("experiment", first.experiment.clone()),
        ("profile", first.profile.clone()),
        ("started", parts::moment(&first.started_at)),
        ("duration", duration(total)),
    ]
}

fn figures_of(html: &mut String, runs: &[Named]) {
    let sheet = FigureTable::of(runs);
    if !sheet.rows.is_empty() {
        html.push_str("<section><h2>Figures</h2>");
        figures::draw(html, &sheet);
        html.push_str("</section>\n");
    }
}

/// Curves, and for several runs also their figures over time in common drawings. For a single run the timeline shows those.
fn plots_of(html: &mut String, runs: &[Named]) {
    let mut drawn = String::new();
    plots::curves(&mut drawn, runs);
    if runs.len() > 1 {
        plots::series(&mut drawn, runs);
    }
    if !drawn.is_empty() {
        put!(html, "<section><h2>Plots</h2><div class=\"plots\">{drawn}</div></section>\n");
    }
}

fn timelines(html: &mut String, runs: &[Named]) {
    html.push_str("<section><h2>Timeline</h2>");
    for Named { name, run, .. } in runs {
        put!(
            html,
            "<div class=\"panel\"><h3><span class=\"dot {}\"></span>{} <small>{}</small></h3>",
            run.verdict.word(),
            escape(name),
            duration(run.duration_ms)
        );
        timeline::draw(html, run);
        html.push_str("</div>\n");
    }
    html.push_str("</section>\n");
}

fn logs(html: &mut String, runs: &[Named]) {
    html.push_str("<section><h2>Logs</h2>");
    for Named { name, run, .. } in runs {
        put!(html, "<div class=\"panel\"><h3>{}</h3>", escape(name));
        for excerpt in &run.excerpts {
            parts::log(html, excerpt);
        }
        parts::events(html, "All events", &run.events);
        html.push_str("</div>\n");
    }
    html.push_str("</section>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::progress::Tone;
    use crate::report::{Axis, Better, CurveSpec, Excerpt, Measurement, Recorder};

    const SUBJECT: Subject =
        Subject { title: "Killing & restarting", question: "Does it live?", method: "It is killed." };

    fn run() -> RunResult {
        let recorder = Recorder::new(Progress::silent());
        recorder.stage("records written");
        recorder.point("Acknowledged records", "/s", 1000.0);
        recorder.begin("broker 1", "serving", Tone::Good);
        recorder.end("broker 1", Tone::Bad);
        recorder.check("processes", "No broker ended", false, "broker 1 <script>alert(1)</script>");
        recorder.curve(CurveSpec {
            drawing: "cpu".into(),
            title: "CPU <by> rate".into(),
            x: Axis::linear("Rate", "\"messages\"/s"),
            y: Axis::linear("CPU", "%"),
            references: Vec::new(),
        });
        recorder.curve_point_spread("cpu", "</svg><script>", 10.0, 2.0, 1.0, 3.0);
        let values = vec![("knfsd-v3".to_owned(), vec![2.0, 1.0, 4.0])];
        recorder.measurement(Measurement::new("cpu", "CPU of <brokers>", "%", Better::Lower, values));
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
        assert!(html.contains("&lt;/svg&gt;&lt;script&gt;, 10 &quot;messages&quot;/s: 2 % (1–3)"));
    }

    #[test]
    fn a_measurement_shows_its_spread_and_how_often_it_was_repeated() {
        let html = page(&SUBJECT, &[run()]);
        assert!(html.contains("<b>2</b><small>1–4 of 3</small>"));
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

    #[test]
    fn a_reader_meets_verdict_figures_plots_timeline_checks_settings_method_and_logs_in_this_order() {
        let html = page(&SUBJECT, &[run()]);
        let parts = ["class=\"verdict\"", ">Figures<", ">Plots<", ">Timeline<", ">Checks<"];
        let parts = parts.into_iter().chain([">Settings and versions<", ">Method<", ">Logs<"]);
        let places: Vec<_> = parts.map(|part| html.find(part).unwrap_or_else(|| panic!("{part}"))).collect();
        assert!(places.is_sorted(), "{places:?}");
    }
}
