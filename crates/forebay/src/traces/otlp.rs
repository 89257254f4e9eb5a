//! OTLP in JSON, as opentelemetry-proto 1 defines it: ids are hexadecimal, and 64-bit integers are strings.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::Finished;

/// Kinds of spans.
const KIND_INTERNAL: u8 = 1;
const KIND_SERVER: u8 = 2;
/// The status of a failed span.
const STATUS_ERROR: u8 = 2;

/// The body of a request with spans.
pub fn request(spans: &[Finished], host: &str, process: u32) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    let resource = [
        ("service.name", json!("forebay")),
        ("service.version", json!(forebay_admin::RELEASE)),
        ("host.name", json!(host)),
        ("process.pid", json!(process)),
    ];
    json!({
        "resourceSpans": [{
            "resource": {"attributes": attributes(&resource)},
            "scopeSpans": [{"scope": {"name": "forebay", "version": forebay_admin::RELEASE}, "spans": spans}],
        }],
    })
}

fn span(span: &Finished) -> Value {
    let began = span.began.duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut written = json!({
        "traceId": format!("{:032x}", span.trace_id),
        "spanId": format!("{:016x}", span.span_id),
        "name": span.name,
        "kind": if span.is_server { KIND_SERVER } else { KIND_INTERNAL },
        "startTimeUnixNano": nanos(began),
        "endTimeUnixNano": nanos(began.saturating_add(span.took)),
        "attributes": attributes(&span.attributes),
    });
    if let Some(parent) = span.parent_id {
        written["parentSpanId"] = format!("{parent:016x}").into();
    }
    if span.has_failed {
        written["status"] = json!({"code": STATUS_ERROR});
    }
    written
}

fn nanos(time: Duration) -> String {
    time.as_nanos().to_string()
}

fn attributes(attributes: &[(&str, Value)]) -> Vec<Value> {
    let any = |value: &Value| match value {
        Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
        Value::Bool(value) => json!({"boolValue": value}),
        Value::String(text) => json!({"stringValue": text}),
        other => json!({"stringValue": other.to_string()}),
    };
    attributes.iter().map(|(key, value)| json!({"key": key, "value": any(value)})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_written_as_the_protocol_says() {
        let finished = Finished {
            trace_id: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736,
            span_id: 0x00f0_67aa_0ba9_02b7,
            parent_id: Some(1),
            name: "GET /api/v1/pool".into(),
            is_server: true,
            began: UNIX_EPOCH + Duration::from_secs(1_800_000_000),
            took: Duration::from_millis(3),
            attributes: vec![("http.response.status_code", json!(500)), ("url.path", json!("/api/v1/pool"))],
            has_failed: true,
        };
        let body = request(&[finished], "storage-1", 7);
        let resource = &body["resourceSpans"][0];
        let named = json!({"key": "service.name", "value": {"stringValue": "forebay"}});
        assert_eq!(resource["resource"]["attributes"][0], named);
        let expected = json!({
            "traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b7", "parentSpanId": "0000000000000001",
            "name": "GET /api/v1/pool", "kind": 2,
            "startTimeUnixNano": "1800000000000000000", "endTimeUnixNano": "1800000000003000000",
            "attributes": [
                {"key": "http.response.status_code", "value": {"intValue": "500"}},
                {"key": "url.path", "value": {"stringValue": "/api/v1/pool"}},
            ],
            "status": {"code": 2},
        });
        assert_eq!(resource["scopeSpans"][0]["spans"], json!([expected]));
    }
}
