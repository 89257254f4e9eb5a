//! Work that must not stay half done when its caller is dropped.
//!
//! Running all such work as a task of its own would cost two task switches, and often thread switches, for each small write. So
//! the work runs inside the caller's task, and becomes a task of its own only if the caller is dropped.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;

/// See the module. Must be awaited or dropped within a runtime. Without a runtime the work stops where it is, as it does when
/// the runtime ends.
pub(crate) struct Lasting<F: Future<Output: Send> + Send + 'static>(Option<Pin<Box<F>>>);

impl<F: Future<Output: Send> + Send + 'static> Lasting<F> {
    pub(crate) fn new(work: F) -> Self {
        Lasting(Some(Box::pin(work)))
    }
}

impl<F: Future<Output: Send> + Send + 'static> Future for Lasting<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // The work is taken out while it is polled: if it panics, it is not polled again.
        let Some(mut work) = self.0.take() else { return Poll::Pending };
        let polled = work.as_mut().poll(context);
        if polled.is_pending() {
            self.0 = Some(work);
        }
        polled
    }
}

impl<F: Future<Output: Send> + Send + 'static> Drop for Lasting<F> {
    fn drop(&mut self) {
        if let Some(work) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(work);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn work_goes_on_without_its_caller() {
        let (begin, begun) = oneshot::channel::<()>();
        let (end, ended) = oneshot::channel();
        let work = Lasting::new(async move {
            let _ = begun.await;
            let _ = end.send(7);
        });
        assert!(timeout(Duration::ZERO, work).await.is_err(), "it waits");
        begin.send(()).unwrap();
        assert_eq!(timeout(DEADLINE, ended).await.unwrap(), Ok(7));
    }

    #[tokio::test]
    async fn its_outcome_is_the_callers() {
        assert_eq!(Lasting::new(async { 7 }).await, 7);
    }
}
