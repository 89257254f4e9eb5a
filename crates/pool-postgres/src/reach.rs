//! Connecting to the one of several hosts that has the primary.
//!
//! A host that vanished does not refuse a connection: it says nothing, and neither does one whose server hangs. So the next host is tried as well
//! after a moment, each host has a limited time until it has signed this process in, and the first one that can write is taken.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::database::Database;
use crate::refusal::{Attempt, Refusal};

/// How long one host may take.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// How long one address of a host's name may take to accept the connection. The client tries a name's addresses one after the other, so the second one
/// still has its time if the first says nothing.
pub(crate) const ADDRESS_MAX: Duration = Duration::from_millis(1500);
/// How long the primary alone is looked for where a standby will do as well.
const PRIMARY_MAX: Duration = Duration::from_secs(2);
/// How long the hosts before have to themselves.
const HEAD_START: Duration = Duration::from_millis(300);

/// The connection behind a client, which works only while this is polled.
pub(crate) type Link = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// Which of the hosts will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Primary,
    /// The primary if it answers soon, otherwise a standby, which may be far behind.
    Any,
}

/// Connects as a session with this name.
pub(crate) async fn connect(database: &Database, session: &str, wanted: Wanted) -> Attempt<(Client, Link)> {
    if wanted == Wanted::Any && hosts_of(&database.config).len() > 1 {
        let primary = connect_to_first(database, session, Wanted::Primary);
        if let Ok(Ok(connected)) = tokio::time::timeout(PRIMARY_MAX, primary).await {
            return Ok(connected);
        }
    }
    connect_to_first(database, session, wanted).await
}

/// Connects to the first host that answers and will do.
async fn connect_to_first(database: &Database, session: &str, wanted: Wanted) -> Attempt<(Client, Link)> {
    let mut hosts = hosts_of(&database.config);
    let is_choice = hosts.len() > 1;
    for config in &mut hosts {
        config.application_name(session);
        // With one host its refusal to write is explained later.
        if wanted == Wanted::Primary && is_choice {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
    }
    let attempt = async |config: Config| {
        let connecting = tokio::time::timeout(CONNECT_MAX, config.connect(database.tls.clone()));
        match connecting.await {
            Ok(connected) => connected.map_err(|error| Refusal::of(database, &error)),
            Err(_) => Err(Refusal::silent(no_answer(database, CONNECT_MAX))),
        }
    };
    let mut hosts = hosts.into_iter();
    let mut attempts = FuturesUnordered::new();
    attempts.extend(hosts.next().map(attempt));
    let mut failure = None;
    loop {
        let next = tokio::select! {
            attempted = attempts.next() => match attempted {
                Some(Ok(connected)) => return Ok(connected),
                Some(Err(error)) => {
                    failure.get_or_insert(error);
                    hosts.next()
                }
                None => {
                    let none = || Refusal::silent(no_answer(database, Duration::ZERO));
                    return Err(failure.unwrap_or_else(none));
                }
            },
            () = tokio::time::sleep(HEAD_START), if hosts.len() > 0 => hosts.next(),
        };
        attempts.extend(next.map(attempt));
    }
}

/// The error for a database that has not answered for so long.
pub(crate) fn no_answer(database: &Database, time: Duration) -> forebay_pool::Error {
    let cause = format!("no answer within {} s", time.as_secs());
    database.error(cause, "see whether the database runs, and whether it can be reached")
}

/// The settings for each of the hosts. If their numbers do not fit together, the client explains that.
fn hosts_of(all: &Config) -> Vec<Config> {
    let (names, addresses, ports) = (all.get_hosts(), all.get_hostaddrs(), all.get_ports());
    let count = names.len().max(addresses.len());
    let fits = |len: usize| len <= 1 || len == count;
    if count < 2
        || !fits(ports.len())
        || !(names.is_empty() || names.len() == count)
        || !fits(addresses.len())
    {
        return vec![all.clone()];
    }
    let of = |at: usize| {
        let mut one = without_hosts(all);
        match names.get(at) {
            Some(Host::Tcp(name)) => drop(one.host(name)),
            Some(Host::Unix(path)) => drop(one.host_path(path)),
            None => {}
        }
        if let Some(address) = addresses.get(at) {
            one.hostaddr(*address);
        }
        if let Some(port) = ports.get(at).or(ports.first()) {
            one.port(*port);
        }
        one
    };
    (0..count).map(of).collect()
}

/// All settings but where the server is.
fn without_hosts(all: &Config) -> Config {
    let mut one = Config::new();
    one.ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .channel_binding(all.get_channel_binding())
        .target_session_attrs(all.get_target_session_attrs())
        .load_balance_hosts(all.get_load_balance_hosts())
        .keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle());
    if let Some(user) = all.get_user() {
        one.user(user);
    }
    if let Some(password) = all.get_password() {
        one.password(password);
    }
    if let Some(name) = all.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = all.get_options() {
        one.options(options);
    }
    if let Some(time) = all.get_connect_timeout() {
        one.connect_timeout(*time);
    }
    if let Some(time) = all.get_tcp_user_timeout() {
        one.tcp_user_timeout(*time);
    }
    if let Some(time) = all.get_keepalives_interval() {
        one.keepalives_interval(time);
    }
    if let Some(count) = all.get_keepalives_retries() {
        one.keepalives_retries(count);
    }
    one
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    #[test]
    fn each_host_keeps_all_other_settings() {
        let text = "host=db1,/run/db2 port=5433,5434 user=forebay password=secret dbname=pools options='-c a=b' connect_timeout=7 \
                    tcp_user_timeout=3 keepalives=1 keepalives_idle=2 keepalives_interval=1 keepalives_retries=3 sslmode=require \
                    sslnegotiation=direct channel_binding=disable target_session_attrs=read-write load_balance_hosts=random";
        let hosts = hosts_of(&Config::from_str(text).unwrap());
        let alone = |host: &str, port: &str| {
            let one = text.replace("db1,/run/db2", host).replace("5433,5434", port);
            Config::from_str(&one).unwrap()
        };
        assert_eq!(hosts, [alone("db1", "5433"), alone("/run/db2", "5434")]);
        assert_eq!(hosts_of(&Config::from_str("host=a,b port=1").unwrap()).len(), 2);
        assert_eq!(hosts_of(&Config::from_str("host=a").unwrap()).len(), 1);
    }
}
