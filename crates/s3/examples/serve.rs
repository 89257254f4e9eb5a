//! Serves S3 on a pool, with one user who may do everything. For trying clients and suites; not a way to run a server.
//!
//! usage: serve DIRECTORY ADDRESS ACCESS_KEY SECRET_KEY

use std::path::Path;
use std::sync::Arc;

use forebay_net::http::{self, Limits, Listener};
use forebay_pool::{Pool, PoolOptions};
use forebay_s3::auth::access::Caller;
use forebay_s3::lifecycle_worker;
use forebay_s3::server::Server;
use forebay_s3::shared::Shared;
use forebay_service::{Service, ServiceOptions};
use s3s::S3Result;
use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::SimpleAuth;

struct Everything;

#[async_trait::async_trait]
impl S3Access for Everything {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result<()> {
        let user = match context.credentials() {
            Some(credentials) => credentials.access_key.clone(),
            None => return Err(s3s::s3_error!(AccessDenied, "Access Denied")),
        };
        context.extensions_mut().insert(Caller { user, bypasses_governance: true, ..Caller::default() });
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, address, access_key, secret_key] = arguments.as_slice() else {
        return Err("usage: serve DIRECTORY ADDRESS ACCESS_KEY SECRET_KEY".into());
    };
    let pool = Pool::open(Path::new(directory), PoolOptions::default()).await?;
    let service = Arc::new(Service::open(pool.clone(), ServiceOptions::default())?);
    let shared = Arc::new(Shared::new(service, "us-east-1"));
    tokio::spawn(forebay_s3::cleaning::run(shared.clone()));
    tokio::spawn(lifecycle_worker::run(shared.clone(), lifecycle_worker::PERIOD));
    let auth = SimpleAuth::from_single(access_key.clone(), secret_key.clone());
    let server = Server::new(shared.clone(), auth, Everything, &[])?;
    let listener = Listener::tcp(address.parse()?, None).await?;
    let limits = Limits { name: "s3", connections_max: 4096, connections_per_address_max: 4096 };
    println!("ready");
    http::serve(listener, limits, server, async {
        let _ = tokio::signal::ctrl_c().await;
    })
    .await;
    pool.close().await?;
    Ok(())
}
