//! The id of the request that a task handles.

use std::future::Future;

tokio::task_local! {
    static CURRENT_ID: String;
}

/// Runs `handled` as the handling of the request with this id.
pub async fn scope<F: Future>(id: String, handled: F) -> F::Output {
    CURRENT_ID.scope(id, handled).await
}

/// The id of the request that the current task handles.
pub fn current() -> Option<String> {
    CURRENT_ID.try_with(Clone::clone).ok()
}
