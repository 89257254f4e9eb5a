//! Small texts beside the segments: how far each start's metadata reached.
//!
//! A text that need not be durable at once is stored at most every ten seconds, because each object costs a request.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::Result;
use forebay_pool::store::{Connections, NoteStore};
use tokio::time::Instant;

use crate::client::Client;

/// The time between two texts of the same name that need not be durable at once.
const PAUSE: Duration = Duration::from_secs(10);
/// The folder of the texts.
const FOLDER: &str = "notes";

/// See the module.
pub struct BucketNotes {
    client: Arc<Client>,
    connections: Arc<Connections>,
    waiting: Arc<Mutex<HashMap<String, Waiting>>>,
}

/// A text that is to be stored.
struct Waiting {
    text: Option<Bytes>,
    stored: Instant,
    is_under_way: bool,
}

impl BucketNotes {
    pub(crate) fn new(client: Arc<Client>, connections: Arc<Connections>) -> BucketNotes {
        BucketNotes { client, connections, waiting: Arc::default() }
    }
}

/// The text that is to be stored under this name. If there is none, nothing is under way any more.
fn next_of(all: &Mutex<HashMap<String, Waiting>>, name: &str) -> Option<Bytes> {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    let waiting = all.get_mut(name)?;
    let text = waiting.text.take();
    match text {
        Some(_) => waiting.stored = Instant::now(),
        None => waiting.is_under_way = false,
    }
    text
}

fn object_of(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

impl NoteStore for BucketNotes {
    fn list(&self) -> Result<Vec<(String, PathBuf, Bytes)>> {
        let client = self.client.clone();
        self.connections.run(async move {
            let mut texts = Vec::new();
            for (object, _) in client.list(FOLDER, None).await? {
                let Some(part) = client.get(&object, None).await? else { continue };
                let name = object.rsplit('/').next().unwrap_or_default().to_owned();
                texts.push((name, client.address.place(&object), part.bytes));
            }
            Ok(texts)
        })
    }

    fn put(&self, name: &str, text: Bytes, durably: bool) -> Result<()> {
        let (client, object) = (self.client.clone(), object_of(name));
        if durably {
            return self.connections.run(async move { client.replace(&object, text).await });
        }
        let mut all = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let first = || Waiting { text: None, stored: Instant::now(), is_under_way: false };
        let waiting = all.entry(name.to_owned()).or_insert_with(first);
        waiting.text = Some(text);
        if std::mem::replace(&mut waiting.is_under_way, true) {
            return Ok(());
        }
        let (mut due, all, name) = (waiting.stored + PAUSE, self.waiting.clone(), name.to_owned());
        self.connections.leave(async move {
            loop {
                tokio::time::sleep_until(due).await;
                // Another text may have come while the last one was stored.
                let Some(text) = next_of(&all, &name) else { return };
                if let Err(error) = client.replace(&object, text).await {
                    tracing::warn!(%error, "a note of how far the metadata reached could not be stored");
                }
                due = Instant::now() + PAUSE;
            }
        });
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<()> {
        let (client, object) = (self.client.clone(), object_of(name));
        self.connections.run(async move { client.delete(&object).await })
    }
}
