//! Paths that more than one module needs.

/// The path below which the API is served.
pub const BASE: &str = "/api/v1";

/// The path below which pages opened with a ticket are served: outside [`BASE`], since they are not part of the API.
pub const LAB_PAGES: &str = "/lab-pages";

/// The part of the paths of Kafka's topics before the topic's name.
const TOPICS: &str = "/topics/";

/// The part of a path that may be logged: tickets must not be in the log, nor names of topics.
pub fn loggable(path: &str) -> &str {
    if path.starts_with(LAB_PAGES) {
        return LAB_PAGES;
    }
    let below = path.strip_prefix(BASE).filter(|below| below.starts_with("/kafka/"));
    let end = below.and_then(|_| path.find(TOPICS)).map(|at| at.saturating_add(TOPICS.len()));
    end.and_then(|end| path.get(..end)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_and_topics_are_not_logged() {
        assert_eq!(loggable("/lab-pages/secret/x"), LAB_PAGES);
        assert_eq!(
            loggable("/api/v1/kafka/clusters/c/topics/orders/sharing"),
            "/api/v1/kafka/clusters/c/topics/"
        );
        assert_eq!(loggable("/api/v1/kafka/clusters/c/topics"), "/api/v1/kafka/clusters/c/topics");
        assert_eq!(loggable("/api/v1/buckets/topics/objects"), "/api/v1/buckets/topics/objects");
    }
}
