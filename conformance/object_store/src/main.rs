//! Runs a check of the crate object_store on an S3 server: one of its module `integration`.
//!
//! Usage: `object-store-conformance` lists the checks, `object-store-conformance CHECK` runs one. The bucket, which must be empty, the
//! endpoint and the key are in the environment, in the variables that the crate reads. A check that fails panics.

use std::process::ExitCode;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use object_store::aws::{AmazonS3, AmazonS3Builder, Checksum, S3CopyIfNotExists};
use object_store::integration as checks;

type Check = fn(AmazonS3Builder) -> BoxFuture<'static, ()>;

/// The checks by name. Some run with several settings of the client.
const CHECKS: &[(&str, Check)] = &[
    ("put_get_delete_list", |builder| on(builder, |store| checks::put_get_delete_list(store).boxed())),
    ("put_get_delete_list-unsigned_payload", |builder| {
        on(builder.with_unsigned_payload(true), |store| checks::put_get_delete_list(store).boxed())
    }),
    ("put_get_delete_list-sha256", |builder| {
        on(builder.with_checksum_algorithm(Checksum::SHA256), |store| {
            checks::put_get_delete_list(store).boxed()
        })
    }),
    ("put_get_delete_list-crc64nvme", |builder| {
        let builder = builder.with_checksum_algorithm(Checksum::CRC64NVME);
        on(builder, |store| checks::put_get_delete_list(store).boxed())
    }),
    ("put_get_delete_list-without_bulk_delete", |builder| {
        on(builder.with_disable_bulk_delete(true), |store| checks::put_get_delete_list(store).boxed())
    }),
    ("put_get_attributes", |builder| on(builder, |store| checks::put_get_attributes(store).boxed())),
    ("get_opts", |builder| on(builder, |store| checks::get_opts(store).boxed())),
    ("put_opts", |builder| on(builder, |store| checks::put_opts(store, true).boxed())),
    ("stream_get", |builder| on(builder, |store| checks::stream_get(store).boxed())),
    ("list_uses_directories_correctly", |builder| {
        on(builder, |store| checks::list_uses_directories_correctly(store).boxed())
    }),
    ("list_with_delimiter", |builder| on(builder, |store| checks::list_with_delimiter(store).boxed())),
    ("list_with_offset_exclusivity", |builder| {
        on(builder, |store| checks::list_with_offset_exclusivity(store).boxed())
    }),
    ("list_paginated", |builder| on(builder, |store| checks::list_paginated(store, store).boxed())),
    ("get_nonexistent_object", |builder| {
        on(builder, |store| {
            async move {
                let error = checks::get_nonexistent_object(store, None).await.unwrap_err();
                assert!(matches!(error, object_store::Error::NotFound { .. }), "{error}");
            }
            .boxed()
        })
    }),
    ("rename_and_copy", |builder| on(builder, |store| checks::rename_and_copy(store).boxed())),
    ("copy_if_not_exists-multipart", |builder| {
        on(without_overwriting(builder), |store| checks::copy_if_not_exists(store).boxed())
    }),
    ("copy_if_not_exists-header", |builder| {
        let header = S3CopyIfNotExists::Header("if-none-match".to_owned(), "*".to_owned());
        on(builder.with_copy_if_not_exists(header), |store| checks::copy_if_not_exists(store).boxed())
    }),
    ("copy_rename_nonexistent_object", |builder| {
        on(without_overwriting(builder), |store| checks::copy_rename_nonexistent_object(store).boxed())
    }),
    ("multipart", |builder| on(builder, |store| checks::multipart(store, store).boxed())),
    ("multipart_with_opts", |builder| on(builder, |store| checks::multipart_with_opts(store, store).boxed())),
    ("multipart_put_part_out_of_order", |builder| {
        on(builder, |store| checks::multipart_put_part_out_of_order(store, store).boxed())
    }),
    ("multipart_race_condition", |builder| {
        on(builder, |store| checks::multipart_race_condition(store, true).boxed())
    }),
    ("multipart_out_of_order", |builder| on(builder, |store| checks::multipart_out_of_order(store).boxed())),
    ("response_extensions", |builder| {
        let builder = builder.with_http_connector(checks::MarkerHttpConnector::default());
        on(builder, |store| checks::response_extensions(store, true).boxed())
    }),
];

/// Copies that fail if the destination exists, as AWS's documentation recommends: by an upload in parts.
fn without_overwriting(builder: AmazonS3Builder) -> AmazonS3Builder {
    builder.with_copy_if_not_exists(S3CopyIfNotExists::Multipart)
}

/// Runs a check on the store that a builder makes.
fn on(
    builder: AmazonS3Builder,
    check: for<'a> fn(&'a AmazonS3) -> BoxFuture<'a, ()>,
) -> BoxFuture<'static, ()> {
    let store = builder.build().expect("the environment must name a bucket, an endpoint and a key");
    async move { check(&store).await }.boxed()
}

#[tokio::main]
async fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        for (name, _) in CHECKS {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    };
    match CHECKS.iter().find(|(known, _)| *known == name) {
        Some((_, check)) => check(AmazonS3Builder::from_env()).await,
        None => {
            eprintln!("there is no check {name}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
