//! Whether answers may be sent. A daemon whose pool another one may have taken holds its answers until it knows that it still has the pool.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tower::Service;

/// How often it is looked whether a held answer may be sent.
const LOOK_EVERY: Duration = Duration::from_millis(20);

type May = dyn Fn() -> bool + Send + Sync;

/// Says of each answer, after it was computed, whether it may be sent. By default every answer may.
#[derive(Clone, Default)]
pub struct Answers(Option<Arc<May>>);

impl Answers {
    /// Answers are sent while `may` returns true. It is called for each answer, so it should be fast.
    pub fn while_true(may: impl Fn() -> bool + Send + Sync + 'static) -> Answers {
        Answers(Some(Arc::new(may)))
    }

    /// Whether answers are sent now.
    pub fn are_sent(&self) -> bool {
        self.0.as_ref().is_none_or(|may| may())
    }

    /// Returns when an answer may be sent that was computed before the call. Never, if the pool is gone for good: the process ends then.
    pub async fn permitted(&self) {
        while !self.are_sent() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// A service whose answers are held.
    pub fn hold<S>(&self, service: S) -> Held<S> {
        Held { service, answers: self.clone() }
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Answers that may be held" } else { "Answers" })
    }
}

/// See [`Answers::hold`].
#[derive(Clone)]
pub struct Held<S> {
    service: S,
    answers: Answers,
}

impl<S, R> Service<R> for Held<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Response: Send,
    S::Error: Send,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let (answering, answers) = (self.service.call(request), self.answers.clone());
        Box::pin(async move {
            let answer = answering.await;
            answers.permitted().await;
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tower::{ServiceExt, service_fn};

    use super::*;

    #[tokio::test]
    async fn an_answer_is_computed_and_then_held_until_it_may_be_sent() {
        let (may, computed) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
        let answers = {
            let may = may.clone();
            Answers::while_true(move || may.load(Ordering::SeqCst))
        };
        let noted = computed.clone();
        let service = answers.hold(service_fn(move |number: u32| {
            let noted = noted.clone();
            async move {
                noted.store(true, Ordering::SeqCst);
                Ok::<_, Infallible>(number + 1)
            }
        }));
        assert_eq!(service.clone().oneshot(1).await, Ok(2));
        may.store(false, Ordering::SeqCst);
        computed.store(false, Ordering::SeqCst);
        let held = tokio::spawn(service.oneshot(2));
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(computed.load(Ordering::SeqCst) && !held.is_finished());
        may.store(true, Ordering::SeqCst);
        assert_eq!(held.await.unwrap(), Ok(3));
        Answers::default().permitted().await;
    }
}
