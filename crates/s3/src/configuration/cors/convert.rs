//! Documents of CORS: validation, and the way back.

use s3s::{S3Error, S3Result, dto};

use super::{Cors, METHODS, Rule, is_header_name};
use crate::errors::{invalid_request, malformed_xml};

const RULES_MAX: usize = 100;
const ID_CHARS_MAX: usize = 255;

impl Cors {
    /// Takes the body of PutBucketCors.
    pub fn from_dto(document: &dto::CORSConfiguration) -> S3Result<Cors> {
        if document.cors_rules.is_empty() || document.cors_rules.len() > RULES_MAX {
            return Err(malformed_xml());
        }
        Ok(Cors { rules: document.cors_rules.iter().map(rule).collect::<S3Result<_>>()? })
    }

    /// Returns the rules for an answer.
    pub fn to_dto(&self) -> dto::CORSRules {
        let list = |texts: &Vec<String>| (!texts.is_empty()).then(|| texts.clone());
        let rule = |rule: &Rule| dto::CORSRule {
            allowed_headers: list(&rule.allowed_headers),
            allowed_methods: rule.allowed_methods.clone(),
            allowed_origins: rule.allowed_origins.clone(),
            expose_headers: list(&rule.expose_headers),
            id: rule.id.clone(),
            max_age_seconds: rule.max_age_seconds.and_then(|seconds| i32::try_from(seconds).ok()),
        };
        self.rules.iter().map(rule).collect()
    }
}

fn rule(document: &dto::CORSRule) -> S3Result<Rule> {
    let rule = Rule {
        id: document.id.clone(),
        allowed_origins: document.allowed_origins.clone(),
        allowed_methods: document.allowed_methods.clone(),
        allowed_headers: document.allowed_headers.clone().unwrap_or_default(),
        expose_headers: document.expose_headers.clone().unwrap_or_default(),
        max_age_seconds: match document.max_age_seconds {
            Some(seconds) => Some(u32::try_from(seconds).map_err(|_| malformed_xml())?),
            None => None,
        },
    };
    let id_chars = rule.id.as_ref().map_or(0, |id| id.chars().count());
    if rule.allowed_origins.is_empty() || rule.allowed_methods.is_empty() || id_chars > ID_CHARS_MAX {
        return Err(malformed_xml());
    }
    rule.allowed_origins.iter().try_for_each(|origin| check_wildcards("AllowedOrigin", origin))?;
    if let Some(method) = rule.allowed_methods.iter().find(|method| !METHODS.contains(&method.as_str())) {
        return Err(invalid_request(format!(
            "Found unsupported HTTP method in CORS config. Unsupported method is {method}"
        )));
    }
    for header in &rule.allowed_headers {
        check_wildcards("AllowedHeader", header)?;
        check_characters(header)?;
    }
    for header in &rule.expose_headers {
        check_characters(header)?;
        if header.contains('*') {
            return Err(invalid_request(format!(
                "ExposeHeader \"{header}\" contains wildcard. We currently do not support wildcard for ExposeHeader."
            )));
        }
    }
    Ok(rule)
}

fn check_wildcards(element: &str, text: &str) -> S3Result {
    if text.matches('*').count() <= 1 {
        return Ok(());
    }
    Err(invalid_request(format!("{element} \"{text}\" can not have more than one wildcard.")))
}

/// AWS names the element AllowedHeader in both cases.
fn check_characters(header: &str) -> S3Result {
    let error =
        || -> S3Error { invalid_request(format!("AllowedHeader \"{header}\" contains invalid character.")) };
    is_header_name(header).then_some(()).ok_or_else(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordinary() -> dto::CORSRule {
        dto::CORSRule {
            allowed_headers: Some(vec!["x-*".to_owned()]),
            allowed_methods: vec!["GET".to_owned()],
            allowed_origins: vec!["http://*.example.com".to_owned()],
            expose_headers: Some(vec!["ETag".to_owned()]),
            id: Some("one".to_owned()),
            max_age_seconds: Some(60),
        }
    }

    fn refusal(change: impl FnOnce(&mut dto::CORSRule)) -> (String, String) {
        let mut rule = ordinary();
        change(&mut rule);
        let error = Cors::from_dto(&dto::CORSConfiguration { cors_rules: vec![rule] }).unwrap_err();
        (error.code().as_str().to_owned(), error.message().unwrap_or_default().to_owned())
    }

    #[test]
    fn rules_survive_the_way_to_the_protocol_and_back() {
        let bare = dto::CORSRule {
            allowed_headers: None,
            expose_headers: None,
            id: None,
            max_age_seconds: None,
            ..ordinary()
        };
        let document = dto::CORSConfiguration { cors_rules: vec![ordinary(), bare] };
        let cors = Cors::from_dto(&document).unwrap();
        assert!(cors.to_dto() == document.cors_rules);
        assert_eq!(serde_json::from_slice::<Cors>(&serde_json::to_vec(&cors).unwrap()).unwrap(), cors);
    }

    #[test]
    fn rules_outside_the_limits_are_refused() {
        assert_eq!(refusal(|rule| rule.allowed_origins.clear()).0, "MalformedXML");
        assert_eq!(refusal(|rule| rule.allowed_methods.clear()).0, "MalformedXML");
        assert_eq!(refusal(|rule| rule.id = Some("i".repeat(256))).0, "MalformedXML");
        assert_eq!(refusal(|rule| rule.max_age_seconds = Some(-1)).0, "MalformedXML");
        for count in [0, 101] {
            let document = dto::CORSConfiguration { cors_rules: vec![ordinary(); count] };
            assert_eq!(Cors::from_dto(&document).unwrap_err().code().as_str(), "MalformedXML");
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let refused = refusal(|rule| rule.allowed_origins.push("http://*.*".to_owned()));
        assert_eq!(refused.1, "AllowedOrigin \"http://*.*\" can not have more than one wildcard.");
        let refused = refusal(|rule| rule.allowed_methods.push("PATCH".to_owned()));
        assert_eq!(refused.1, "Found unsupported HTTP method in CORS config. Unsupported method is PATCH");
        let refused = refusal(|rule| rule.allowed_headers = Some(vec!["a b".to_owned()]));
        assert_eq!(refused.1, "AllowedHeader \"a b\" contains invalid character.");
        assert!(
            refusal(|rule| rule.expose_headers = Some(vec!["*".to_owned()])).1.contains("contains wildcard")
        );
    }
}
