//! `forebay kafka`: what Kafka's clusters, brokers and topics store.

mod arguments;
mod history;
mod run;
mod snapshot;
mod tables;

pub use arguments::KafkaCommand;
pub use run::run;
