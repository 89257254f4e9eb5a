//! `forebay alert`.

use std::time::Duration;

use anyhow::{Result, bail};
use clap::Subcommand;
use forebay_admin::views::{
    Acknowledge, AlertState, AlertTargetView, AlertView, List, NewSilence, SilenceView, TargetTestView,
};

use crate::admin::client::Client;
use crate::arguments::Remote;
use crate::output::{print_as, print_columns, print_done, print_line};

/// `forebay alert`.
#[derive(Debug, Subcommand)]
pub enum AlertCommand {
    /// List alerts that fire
    List {
        /// Also list the last hundred alerts that were resolved
        #[arg(long)]
        all: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Acknowledge an alert, so that its notice is not repeated
    ///
    /// It still counts for `forebay status`. The acknowledgement ends when the alert is resolved.
    Acknowledge {
        /// The alert's id, as `forebay alert list` shows it
        id: String,

        /// A comment for other operators, such as a ticket's number
        #[arg(long, value_name = "TEXT", default_value = "")]
        comment: String,

        /// Withdraw an acknowledgement
        #[arg(long)]
        undo: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Silence alerts for a time: they are shown, but not delivered, and do not affect the status
    #[command(after_help = "Examples:
  forebay alert silence --for 2h --object 'volume kafka' --comment 'grows tonight'
  forebay alert silence --for 1d --rule ForebayClientSilent")]
    Silence {
        /// How long, such as 30m, 2h or 1d
        #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
        time: Duration,

        /// Only alerts of this rule [default: of all rules]
        #[arg(long, value_name = "NAME")]
        rule: Option<String>,

        /// Only alerts of this object, such as 'volume kafka' [default: of all objects]
        #[arg(long, value_name = "OBJECT")]
        object: Option<String>,

        /// Why, for other operators
        #[arg(long, value_name = "TEXT", default_value = "")]
        comment: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List silences
    Silences {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// End a silence
    Unsilence {
        /// The silence's number, as `forebay alert silences` shows it
        id: u64,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List the targets of notices, and whether they accept notices
    Targets {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Send a test notice to one target or to all
    Test {
        /// The target's name in the file of targets [default: all targets]
        target: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// Carries out a `forebay alert` command.
pub fn run(command: AlertCommand) -> Result<()> {
    match command {
        AlertCommand::List { all, remote } => {
            let path = if all { "alerts" } else { "alerts?state=firing" };
            let alerts: List<AlertView> = Client::new(&remote)?.get(path)?;
            print_as(remote.format(), &alerts.items, |alerts| list(alerts))
        }
        AlertCommand::Acknowledge { id, undo: true, remote, .. } => {
            Client::new(&remote)?.delete(&format!("alerts/{id}/acknowledgement"))?;
            print_done(remote.format(), &id, &format!("alert {id} is not acknowledged any more"))
        }
        AlertCommand::Acknowledge { id, comment, remote, .. } => {
            let path = format!("alerts/{id}/acknowledgement");
            let alert: AlertView = Client::new(&remote)?.put(&path, &Acknowledge { comment })?;
            print_done(remote.format(), &alert, &format!("acknowledged {} of {}", alert.name, alert.object))
        }
        AlertCommand::Silence { time, rule, object, comment, remote } => {
            let new = NewSilence { rule, object, seconds: time.as_secs(), comment };
            let silence: SilenceView = Client::new(&remote)?.post("silences", &new)?;
            print_done(
                remote.format(),
                &silence,
                &format!("silence {} lasts until {}", silence.id, silence.until),
            )
        }
        AlertCommand::Silences { remote } => {
            let silences: List<SilenceView> = Client::new(&remote)?.get("silences")?;
            print_as(remote.format(), &silences.items, |silences| list_silences(silences))
        }
        AlertCommand::Unsilence { id, remote } => {
            Client::new(&remote)?.delete(&format!("silences/{id}"))?;
            print_done(remote.format(), &id, &format!("silence {id} is over"))
        }
        AlertCommand::Targets { remote } => {
            let targets: List<AlertTargetView> = Client::new(&remote)?.get("alert-targets")?;
            print_as(remote.format(), &targets.items, |targets| list_targets(targets))
        }
        AlertCommand::Test { target, remote } => test(target, &remote),
    }
}

fn test(target: Option<String>, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    let names = match target {
        Some(name) => vec![name],
        None => {
            let all: List<AlertTargetView> = client.get("alert-targets")?;
            all.items.into_iter().map(|target| target.name).collect()
        }
    };
    if names.is_empty() {
        bail!("there are no targets; name a file of them in alerts.targets, and start the daemon again");
    }
    let mut failed = Vec::new();
    for name in &names {
        let outcome: TargetTestView = client.post(&format!("alert-targets/{name}/test"), &())?;
        let words = match &outcome.error {
            None => format!("{name}: delivered"),
            Some(error) => {
                failed.push(name.as_str());
                format!("{name}: {error}")
            }
        };
        print_done(remote.format(), &outcome, &words)?;
    }
    if !failed.is_empty() {
        bail!("not delivered: {}", failed.join(", "));
    }
    Ok(())
}

fn list(alerts: &[AlertView]) -> Result<()> {
    if alerts.is_empty() {
        return print_line("No alerts");
    }
    let row = |alert: &AlertView| {
        let severity = alert.severity.to_string();
        vec![
            alert.id.clone(),
            severity,
            state(alert),
            alert.object.clone(),
            alert.message.clone(),
            alert.since.clone(),
        ]
    };
    print_columns(&["id", "severity", "state", "object", "problem", "since"], alerts.iter().map(row))
}

/// The state of an alert: also whether it is acknowledged or silenced.
pub fn state(alert: &AlertView) -> String {
    match (alert.state, &alert.silenced, &alert.acknowledged) {
        (AlertState::Resolved, ..) => "resolved".to_owned(),
        (AlertState::Firing, Some(silence), _) => format!("silent until {}", silence.until),
        (AlertState::Firing, None, Some(one)) => format!("acknowledged by {}", one.by),
        (AlertState::Firing, None, None) => "firing".to_owned(),
    }
}

fn list_silences(silences: &[SilenceView]) -> Result<()> {
    if silences.is_empty() {
        return print_line("No silences");
    }
    let row = |silence: &SilenceView| {
        let of = |what: &Option<String>| what.clone().unwrap_or_else(|| "all".to_owned());
        vec![
            silence.id.to_string(),
            of(&silence.rule),
            of(&silence.object),
            silence.until.clone(),
            silence.by.clone(),
            silence.comment.clone(),
        ]
    };
    print_columns(&["id", "rule", "object", "until", "by", "comment"], silences.iter().map(row))
}

fn list_targets(targets: &[AlertTargetView]) -> Result<()> {
    if targets.is_empty() {
        return print_line("No targets: alerts are only shown. alerts.targets names a file of targets.");
    }
    let row = |target: &AlertTargetView| {
        let last = match (&target.error, &target.last_delivered) {
            (Some(error), _) => format!("failed: {error}"),
            (None, Some(at)) => format!("delivered {at}"),
            (None, None) => "nothing sent yet".to_owned(),
        };
        let (kind, severity) = (target.kind.clone(), target.severity.to_string());
        vec![target.name.clone(), kind, target.place.clone(), severity, target.waiting.to_string(), last]
    };
    print_columns(&["name", "type", "to", "from severity", "waiting", "last"], targets.iter().map(row))
}
