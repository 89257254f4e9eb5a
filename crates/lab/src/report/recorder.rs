//! Records what happens in a run, and shows it as progress.
//!
//! Cheap to clone; every thread of an experiment writes to the same record.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use serde_json::Value;

use super::curve::{Curve, CurvePoint, CurveSpec};
use super::result::{
    Check, Event, Excerpt, FORMAT, Figure, Lane, Measurement, RunResult, Series, Span, Verdict,
};
use crate::progress::{Progress, Tone};

/// The lane of the experiment's stages.
const STAGES: &str = "experiment";

/// The record of one run.
#[derive(Clone)]
pub struct Recorder {
    started: Instant,
    started_at: SystemTime,
    progress: Progress,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    versions: BTreeMap<String, String>,
    settings: BTreeMap<String, Value>,
    checks: Vec<Check>,
    figures: Vec<Figure>,
    measurements: Vec<Measurement>,
    events: Vec<Event>,
    lanes: Vec<Lane>,
    series: Vec<Series>,
    curves: Vec<Curve>,
    excerpts: Vec<Excerpt>,
}

impl Recorder {
    /// Begins a record. Its times count from now.
    pub fn new(progress: Progress) -> Self {
        Self { started: Instant::now(), started_at: SystemTime::now(), progress, state: Arc::default() }
    }

    /// The progress display, for messages that are not part of the record.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Shows how far the stage is. This is not recorded.
    pub fn detail(&self, text: impl Display) {
        self.progress.detail(&text.to_string());
    }

    /// Milliseconds since the run began.
    pub fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Begins the experiment's next stage.
    pub fn stage(&self, label: &str) {
        let now = self.now_ms();
        let mut state = self.state();
        let lane = lane(&mut state.lanes, STAGES);
        end_last(lane, now, None);
        lane.spans.push(Span { from_ms: now, to_ms: None, label: label.to_owned(), tone: Tone::Stage });
        drop(state);
        self.progress.stage(label);
    }

    /// Records and shows an event.
    pub fn event(&self, tone: Tone, text: impl Display) {
        let text = self.record(tone, text.to_string());
        self.progress.event(tone, &text);
    }

    /// Records an event. Returns its text.
    fn record(&self, tone: Tone, text: String) -> String {
        let event = Event { at_ms: self.now_ms(), tone, text: text.clone() };
        self.state().events.push(event);
        text
    }

    /// Begins a span of an actor, such as a broker. `label` says what the actor does.
    pub fn begin(&self, actor: &str, label: &str, tone: Tone) {
        let now = self.now_ms();
        let mut state = self.state();
        let lane = lane(&mut state.lanes, actor);
        end_last(lane, now, None);
        lane.spans.push(Span { from_ms: now, to_ms: None, label: label.to_owned(), tone });
    }

    /// Ends the actor's span.
    pub fn end(&self, actor: &str, tone: Tone) {
        let now = self.now_ms();
        end_last(lane(&mut self.state().lanes, actor), now, Some(tone));
    }

    /// Records the outcome of a check. A check that is repeated under the same name passes only if it passes every time.
    pub fn check(&self, name: &str, title: &str, passed: bool, detail: impl Display) {
        let check =
            Check { name: name.to_owned(), title: title.to_owned(), passed, detail: detail.to_string() };
        let tone = if passed { Tone::Good } else { Tone::Bad };
        let text = self.record(tone, format!("{title}: {}", check.detail));
        self.progress.verdict(passed, &text);
        let mut state = self.state();
        match state.checks.iter_mut().find(|known| known.name == check.name) {
            Some(known) => known.again(check),
            None => state.checks.push(check),
        }
    }

    /// Records a figure that was measured once. Its name ends with its unit. A value that is not finite, such as 0 ÷ 0, counts as not
    /// measured.
    pub fn figure(&self, name: &str, title: &str, value: f64, unit: &str) {
        if !value.is_finite() {
            self.event(Tone::Plain, format_args!("{title}: not measured"));
            return;
        }
        let figure = Figure { name: name.to_owned(), title: title.to_owned(), value, unit: unit.to_owned() };
        self.state().figures.push(figure);
    }

    /// Records a quantity that was measured several times.
    pub fn measurement(&self, measurement: Measurement) {
        self.state().measurements.push(measurement);
    }

    /// Adds a point to a figure over time.
    pub fn point(&self, title: &str, unit: &str, value: f64) {
        self.point_in("", title, unit, value);
    }

    /// Adds a point to a figure over time. Figures with the same `drawing` and unit share a drawing.
    pub fn point_in(&self, drawing: &str, title: &str, unit: &str, value: f64) {
        if !value.is_finite() {
            return;
        }
        let point = (self.now_ms(), value);
        let mut state = self.state();
        match state
            .series
            .iter_mut()
            .find(|series| (series.drawing.as_str(), series.title.as_str()) == (drawing, title))
        {
            Some(series) => series.points.push(point),
            None => state.series.push(Series {
                title: title.to_owned(),
                drawing: drawing.to_owned(),
                unit: unit.to_owned(),
                points: vec![point],
            }),
        }
    }

    /// Sets the specification of a drawing of curves. It replaces an earlier one; the points stay.
    pub fn curve(&self, spec: CurveSpec) {
        let mut state = self.state();
        match state.curves.iter_mut().find(|curve| curve.spec.drawing == spec.drawing) {
            Some(curve) => curve.spec = spec,
            None => state.curves.push(Curve { spec, lines: Vec::new() }),
        }
    }

    /// Adds a point, measured once, to a line in a drawing of curves ([`Recorder::curve`]).
    #[cfg(test)]
    pub fn curve_point(&self, drawing: &str, line: &str, x: f64, y: f64) {
        self.add_to_curve(drawing, line, CurvePoint { x, y, low: None, high: None });
    }

    /// Adds a point, measured several times, to a line in a drawing of curves: the median, the smallest and the largest value.
    pub fn curve_point_spread(&self, drawing: &str, line: &str, x: f64, median: f64, low: f64, high: f64) {
        self.add_to_curve(drawing, line, CurvePoint { x, y: median, low: Some(low), high: Some(high) });
    }

    fn add_to_curve(&self, drawing: &str, line: &str, point: CurvePoint) {
        if !point.is_finite() {
            return;
        }
        let mut state = self.state();
        match state.curves.iter_mut().find(|curve| curve.spec.drawing == drawing) {
            Some(curve) => curve.add(line, point),
            None => {
                let mut curve = Curve { spec: CurveSpec::unknown(drawing), lines: Vec::new() };
                curve.add(line, point);
                state.curves.push(curve);
            }
        }
    }

    /// Records a size or setting of the run.
    pub fn setting(&self, name: &str, value: impl Into<Value>) {
        self.state().settings.insert(name.to_owned(), value.into());
    }

    /// Records the version of a component of the run.
    pub fn version(&self, name: &str, version: impl Display) {
        self.state().versions.insert(name.to_owned(), version.to_string());
    }

    /// Records lines of a log that explain the verdict.
    pub fn excerpt(&self, excerpt: Excerpt) {
        self.state().excerpts.push(excerpt);
    }

    /// Ends the record. The verdict is fail if a check failed or there was none; then its reason is the detail of the first that failed. Otherwise
    /// the reason is `why`, and how many targets were reached if there are any.
    pub fn finish(&self, experiment: &str, storage: &str, profile: &str, why: &str) -> RunResult {
        let duration_ms = self.now_ms();
        let mut state = std::mem::take(&mut *self.state());
        for lane in &mut state.lanes {
            end_last(lane, duration_ms, None);
        }
        let (verdict, why) = conclude(&state.checks, &state.measurements, why);
        RunResult {
            format: FORMAT,
            experiment: experiment.to_owned(),
            storage: storage.to_owned(),
            profile: profile.to_owned(),
            verdict,
            why,
            started_at: humantime::format_rfc3339_seconds(self.started_at).to_string(),
            duration_ms,
            versions: state.versions,
            settings: state.settings,
            checks: state.checks,
            figures: state.figures,
            measurements: state.measurements,
            events: state.events,
            lanes: state.lanes,
            series: state.series,
            curves: state.curves,
            excerpts: state.excerpts,
        }
    }

    /// Ignores poisoning: the record is useful even if a thread panicked while it held the lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn conclude(checks: &[Check], measurements: &[Measurement], why_passed: &str) -> (Verdict, String) {
    let targets: Vec<bool> = measurements.iter().filter_map(|one| one.reached).collect();
    let reached = targets.iter().filter(|reached| **reached).count();
    let mut failed = checks.iter().filter(|check| !check.passed);
    match (failed.next(), failed.count()) {
        _ if checks.is_empty() => (Verdict::Fail, "nothing was checked".to_owned()),
        (None, _) if targets.is_empty() => (Verdict::Pass, why_passed.to_owned()),
        (None, _) => {
            let verdict = if reached == targets.len() { Verdict::Pass } else { Verdict::Measured };
            let why = why_passed.trim_end_matches('.');
            (verdict, format!("{why}; {reached} of {} targets reached.", targets.len()))
        }
        (Some(first), 0) => (Verdict::Fail, first.detail.clone()),
        (Some(first), more) => (Verdict::Fail, format!("{} (and {more} more checks failed)", first.detail)),
    }
}

fn lane<'a>(lanes: &'a mut Vec<Lane>, name: &str) -> &'a mut Lane {
    let index = lanes.iter().position(|lane| lane.name == name).unwrap_or_else(|| {
        lanes.push(Lane { name: name.to_owned(), spans: Vec::new() });
        lanes.len() - 1
    });
    &mut lanes[index]
}

fn end_last(lane: &mut Lane, now_ms: u64, tone: Option<Tone>) {
    if let Some(span) = lane.spans.last_mut()
        && span.to_ms.is_none()
    {
        span.to_ms = Some(now_ms);
        span.tone = tone.unwrap_or(span.tone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Better, Target};

    fn recorder() -> Recorder {
        Recorder::new(Progress::silent())
    }

    #[test]
    fn a_run_passes_when_every_check_held() {
        let recorder = recorder();
        recorder.check("ports", "Every broker answers", true, "4 of 4");
        let result = recorder.finish("silly-rename", "local", "laptop", "all is well");
        assert_eq!((result.verdict, result.why.as_str()), (Verdict::Pass, "all is well"));
    }

    #[test]
    fn targets_that_were_missed_are_counted_and_are_no_pass() {
        for (values, verdict, counted) in [
            ([3.0, 1.0], Verdict::Measured, "1 of 2 targets reached."),
            ([3.0, 3.0], Verdict::Pass, "2 of 2 targets reached."),
        ] {
            let recorder = recorder();
            recorder.check("works", "It works", true, "yes");
            for (number, value) in values.into_iter().enumerate() {
                let values = vec![("forebay".to_owned(), vec![value])];
                let measurement =
                    Measurement::new(&format!("row{number}"), "Row", "MB/s", Better::Higher, values);
                recorder.measurement(measurement.with_target(Some(Target::Median(2.0))));
            }
            let result = recorder.finish("x", "local", "laptop", "2 rows were measured.");
            assert_eq!(result.verdict, verdict);
            assert_eq!(result.why, format!("2 rows were measured; {counted}"));
        }
    }

    #[test]
    fn a_failed_check_says_why() {
        let recorder = recorder();
        recorder.check("ports", "Every broker answers", false, "broker 1 is gone");
        recorder.check("records", "Every record is there", true, "300000");
        let result = recorder.finish("silly-rename", "local", "laptop", "all is well");
        assert_eq!((result.verdict, result.why.as_str()), (Verdict::Fail, "broker 1 is gone"));
    }

    #[test]
    fn a_run_that_checked_nothing_does_not_pass() {
        assert_eq!(recorder().finish("x", "local", "laptop", "fine").verdict, Verdict::Fail);
    }

    #[test]
    fn what_is_checked_again_and_again_must_hold_each_time() {
        let recorder = recorder();
        for (passed, detail) in [
            (true, "all run"),
            (true, "all run"),
            (false, "broker 1 ended"),
            (true, "all run"),
            (false, "broker 2 ended"),
        ] {
            recorder.check("processes", "No broker ended", passed, detail);
        }
        recorder.check("acknowledged", "All is acknowledged", true, "100 of 100");
        recorder.check("acknowledged", "All is acknowledged", true, "200 of 200");
        let result = recorder.finish("x", "local", "laptop", "fine");
        let found: Vec<_> = result.checks.iter().map(|check| (check.passed, check.detail.as_str())).collect();
        assert_eq!(found, [(false, "broker 1 ended; broker 2 ended"), (true, "100 of 100; 200 of 200")]);
        assert_eq!(result.verdict, Verdict::Fail);
    }

    #[test]
    fn stages_follow_each_other_without_a_gap_and_all_end() {
        let recorder = recorder();
        recorder.stage("boot");
        recorder.stage("produce");
        recorder.begin("broker 1", "running", Tone::Good);
        recorder.end("broker 1", Tone::Bad);
        let result = recorder.finish("x", "local", "laptop", "");
        let [stages, broker] = result.lanes.as_slice() else { panic!("two lanes") };
        assert_eq!(stages.spans[0].to_ms, Some(stages.spans[1].from_ms));
        assert_eq!(stages.spans[1].to_ms, Some(result.duration_ms));
        assert_eq!(broker.spans[0].tone, Tone::Bad);
    }

    #[test]
    fn points_of_a_curve_are_in_order_whenever_they_were_measured() {
        let recorder = recorder();
        recorder.curve_point("cpu", "forebay", 40.0, 2.0);
        recorder.curve(CurveSpec { title: "CPU by rate".into(), ..CurveSpec::unknown("cpu") });
        recorder.curve_point_spread("cpu", "forebay", 10.0, 1.0, 0.5, 1.5);
        recorder.curve_point("cpu", "forebay", 40.0, 3.0);
        let result = recorder.finish("x", "forebay", "laptop", "");
        let [curve] = result.curves.as_slice() else { panic!("one drawing") };
        assert_eq!((curve.spec.title.as_str(), curve.lines.len()), ("CPU by rate", 1));
        let points: Vec<_> =
            curve.lines[0].points.iter().map(|point| (point.x, point.y, point.high)).collect();
        assert_eq!(points, [(10.0, 1.0, Some(1.5)), (40.0, 3.0, None)]);
    }

    #[test]
    fn what_is_no_number_leaves_a_result_that_can_be_read() {
        let recorder = recorder();
        recorder.figure("rate_per_s", "Rate", f64::NAN, "/s");
        recorder.point("Rate", "/s", f64::INFINITY);
        recorder.curve_point("cpu", "forebay", f64::NAN, 1.0);
        recorder.curve_point_spread("cpu", "forebay", 1.0, 1.0, 1.0, f64::INFINITY);
        let values = vec![("forebay".to_owned(), vec![f64::NAN, 2.0])];
        recorder.measurement(Measurement::new("x", "X", "s", Better::Lower, values));
        let result = recorder.finish("x", "forebay", "laptop", "");
        let text = serde_json::to_string(&result).unwrap();
        assert_eq!(serde_json::from_str::<RunResult>(&text).unwrap(), result);
        assert_eq!(result.measurements[0].samples[0].values, [2.0]);
    }
}
