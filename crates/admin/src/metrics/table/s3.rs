//! Metrics of the S3 server. They have no samples if S3 is not served.

use std::time::UNIX_EPOCH;

use forebay_s3::statistics::{Class, Refused};

use super::{Collect, Family, Kind, Label};

const OPERATION: Label = Label {
    name: "operation",
    bound: "operations that are built, as S3 names them, and `none` for requests that were refused before their operation was known",
};
const CLASS: Label =
    Label { name: "class", bound: "`2xx`, `3xx`, `4xx`, `5xx`, `slow_down`, `no_space`, `aborted`" };
const BUCKET: Label =
    Label { name: "bucket", bound: "names of existing buckets: the oldest 1,000, and `other` for the rest" };

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_s3_operation_duration_seconds",
        kind: Kind::Histogram,
        labels: &[OPERATION],
        says: "Time from a request's headers to the first byte of its answer. It contains the transfer of the request's body, but not \
               of the answer's.",
        then: "PutObject, UploadPart and CompleteMultipartUpload follow the disk and the client's network: check the sync durations \
               first. If all operations are slower, check the CPU.",
        collect: Collect::S3(|s3, samples| {
            for operation in &s3.operations {
                samples.times(&[("operation", operation.name)], &operation.times);
            }
        }),
    },
    Family {
        name: "forebay_s3_requests_total",
        kind: Kind::Counter,
        labels: &[OPERATION, CLASS],
        says: "Requests, by operation and class of their status. `slow_down` is status 503: too much was asked at once. `no_space` is \
               status 507. `aborted`: the client went away before the answer.",
        then: "`5xx` and `no_space` are serious: check the disk and the log, or free space. `4xx` is normal for clients that look whether something is \
               there. `slow_down`: a limit works as configured. Many `aborted` requests mean that clients time out.",
        collect: Collect::S3(|s3, samples| {
            for operation in &s3.operations {
                for (class, count) in Class::ALL.iter().zip(operation.classes) {
                    samples.with(&[("operation", operation.name), ("class", class.name())], count);
                }
            }
        }),
    },
    Family {
        name: "forebay_s3_requests_in_progress",
        kind: Kind::Gauge,
        labels: &[],
        says: "Requests whose answer has not been sent completely.",
        then: "Compare with forebay_s3_connections. If it stays high with little traffic, clients or their network are slow.",
        collect: Collect::S3(|s3, samples| samples.one(s3.in_progress)),
    },
    Family {
        name: "forebay_s3_requests_refused_total",
        kind: Kind::Counter,
        labels: &[Label { name: "reason", bound: "`signature`, `access_key`, `access_denied`, `guard`" }],
        says: "Requests that were refused before they were carried out. `signature`: wrong, expired, or for another region. \
               `access_key`: unknown, disabled or expired. `access_denied`: no policy allows it, or one or object lock forbids it. \
               `guard`: malformed, too large, or not supported.",
        then: "Events and the log name the address and the key. Correct the client's key, clock or region, or the policy; many refusals \
               from an unknown address are an attack.",
        collect: Collect::S3(|s3, samples| {
            for (reason, count) in Refused::ALL.iter().zip(s3.refused) {
                samples.with(&[("reason", reason.name())], count);
            }
        }),
    },
    Family {
        name: "forebay_s3_limits_reached_total",
        kind: Kind::Counter,
        labels: &[Label {
            name: "limit",
            bound: "`memory_wait`, `memory_refused`, `body_silent`, `body_slow`, `response_slow`",
        }],
        says: "How often a limit on clients was reached. `memory_wait`: a request waited for memory. `memory_refused`: it got none in \
               time. `body_silent`: nothing of a request's body came for a while. `body_slow`: it came too slowly. `response_slow`: the \
               client took an answer too slowly.",
        then: "Memory: raise s3.requests_max if honest clients wait. The others end requests of clients that keep memory and move no bytes: \
               check their network, and where unknown clients come from.",
        collect: Collect::S3(|s3, samples| {
            for (limit, count) in &s3.limits {
                samples.with(&[("limit", limit)], *count);
            }
        }),
    },
    Family {
        name: "forebay_s3_connections",
        kind: Kind::Gauge,
        labels: &[],
        says: "Open connections.",
        then: "Near s3.connections_max, connections that no user has identified are replaced.",
        collect: Collect::S3(|s3, samples| samples.one(s3.connections.open)),
    },
    Family {
        name: "forebay_s3_connections_accepted_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Accepted connections.",
        then: "Growth as fast as that of requests means that clients use each connection once: they lose time, most of all with TLS.",
        collect: Collect::S3(|s3, samples| samples.one(s3.connections.accepted)),
    },
    Family {
        name: "forebay_s3_connections_refused_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Connections that were closed immediately because there were too many.",
        then: "Raise s3.connections_max or s3.connections_per_client_max, or find the clients that open them.",
        collect: Collect::S3(|s3, samples| samples.one(s3.connections.refused)),
    },
    Family {
        name: "forebay_s3_bucket_requests_total",
        kind: Kind::Counter,
        labels: &[BUCKET, CLASS],
        says: "Requests for the bucket whose signature was right, by class of their status.",
        then: "See forebay_s3_requests_total for the operations.",
        collect: Collect::S3(|s3, samples| {
            for bucket in &s3.buckets {
                for (class, count) in Class::ALL.iter().zip(bucket.traffic.classes) {
                    samples.with(&[("bucket", &bucket.name), ("class", class.name())], count);
                }
            }
        }),
    },
    Family {
        name: "forebay_s3_bucket_received_bytes_total",
        kind: Kind::Counter,
        labels: &[BUCKET],
        says: "Bytes of the bodies of requests for the bucket, with the framing of aws-chunked bodies.",
        then: "More than usual means more data that is tiered or backed up.",
        collect: Collect::S3(|s3, samples| {
            for bucket in &s3.buckets {
                samples.with(&[("bucket", &bucket.name)], bucket.traffic.received);
            }
        }),
    },
    Family {
        name: "forebay_s3_bucket_sent_bytes_total",
        kind: Kind::Counter,
        labels: &[BUCKET],
        says: "Bytes of the bodies of answers to requests for the bucket.",
        then: "More than usual means consumers that read old records, or a restore.",
        collect: Collect::S3(|s3, samples| {
            for bucket in &s3.buckets {
                samples.with(&[("bucket", &bucket.name)], bucket.traffic.sent);
            }
        }),
    },
    Family {
        name: "forebay_s3_bucket_objects",
        kind: Kind::Gauge,
        labels: &[BUCKET],
        says: "Objects of the bucket, with noncurrent versions and parts of uploads.",
        then: "If it grows while a listing does not, versions or abandoned uploads stay: set a lifecycle rule.",
        collect: Collect::S3(|s3, samples| {
            for bucket in &s3.buckets {
                samples.with(&[("bucket", &bucket.name)], bucket.objects);
            }
        }),
    },
    Family {
        name: "forebay_s3_bucket_logical_bytes",
        kind: Kind::Gauge,
        labels: &[BUCKET],
        says: "Bytes of the content of these objects, before compression and sharing.",
        then: "Near forebay_s3_bucket_size_bytes, PutObject will fail: enlarge the bucket, or delete objects.",
        collect: Collect::S3(|s3, samples| {
            for bucket in &s3.buckets {
                samples.with(&[("bucket", &bucket.name)], bucket.bytes);
            }
        }),
    },
    Family {
        name: "forebay_s3_bucket_size_bytes",
        kind: Kind::Gauge,
        labels: &[BUCKET],
        says: "Maximum size of the bucket in bytes; missing if not limited.",
        then: "Changes when the bucket's size is changed.",
        collect: Collect::S3(|s3, samples| {
            for bucket in &s3.buckets {
                if let Some(size) = bucket.size {
                    samples.with(&[("bucket", &bucket.name)], size);
                }
            }
        }),
    },
    Family {
        name: "forebay_s3_lifecycle_removed_total",
        kind: Kind::Counter,
        labels: &[Label { name: "of", bound: "`objects`, `versions`, `uploads`" }],
        says: "What lifecycle rules removed: `objects` that expired, `versions` and delete markers, `uploads` that were aborted, also \
               because they were abandoned.",
        then: "More than expected: check the rules of the bucket that the log names.",
        collect: Collect::S3(|s3, samples| {
            samples.with(&[("of", "objects")], s3.lifecycle.objects_expired);
            samples.with(&[("of", "versions")], s3.lifecycle.versions_removed);
            samples.with(&[("of", "uploads")], s3.lifecycle.uploads_aborted);
        }),
    },
    Family {
        name: "forebay_s3_lifecycle_failures_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Passes over a bucket to carry out its lifecycle rules that failed.",
        then: "The log names the bucket and the cause. The next pass, an hour later, tries again.",
        collect: Collect::S3(|s3, samples| samples.one(s3.lifecycle.failures)),
    },
    Family {
        name: "forebay_s3_lifecycle_finished_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the last pass over all buckets finished, in seconds since 1970; missing before the first.",
        then: "If it is hours old, the pass does not finish: check the log, and whether the disk is busy.",
        collect: Collect::S3(|s3, samples| {
            if let Some(finished) = s3.lifecycle.finished {
                samples.one(finished.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs());
            }
        }),
    },
    Family {
        name: "forebay_s3_tls_handshakes_total",
        kind: Kind::Counter,
        labels: &[Label { name: "result", bound: "`done`, `failed`" }],
        says: "TLS handshakes, by result.",
        then: "`failed`: clients do not trust the certificate, or speak HTTP without TLS.",
        collect: Collect::S3(|s3, samples| {
            samples.with(&[("result", "done")], s3.connections.tls_handshakes);
            samples.with(&[("result", "failed")], s3.connections.tls_handshakes_failed);
        }),
    },
    Family {
        name: "forebay_s3_tls_certificate_expiry_timestamp_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "When the first of the S3 server's certificates expires, in seconds since 1970; missing without TLS.",
        then: "Renew the certificate before then, and send SIGHUP to the daemon.",
        collect: Collect::S3(|s3, samples| {
            if let Some(expires) = s3.certificate_expires {
                samples.one(expires.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs());
            }
        }),
    },
];
