//! GetObjectAttributes.

use std::collections::BTreeSet;

use hyper::{HeaderMap, Response};
use s3s::dto::{
    Checksum, ETag, GetObjectAttributesInput, GetObjectAttributesOutput, GetObjectAttributesParts,
    ObjectAttributes, ObjectPart,
};
use s3s::{S3Request, S3Response, S3Result};

use super::answer::{fill_checksum, fill_checksum_value};
use super::named::{Named, WhenHidden};
use crate::clock;
use crate::error_document::Detailed;
use crate::errors::{invalid_argument, invalid_request};
use crate::facts::{ObjectFacts, PartRecord};
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::part_list;

/// Parts in one page.
const PAGE_PARTS_MAX: usize = 1000;
const KNOWN: [&str; 5] = [
    ObjectAttributes::ETAG,
    ObjectAttributes::CHECKSUM,
    ObjectAttributes::OBJECT_PARTS,
    ObjectAttributes::STORAGE_CLASS,
    ObjectAttributes::OBJECT_SIZE,
];

/// Marks an answer whose ETag has no quotes, unlike in all other answers. The library always writes them.
#[derive(Debug, Clone, Copy)]
struct BareEtag;

/// Returns those attributes of an object that the request names.
pub async fn get_object_attributes(
    shared: &Shared,
    request: S3Request<GetObjectAttributesInput>,
) -> S3Result<S3Response<GetObjectAttributesOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let bucket = shared.bucket(&input.bucket)?;
    let wanted = wanted(&request.headers)?;
    let page = Page::of(input.max_parts, input.part_number_marker)?;
    let stored = shared.stored(&bucket);
    let found = named.find(&stored, WhenHidden::NoSuchKey).or_s3()??;
    let facts = &found.version.facts;
    let wants = |name: &str| wanted.contains(name);
    let mut output = GetObjectAttributesOutput {
        last_modified: Some(clock::timestamp(facts.modified_ms)),
        version_id: found.id,
        ..GetObjectAttributesOutput::default()
    };
    if wants(ObjectAttributes::ETAG) {
        output.e_tag = Some(ETag::Strong(facts.etag.clone()));
    }
    if wants(ObjectAttributes::CHECKSUM) {
        output.checksum = checksum(facts);
    }
    if wants(ObjectAttributes::OBJECT_SIZE) {
        output.object_size = i64::try_from(facts.size).ok();
    }
    if wants(ObjectAttributes::STORAGE_CLASS) {
        output.storage_class = Some(facts.storage_class.to_dto());
    }
    if wants(ObjectAttributes::OBJECT_PARTS)
        && let Some(list) = part_list(&stored, &found.version).or_s3()?
    {
        output.object_parts = Some(page.parts(facts, &list));
    }
    let mut response = S3Response::new(output);
    response.extensions.insert(BareEtag);
    Ok(response)
}

/// Removes the quotes of the ETag from an answer that is marked.
pub fn without_quotes(response: Response<s3s::Body>) -> Response<s3s::Body> {
    if response.extensions().get::<BareEtag>().is_none() {
        return response;
    }
    let (head, body) = response.into_parts();
    let Some(text) = body.bytes().and_then(|bytes| String::from_utf8(bytes.into()).ok()) else {
        return Response::from_parts(head, body);
    };
    let text = text.replacen("<ETag>\"", "<ETag>", 1).replacen("\"</ETag>", "</ETag>", 1);
    Response::from_parts(head, s3s::Body::from(text))
}

/// The attributes that the header names, separated by commas.
fn wanted(headers: &HeaderMap) -> S3Result<BTreeSet<&str>> {
    let values = headers.get_all("x-amz-object-attributes").iter();
    let names: BTreeSet<&str> = values
        .flat_map(|value| value.to_str().unwrap_or("?").split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    if names.is_empty() {
        return Err(invalid_request(
            "The x-amz-object-attributes header specifying the attributes to be retrieved is either missing or empty",
        ));
    }
    if names.iter().any(|name| !KNOWN.contains(name)) {
        return Err(invalid_argument("Invalid attribute name specified."));
    }
    Ok(names)
}

fn checksum(facts: &ObjectFacts) -> Option<Checksum> {
    let mut checksum = facts.checksum.clone()?;
    // Only here S3 leaves out the number of parts.
    if let Some((value, _)) = checksum.value.split_once('-') {
        checksum.value = value.to_owned();
    }
    let mut output = Checksum::default();
    fill_checksum!(output, Some(checksum));
    Some(output)
}

/// The parts that a request asks for.
struct Page {
    parts_max: usize,
    after: u32,
}

impl Page {
    fn of(parts_max: Option<i32>, after: Option<i32>) -> S3Result<Page> {
        let number = |number: i32, name: &'static str| {
            u32::try_from(number).map_err(|_| {
                let message = format!("Argument {number} must be an integer between 0 and 2147483647");
                invalid_argument(message).argument(name, number)
            })
        };
        let wanted = parts_max.map_or(Ok(u32::MAX), |count| number(count, "max-parts"))?;
        Ok(Page {
            parts_max: usize::try_from(wanted).unwrap_or(usize::MAX).min(PAGE_PARTS_MAX),
            after: number(after.unwrap_or(0), "part-number-marker")?,
        })
    }

    /// A page of a list of parts. S3 lists parts only if the object's checksum is made of theirs, and otherwise only counts them.
    /// Their sizes are useful all the same.
    fn parts(&self, facts: &ObjectFacts, list: &[PartRecord]) -> GetObjectAttributesParts {
        let mut output = GetObjectAttributesParts {
            total_parts_count: i32::try_from(list.len()).ok(),
            ..GetObjectAttributesParts::default()
        };
        let algorithm = facts.checksum.as_ref().map(|checksum| checksum.algorithm);
        let mut rest = list.iter().filter(|part| part.number > self.after);
        let parts: Vec<ObjectPart> = rest
            .by_ref()
            .take(self.parts_max)
            .map(|record| {
                let mut part = ObjectPart {
                    part_number: i32::try_from(record.number).ok(),
                    size: i64::try_from(record.size).ok(),
                    ..ObjectPart::default()
                };
                if let (Some(algorithm), Some(value)) = (algorithm, record.checksum.clone()) {
                    fill_checksum_value!(part, algorithm, value);
                }
                part
            })
            .collect();
        let last = parts.last().and_then(|part| part.part_number);
        output.is_truncated = Some(rest.next().is_some());
        output.max_parts = i32::try_from(self.parts_max).ok();
        output.part_number_marker = i32::try_from(self.after).ok();
        output.next_part_number_marker = last.or(output.part_number_marker);
        output.parts = Some(parts);
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checksum::{Algorithm, ChecksumType};

    fn facts() -> ObjectFacts {
        let kind = ChecksumType::Composite;
        let value = "AQIDBA==-3".to_owned();
        let checksum = crate::checksum::Checksum { algorithm: Algorithm::Crc32, kind, value };
        ObjectFacts { checksum: Some(checksum), ..ObjectFacts::default() }
    }

    fn list() -> Vec<PartRecord> {
        let part = |number| PartRecord { number, size: 5, checksum: Some("AQIDBA==".to_owned()) };
        [1, 3, 5].map(part).into()
    }

    fn numbers(parts: &GetObjectAttributesParts) -> Vec<i32> {
        parts.parts.iter().flatten().filter_map(|part| part.part_number).collect()
    }

    #[test]
    fn parts_come_in_pages() {
        let first = Page::of(Some(2), None).unwrap().parts(&facts(), &list());
        assert_eq!(numbers(&first), [1, 3]);
        assert_eq!((first.is_truncated, first.next_part_number_marker), (Some(true), Some(3)));
        let rest = Page::of(Some(2), Some(3)).unwrap().parts(&facts(), &list());
        assert_eq!(numbers(&rest), [5]);
        assert_eq!((rest.is_truncated, rest.total_parts_count), (Some(false), Some(3)));
        assert!(Page::of(Some(-1), None).is_err());
    }

    #[test]
    fn the_checksum_of_parts_has_no_number_of_parts_here() {
        let checksum = checksum(&facts()).unwrap();
        assert_eq!(checksum.checksum_crc32.as_deref(), Some("AQIDBA=="));
    }

    #[test]
    fn the_header_is_a_list_of_known_names() {
        let named = |text: &str| {
            let headers = HeaderMap::from_iter([(
                hyper::header::HeaderName::from_static("x-amz-object-attributes"),
                text.parse().unwrap(),
            )]);
            wanted(&headers).map(|names| names.len()).map_err(|error| error.code().as_str().to_owned())
        };
        assert_eq!(named("ETag, ObjectSize"), Ok(2));
        assert_eq!(named(","), Err("InvalidRequest".to_owned()));
        assert_eq!(named("etag"), Err("InvalidArgument".to_owned()));
    }

    #[test]
    fn only_a_marked_answer_loses_the_quotes_of_its_etag() {
        let text = "<A><ETag>\"abc\"</ETag></A>";
        let mut response = Response::new(s3s::Body::from(text.to_owned()));
        response = without_quotes(response);
        assert_eq!(response.body().bytes().unwrap(), text);
        response.extensions_mut().insert(BareEtag);
        assert_eq!(without_quotes(response).body().bytes().unwrap(), "<A><ETag>abc</ETag></A>");
    }
}
