//! Measurements side by side: a bar to the median, a thin line from the smallest value to the largest.

use std::fmt::Write;

use super::put;
use super::text::{escape, number};
use crate::report::{Better, Measurement, Samples, Target};

/// Draws the measurements, if there are any.
pub fn draw(html: &mut String, measurements: &[Measurement]) {
    if measurements.is_empty() {
        return;
    }
    html.push_str("<div class=\"measurements\">");
    for measurement in measurements {
        let note = if measurement.better == Better::Higher { "more is better" } else { "less is better" };
        put!(
            html,
            "<div class=\"measurement\"><h3>{} <small>{}, {note}</small></h3>",
            escape(&measurement.title),
            escape(&measurement.unit)
        );
        let largest = measurement.samples.iter().map(|samples| samples.max).fold(f64::MIN_POSITIVE, f64::max);
        for (index, samples) in measurement.samples.iter().enumerate() {
            bar(html, samples, largest, index == 0);
        }
        ratio(html, measurement);
        target(html, measurement);
        html.push_str("</div>");
    }
    html.push_str("</div>");
}

fn bar(html: &mut String, samples: &Samples, largest: f64, first: bool) {
    let percent = |value: f64| value / largest * 100.0;
    put!(
        html,
        "<div class=\"row\"><span class=\"who\">{}</span>\
         <span class=\"track\"><i class=\"{}\" style=\"width:{:.1}%\"></i>\
         <u style=\"left:{:.1}%;width:{:.1}%\"></u></span>\
         <span class=\"value\">{} <small>{}</small></span></div>",
        escape(&samples.storage),
        if first { "first" } else { "other" },
        percent(samples.median),
        percent(samples.min),
        percent(samples.max - samples.min),
        number(samples.median),
        spread(samples),
    );
}

fn spread(samples: &Samples) -> String {
    match samples.values.len() {
        1 => "measured once".to_owned(),
        count => format!(
            "{}–{}, {:.0} % spread of {count}",
            number(samples.min),
            number(samples.max),
            samples.spread_percent
        ),
    }
}

fn ratio(html: &mut String, measurement: &Measurement) {
    if let (Some(ratio), [first, second]) = (measurement.ratio, measurement.samples.as_slice()) {
        let good = (ratio >= 1.0) == (measurement.better == Better::Higher);
        put!(
            html,
            "<p class=\"ratio {}\">{} ÷ {} = <b>{ratio:.2}</b></p>",
            if good { "good" } else { "bad" },
            escape(&first.storage),
            escape(&second.storage)
        );
    }
}

fn target(html: &mut String, measurement: &Measurement) {
    let (Some(target), Some(reached)) = (measurement.target, measurement.reached) else { return };
    let (what, least) = match target {
        Target::Ratio(least) => ("ratio", least),
        Target::Median(least) => ("median", least),
    };
    put!(
        html,
        "<p class=\"ratio {}\">target: {what} ≥ {least}: <b>{}</b></p>",
        if reached { "good" } else { "bad" },
        if reached { "PASS" } else { "short" },
    );
}
