//! Progress on standard error: a line with a spinner on a terminal, plain lines otherwise.

use std::fmt;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};

/// The tone of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    /// Neutral.
    Plain,
    /// A stage of the experiment.
    Stage,
    /// Good.
    Good,
    /// Bad.
    Bad,
}

/// Shows progress on standard error. Cheap to clone; all clones share one line.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    shape: Shape,
    started: Instant,
    note: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Terminal,
    Lines,
    #[cfg(test)]
    Silent,
}

impl Progress {
    /// A spinner if standard error is a terminal, lines otherwise.
    pub fn new() -> Self {
        let shape = if std::io::stderr().is_terminal() { Shape::Terminal } else { Shape::Lines };
        Self::with(shape)
    }

    /// Shows nothing.
    #[cfg(test)]
    pub fn silent() -> Self {
        Self::with(Shape::Silent)
    }

    fn with(shape: Shape) -> Self {
        let target = if shape == Shape::Terminal {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) =
            ProgressStyle::with_template("{elapsed:>5} {spinner:.cyan} {prefix:.bold} {wide_msg:.dim}")
        {
            bar.set_style(style);
        }
        if shape == Shape::Terminal {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar, shape, started: Instant::now(), note: None }
    }

    /// Also writes each stage to a file from now on, so that the supervisor can print where the work stopped.
    #[must_use]
    pub fn noting(mut self, path: PathBuf) -> Self {
        self.note = Some(path);
        self
    }

    /// The next stage of the work begins.
    pub fn stage(&self, label: &str) {
        if let Some(note) = &self.note {
            // A failure to write the stage must not end the work.
            let _ = std::fs::write(note, label);
        }
        self.bar.set_prefix(label.to_owned());
        self.bar.set_message("");
        if self.shape == Shape::Lines {
            eprintln!("{} {label}", self.clock());
        }
    }

    /// Shows the progress of the stage. It replaces the previous text, and is not shown in plain lines.
    pub fn detail(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    /// Shows an event on a line of its own. What is bad may be what the experiment does to a server, and is no failure.
    pub fn event(&self, tone: Tone, text: &str) {
        let mark = match tone {
            Tone::Good => "✓",
            Tone::Bad => "!",
            Tone::Plain | Tone::Stage => "·",
        };
        self.line(mark, text);
    }

    /// Shows the outcome of a check on a line of its own.
    pub fn verdict(&self, passed: bool, text: &str) {
        self.line(if passed { "✓" } else { "✗" }, text);
    }

    fn line(&self, mark: &str, text: &str) {
        let line = format!("{}   {mark} {text}", self.clock());
        match self.shape {
            Shape::Terminal => self.bar.println(line),
            Shape::Lines => eprintln!("{line}"),
            #[cfg(test)]
            Shape::Silent => {}
        }
    }

    /// Removes the spinner.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn clock(&self) -> String {
        let seconds = self.started.elapsed().as_secs();
        format!("{:>2}:{:02}", seconds / 60, seconds % 60)
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("shape", &self.shape).finish_non_exhaustive()
    }
}
