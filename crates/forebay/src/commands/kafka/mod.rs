//! `forebay kafka`: what Kafka's clusters, brokers and topics store, and where replicas lie.

mod arguments;
mod history;
mod place;
mod run;
mod snapshot;
mod tables;

pub use arguments::KafkaCommand;
pub use run::run;
