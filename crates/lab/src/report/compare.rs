//! Compares runs of any experiments and storages, on a page and on a terminal.

use super::group::groups;
use super::read::Found;
use super::subject::SubjectOf;
use super::{html, table};

/// The comparison as a self-contained page.
pub fn comparison_page(found: &[Found], subject_of: SubjectOf) -> String {
    html::compare(&groups(found, subject_of))
}

/// The comparison for a terminal.
pub fn comparison_table(found: &[Found], subject_of: SubjectOf) -> String {
    let groups = groups(found, subject_of);
    let tables: Vec<_> = groups.iter().map(|group| table::group(&group.runs)).collect();
    tables.join("\n\n")
}

/// The verdicts of all runs in one table, for a terminal. The figures of each experiment have been printed before.
pub fn verdict_table(found: &[Found], subject_of: SubjectOf) -> String {
    let runs: Vec<_> = groups(found, subject_of).into_iter().flat_map(|group| group.runs).collect();
    table::verdicts(&runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::Subject;
    use crate::report::{Axis, Better, CurveSpec, Measurement, Recorder, RunResult};

    const SUBJECT: Subject = Subject { title: "Broker CPU", question: "How much?", method: "M." };

    fn subject_of(experiment: &str) -> Option<Subject> {
        (experiment == "cpu").then_some(SUBJECT)
    }

    fn run(storage: &str, cpu: &[(f64, f64)]) -> RunResult {
        let recorder = Recorder::new(Progress::silent());
        recorder.setting("rates", storage);
        recorder.check("sustained", "Every rate is sustained", true, "all");
        recorder.curve(CurveSpec {
            drawing: "cpu_by_rate".into(),
            title: "Brokers' CPU by rate".into(),
            x: Axis::linear("Rate", "messages/s"),
            y: Axis::linear("CPU", "%"),
            references: Vec::new(),
        });
        for (rate, percent) in cpu {
            recorder.curve_point("cpu_by_rate", storage, *rate, *percent);
            let values = vec![(storage.to_owned(), vec![*percent])];
            let name = format!("broker_cpu_percent_at_{rate}");
            recorder.measurement(Measurement::new(&name, "CPU", "%", Better::Lower, values));
        }
        recorder.finish("cpu", storage, "laptop", "fine")
    }

    fn found(runs: Vec<RunResult>) -> Vec<Found> {
        runs.into_iter().map(|run| Found { run, page: None }).collect()
    }

    fn two() -> Vec<Found> {
        found(vec![
            run("forebay", &[(1000.0, 10.0), (4000.0, 15.0)]),
            run("local", &[(1000.0, 20.0), (4000.0, 20.0)]),
        ])
    }

    #[test]
    fn two_storages_are_beside_each_other_and_beside_the_reports() {
        let html = comparison_page(&two(), subject_of);
        assert!(html.contains("forebay ÷ local"));
        assert!(html.contains("TR-4947: 26 % ÷ 31 %") && html.contains(">0.84<"), "the report's ratio");
        assert!(html.contains("<b>0.50</b><small>forebay</small>"), "the same ratio here");
        assert!(html.contains("Brokers&#39; CPU by rate: forebay ÷ local"), "the curve of ratios");
        assert!(html.contains("Settings that differ"));
    }

    #[test]
    fn a_page_needs_nothing_but_itself() {
        let html = comparison_page(&two(), subject_of);
        for foreign in ["<script", "<link", "src=", "http:", "https:", "url("] {
            assert!(!html.contains(foreign), "{foreign} is in the page");
        }
        assert_eq!(
            html.matches("href=").count(),
            html.matches("href=\"#").count(),
            "links lead into the page"
        );
    }

    #[test]
    fn what_a_file_says_stays_text() {
        let mut hostile = run("<b onload='x'>\"", &[(1000.0, 1.0)]);
        hostile.experiment = "\"><script>".into();
        hostile.why = "</p><script>".into();
        hostile.profile = "<i>".into();
        hostile.started_at = "</title><script>".into();
        let again = hostile.clone();
        let html = comparison_page(&found(vec![hostile, again]), subject_of);
        assert!(!html.contains("<script") && !html.contains("<b onload") && !html.contains("<i>"));
        assert!(html.contains("id=\"---script-\""));
    }

    #[test]
    fn figures_that_one_storage_lacks_are_not_measured_and_not_compared() {
        let mut runs = two();
        runs[1].run.measurements.pop();
        runs[1].run.curves.clear();
        let html = comparison_page(&runs, subject_of);
        assert!(html.contains("not measured"));
        assert!(!html.contains("CPU by rate: forebay ÷ local"));
        assert!(comparison_table(&runs, subject_of).contains("forebay"));
    }

    #[test]
    fn verdicts_of_many_experiments_are_a_row_each_without_figures() {
        let mut runs = two();
        runs[1].run.experiment = "throughput".into();
        let text = verdict_table(&runs, subject_of);
        assert_eq!(text.lines().filter(|line| line.contains("pass")).count(), 2, "{text}");
        assert!(!text.contains("CPU, %"), "{text}");
    }

    #[test]
    fn an_experiment_of_another_version_is_shown_by_its_name() {
        let mut old = run("forebay", &[]);
        old.experiment = "fio".into();
        let html = comparison_page(&found(vec![old]), subject_of);
        assert!(html.contains("<code>fio</code>"));
    }
}
