//! The OpenAPI document: what the handlers' annotations say, and what applies to all of them.
//!
//! Each handler documents only its own responses. Responses that any handler may give, because
//! authentication, query, path and body are read in the same way everywhere, are added here, so that every
//! possible response is in the document.

use std::sync::Arc;

use serde_json::Value;
use utoipa::openapi::path::{HttpMethod, Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, Ref, RefOr, ResponseBuilder,
};
use utoipa::openapi::{Required, Schema};

use crate::api::RELEASE;
use crate::error::Code;

const DESCRIPTION: &str = "\
The API of a Forebay daemon: everything except serving files. Over TCP every request needs a token (`Authorization: Bearer fb_…`); \
over the UNIX socket none is needed. Every response that is not 2xx has the same shape, except that of `health`; its `code` is for programs. Unknown \
fields and unknown query parameters are refused. A response has the `X-Request-Id` of its request, or a generated one; the \
daemon's log has it too.";

const TOKEN: &str = "token";

/// The tags of operations that need the S3 server.
const OF_S3: [&str; 2] = ["buckets", "s3"];

/// The document as it is served.
#[derive(Clone)]
pub struct Document(Arc<str>);

impl Document {
    /// Serialises the document.
    pub fn new(document: &OpenApi) -> Document {
        // What utoipa builds has only names as keys, so serialising cannot fail.
        let mut document = serde_json::to_value(document).unwrap_or_default();
        say_unsigned(&mut document);
        Document(serde_json::to_string_pretty(&document).unwrap_or_default().into())
    }

    /// The text.
    pub fn text(&self) -> String {
        self.0.to_string()
    }
}

/// Adds what applies to all operations.
pub fn complete(mut document: OpenApi) -> OpenApi {
    document.info = InfoBuilder::new()
        .title("Forebay")
        .version(RELEASE)
        .description(Some(DESCRIPTION))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
        .build();
    document.security = Some(vec![SecurityRequirement::new(TOKEN, Vec::<String>::new())]);
    let mut components = document.components.take().unwrap_or_default();
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("fb_…").build();
    components.add_security_scheme(TOKEN, SecurityScheme::Http(scheme));
    for (path, item) in &mut document.paths.paths {
        let has_params = path.contains('{');
        for (method, operation) in operations(item) {
            describe(operation, &components, &method, has_params);
        }
    }
    document.components = Some(components);
    document
}

/// Gives unsigned numbers their minimum and maximum: utoipa declares them as signed.
fn say_unsigned(value: &mut Value) {
    match value {
        Value::Object(object) => {
            let format = object.get("format").and_then(Value::as_str);
            let is_unsigned = object.contains_key("minimum");
            let unsigned = match format {
                Some("int32") if is_unsigned => Some(("uint32", u64::from(u32::MAX))),
                Some("int64") if is_unsigned => Some(("uint64", u64::MAX)),
                _ => None,
            };
            if let Some((name, max)) = unsigned {
                object.insert("format".to_owned(), name.into());
                object.entry("maximum").or_insert_with(|| max.into());
            }
            object.values_mut().for_each(say_unsigned);
        }
        Value::Array(values) => values.iter_mut().for_each(say_unsigned),
        _ => {}
    }
}

fn operations(item: &mut PathItem) -> Vec<(HttpMethod, &mut Operation)> {
    let all = [
        (HttpMethod::Get, &mut item.get),
        (HttpMethod::Put, &mut item.put),
        (HttpMethod::Post, &mut item.post),
        (HttpMethod::Delete, &mut item.delete),
        (HttpMethod::Patch, &mut item.patch),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?))).collect()
}

fn describe(operation: &mut Operation, components: &Components, method: &HttpMethod, has_params: bool) {
    let mut answers = vec![(Code::BadRequest, "The path, the query or the body is invalid")];
    if operation.security.is_none() {
        answers.push((Code::TokenMissing, "The token is missing or invalid"));
        answers.push((Code::RoleInsufficient, "The user's role does not allow it"));
        answers.push((Code::Internal, "The request failed; the daemon's log says why"));
        answers.push((Code::Unavailable, "The pool has stopped, or the daemon is shutting down"));
        if *method != HttpMethod::Get {
            answers.push((Code::NoSpace, "The pool is full"));
        }
    }
    if has_params {
        answers.push((Code::NotFound, "There is no object of that name"));
    }
    if operation.tags.iter().flatten().any(|tag| OF_S3.contains(&tag.as_str())) {
        answers.push((Code::S3IsOff, "S3 is not served"));
    }
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        answers.push((Code::RequestTimeout, "The body did not arrive in time"));
        answers.push((Code::BodyTooLarge, "The body is too large"));
        answers.push((Code::MediaTypeUnsupported, "The content type of the body is not JSON"));
        // An empty body stands for an object without fields.
        let needs_fields = body.content.values().any(
            |content| matches!(content, RefOr::T(content) if needs_fields(content.schema.as_ref(), components)),
        );
        body.required = Some(if needs_fields { Required::True } else { Required::False });
    }
    for (code, description) in answers {
        let status = code.status().as_str().to_owned();
        operation.responses.responses.entry(status).or_insert_with(|| {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ErrorBody"))).build();
            RefOr::T(
                ResponseBuilder::new().description(description).content("application/json", content).build(),
            )
        });
    }
}

fn needs_fields(schema: Option<&RefOr<Schema>>, components: &Components) -> bool {
    let resolved = match schema {
        Some(RefOr::Ref(reference)) => {
            let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
            components.schemas.get(name)
        }
        other => other,
    };
    matches!(resolved, Some(RefOr::T(Schema::Object(object))) if !object.required.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::BASE;
    use crate::router::document;

    #[test]
    fn every_operation_says_what_it_answers_and_has_a_name_of_its_own() {
        let mut document = document();
        let mut names = Vec::new();
        for (path, item) in &mut document.paths.paths {
            assert!(path.starts_with(BASE), "{path}");
            for (_, operation) in operations(item) {
                names.push(operation.operation_id.clone().unwrap());
                let answers = &operation.responses.responses;
                assert!(answers.keys().any(|status| status.starts_with('2')), "{path}");
                assert!(answers.contains_key("400"), "{path}");
                assert_eq!(answers.contains_key("404"), path.contains('{') || answers.contains_key("404"));
            }
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn bodies_refuse_what_they_do_not_know() {
        let text = Document::new(&document()).text();
        let document: Value = serde_json::from_str(&text).unwrap();
        for body in [
            "NewVolume",
            "VolumeSettings",
            "VolumeEdit",
            "NewToken",
            "PolicyRules",
            "NewRule",
            "NewBucket",
            "BucketEdit",
            "NewS3Key",
        ] {
            let schema = &document["components"]["schemas"][body];
            assert_eq!(schema["additionalProperties"], false, "{body}: {schema}");
        }
        assert_eq!(document["openapi"], "3.1.0");
    }
}
