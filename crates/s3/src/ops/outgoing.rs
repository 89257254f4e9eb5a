//! Sending an object's bytes no faster than the client takes them, and ending what it takes too slowly.

use std::time::{Duration, Instant};

use bytes::Bytes;
use s3s::StdError;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::guard::{CHECK_PERIOD, PACE};
use crate::memory::{Account, Charge, OutOfMemory};

/// A response that is being sent.
pub struct Outgoing {
    account: Account,
    charge: Charge,
    bytes: u64,
    /// The time for which it waited for the client.
    waited: Duration,
}

impl Outgoing {
    /// Nothing has been sent yet.
    pub fn new(account: &Account) -> Outgoing {
        Outgoing { account: account.clone(), charge: account.charge(), bytes: 0, waited: Duration::ZERO }
    }

    /// Waits for the memory for the bytes that are read next.
    pub async fn reserve(&mut self, bytes: u32) -> Result<(), OutOfMemory> {
        self.charge.hold(bytes as usize).await
    }

    /// Passes on a piece, whose memory the client's connection holds from now on. Returns false if the client has gone, or takes the
    /// response too slowly.
    pub async fn send(&mut self, piece: Bytes, sender: &mpsc::Sender<Result<Bytes, StdError>>) -> bool {
        let since = Instant::now();
        let place = loop {
            match timeout(CHECK_PERIOD, sender.reserve()).await {
                Ok(Ok(place)) => break place,
                Ok(Err(_)) => {
                    if since.elapsed() + CHECK_PERIOD >= PACE.silence_max {
                        self.count_slow();
                    }
                    return false;
                }
                Err(_) => {}
            }
            if PACE.is_missed(self.bytes, self.waited + since.elapsed(), &self.account) {
                self.count_slow();
                self.account.close_connection();
                return false;
            }
        };
        self.waited += since.elapsed();
        self.bytes += piece.len() as u64;
        place.send(Ok(self.charge.give_with(piece)));
        true
    }

    fn count_slow(&self) {
        if let Some(counters) = self.account.counters() {
            counters.responses_slow.add();
        }
    }
}
