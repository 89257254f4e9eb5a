//! The parameters of a request's query.

use super::percent::decode_query;
use super::refusal::Refusal;

/// Most bytes that a query may have.
pub(super) const QUERY_BYTES_MAX: usize = 16 << 10;

/// The decoded parameters, in the order in which they came. Names are case-sensitive, as they are for s3s.
#[derive(Debug)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn parse(text: &str) -> Result<Query, Refusal> {
        if text.len() > QUERY_BYTES_MAX {
            return Err(Refusal::QueryTooLong);
        }
        let parameters = text.split('&').filter(|parameter| !parameter.is_empty()).map(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            Ok((decode_query(name)?.into_owned(), decode_query(value)?.into_owned()))
        });
        Ok(Query(parameters.collect::<Result<_, Refusal>>()?))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(have, _)| have == name)
    }

    /// Whether there is a parameter of this name in whatever case.
    pub(super) fn has_in_any_case(&self, name: &str) -> bool {
        self.0.iter().any(|(have, _)| have.eq_ignore_ascii_case(name))
    }

    /// The value of a parameter that is there once and is not empty.
    pub(super) fn only(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(have, _)| have == name).map(|(_, value)| value.as_str());
        let value = values.next()?;
        (values.next().is_none() && !value.is_empty()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_in_name_and_value() {
        let query = Query::parse("acl&&X-Amz-D%61te=a%3Db+c&twice=1&twice=2&empty=").unwrap();
        assert!(query.has("acl") && query.has("twice") && !query.has("ACL"));
        assert!(query.has_in_any_case("ACL"));
        assert_eq!(query.only("X-Amz-Date"), Some("a=b c"));
        assert_eq!((query.only("twice"), query.only("empty"), query.only("acl")), (None, None, None));
        assert!(!Query::parse("").unwrap().has(""));
    }

    #[test]
    fn a_long_or_malformed_query_is_refused() {
        assert!(Query::parse(&"a".repeat(QUERY_BYTES_MAX)).is_ok());
        assert_eq!(Query::parse(&"a".repeat(QUERY_BYTES_MAX + 1)).unwrap_err(), Refusal::QueryTooLong);
        assert_eq!(Query::parse("a=%f").unwrap_err(), Refusal::InvalidUri);
    }
}
