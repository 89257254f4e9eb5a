//! The daemon's log: `tracing` events on standard error, as text ([`text`]) or JSON ([`json`]). Traces are
//! started here as well, since they also consist of `tracing` spans ([`crate::traces`]).

mod json;
mod text;

use std::io::{IsTerminal, stderr};

use anyhow::{Context, Result, anyhow};
use forebay_admin::traces::TARGET;
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::Registry;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::config::{LogConfig, LogFormat};
use crate::traces::Tracer;

/// The log level of the metadata store's libraries, unless the configuration names them.
const LIBRARIES: &str = "fjall=warn,lsm_tree=warn";

/// Starts the log, and traces if configured. Must be called only once.
pub fn start(config: &LogConfig, tracer: Option<Tracer>) -> Result<()> {
    // Last, so that spans for traces are never in the log, whatever the level.
    let directives = format!("{LIBRARIES},{},{TARGET}=off", config.level);
    let filter = EnvFilter::builder().parse(directives).context("log.level")?;
    let log: Box<dyn Layer<Registry> + Send + Sync> = match config.format {
        LogFormat::Text => {
            let layer = fmt::layer().with_writer(stderr).with_ansi(stderr().is_terminal());
            layer.with_target(false).fmt_fields(text::Fields).boxed()
        }
        LogFormat::Json => {
            report_panics();
            fmt::layer().with_writer(stderr).fmt_fields(JsonFields::new()).event_format(json::Line).boxed()
        }
    };
    match tracer {
        // Separate filters for the two would cost a little at every span and event.
        Some(tracer) => {
            let log = log.with_filter(filter);
            tracing_subscriber::registry().with(log).with(tracer.layer()).try_init()
        }
        None => tracing_subscriber::registry().with(log).with(filter).try_init(),
    }
    .map_err(|error| anyhow!("log: cannot be started: {error}"))
}

/// Logs a panic as a normal line.
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let message = payload.downcast_ref::<&str>().map(|message| (*message).to_owned());
        let message = message.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, thread = std::thread::current().name(), "panicked: {message}");
    }));
}
