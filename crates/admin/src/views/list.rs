//! Lists in responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A list of objects.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct List<T> {
    /// The objects.
    pub items: Vec<T>,
    /// The total number of objects; larger than the length of `items` if a limit was given.
    pub total: u64,
}

impl<T> List<T> {
    /// A complete list.
    pub fn all(items: Vec<T>) -> List<T> {
        let total = items.len() as u64;
        List { items, total }
    }
}
