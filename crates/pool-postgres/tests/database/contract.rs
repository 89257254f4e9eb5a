//! The store keeps the contract of metadata stores, with much and with hardly any memory.

use std::cell::RefCell;
use std::sync::Arc;

use forebay_pool::store::MetaStore;
use forebay_pool::store::contract::metadata;
use forebay_pool_postgres::{Database, PostgresMeta, PostgresOptions};

use crate::common;

fn with_cache(cache_bytes: usize, test: impl Fn(&metadata::Open<'_>)) {
    let last: RefCell<Option<Database>> = RefCell::default();
    test(&|again: bool| -> Arc<dyn MetaStore> {
        let mut last = last.borrow_mut();
        if !again {
            *last = Some(common::new_database());
        }
        let options = PostgresOptions { cache_bytes, ..PostgresOptions::default() };
        Arc::new(PostgresMeta::take(last.as_ref().unwrap(), options).unwrap())
    });
}

#[test]
fn it_keeps_the_contract_in_one_life() {
    with_cache(64 << 20, metadata::one_life);
}

#[test]
fn it_keeps_the_contract_over_several_lives() {
    with_cache(64 << 20, metadata::several_lives);
}

/// Most units are too large to be kept, and the rest is evicted all the time.
#[test]
fn it_keeps_the_contract_with_hardly_any_memory() {
    with_cache(20_000, metadata::one_life);
    with_cache(20_000, metadata::several_lives);
    for seed in 10..14 {
        with_cache(50_000, |open| metadata::random_changes_are_found_again(&*open(false), seed));
    }
}
