//! Why the database did not do what it was asked, as far as it decides whether to try again.

use std::io::ErrorKind;

use forebay_pool::Error;
use tokio_postgres::error::SqlState;

use crate::database::Database;
use crate::session::refused;

/// The result of an attempt. After a failure, the caller decides whether to try again.
pub(crate) type Attempt<T> = std::result::Result<T, Refusal>;

/// An error with its cause.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// In a box, so that results are small.
    pub(crate) error: Box<Error>,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    /// The server has answered with this code.
    Answer(SqlState),
    /// The server cannot be reached, does not answer, or is not the primary yet.
    Connection,
    /// Anything else, for example a name without an address, a certificate, or a setting of the server.
    Other,
}

impl Refusal {
    pub(crate) fn of(database: &Database, error: &tokio_postgres::Error) -> Refusal {
        let cause = match error.code() {
            Some(code) => Cause::Answer(code.clone()),
            None if error.is_closed() || is_of_connection(error) => Cause::Connection,
            None => Cause::Other,
        };
        Refusal { error: Box::new(refused(database, error)), cause }
    }

    /// The server does not answer.
    pub(crate) fn silent(error: Error) -> Refusal {
        Refusal { error: Box::new(error), cause: Cause::Connection }
    }

    /// Whether waiting may cure it although nothing has worked yet: the server is away, starts, or has no room for another connection. Anything else
    /// is then a mistake of the operator.
    pub(crate) fn may_pass(&self) -> bool {
        match &self.cause {
            Cause::Answer(code) => is_in(code, &["08", "53", "57"]),
            Cause::Connection => true,
            Cause::Other => false,
        }
    }

    /// Whether the server will answer the same as long as nobody changes something in the database: the statement is wrong there, the role may not do
    /// it, or the data is damaged. Everything else may pass, also with another server of several.
    pub(crate) fn stays(&self) -> bool {
        match &self.cause {
            Cause::Answer(code) => {
                *code == SqlState::DATA_CORRUPTED
                    || *code == SqlState::INDEX_CORRUPTED
                    || is_in(code, &["0A", "22", "23", "3F", "42"])
            }
            Cause::Connection | Cause::Other => false,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        *refusal.error
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal { error: Box::new(error), cause: Cause::Other }
    }
}

fn is_in(code: &SqlState, classes: &[&str]) -> bool {
    code.code().get(..2).is_some_and(|class| classes.contains(&class))
}

/// A name that cannot be resolved and a certificate that is not trusted are none of these. The client reports a standby among several hosts as
/// `PermissionDenied`: it may be about to become the primary. The socket of a server that is not started is `NotFound`.
fn is_of_connection(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(error) = cause.downcast_ref::<std::io::Error>() {
            return matches!(
                error.kind(),
                ErrorKind::ConnectionRefused
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::NotConnected
                    | ErrorKind::BrokenPipe
                    | ErrorKind::TimedOut
                    | ErrorKind::UnexpectedEof
                    | ErrorKind::NotFound
                    | ErrorKind::PermissionDenied
                    | ErrorKind::HostUnreachable
                    | ErrorKind::NetworkUnreachable
                    | ErrorKind::NetworkDown
            );
        }
        source = cause.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    async fn refusal(port: u16) -> Refusal {
        let url = format!("host=127.0.0.1 port={port} user=forebay dbname=postgres sslmode=disable");
        let database = Database::of(&url, "kafka").unwrap();
        let error = database.config.connect(database.tls.clone()).await.err().unwrap();
        Refusal::of(&database, &error)
    }

    /// A server that answers the first connection with an error.
    fn server_that_answers(code: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            assert!(client.read(&mut [0; 1024]).unwrap() > 0);
            let fields = format!("SFATAL\0C{code}\0Mno\0\0");
            let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
            client.write_all(&[&b"E"[..], &length[..], fields.as_bytes()].concat()).unwrap();
        });
        port
    }

    #[tokio::test]
    async fn a_server_that_is_away_starts_or_is_full_is_waited_for_and_a_wrong_password_is_not() {
        for (code, may_pass, stays) in [
            ("57P03", true, false),
            ("53300", true, false),
            ("40001", false, false),
            ("28P01", false, false),
            ("3D000", false, false),
            ("42P01", false, true),
            ("XX000", false, false),
            ("XX001", false, true),
        ] {
            let refusal = refusal(server_that_answers(code)).await;
            assert_eq!((refusal.may_pass(), refusal.stays()), (may_pass, stays), "{code}: {refusal:?}");
        }
        let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let refusal = refusal(unused).await;
        assert!(refusal.may_pass() && !refusal.stays(), "{refusal:?}");
        let other = Refusal::from(Error::Closed);
        assert!(!other.may_pass() && !other.stays(), "{other:?}");
    }
}
