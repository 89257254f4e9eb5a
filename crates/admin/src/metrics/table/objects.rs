//! Metrics of the bucket that has the pool's segments. They have no samples if the segments lie in a directory.

use super::{Collect, Family, Kind, Label};

const OPERATION: Label =
    Label { name: "operation", bound: "one of `put`, `get`, `head`, `list`, `copy`, `delete`" };
const DIRECTION: Label = Label { name: "direction", bound: "`put` or `get`" };
const RESULT: Label = Label { name: "result", bound: "`hit` or `miss`" };
const PART: Label = Label { name: "part", bound: "`writes`, `reads` or `stored`" };
const PLACE: Label = Label { name: "place", bound: "`memory` or `disk`" };

pub(super) static FAMILIES: &[Family] = &[
    Family {
        name: "forebay_object_store_requests_total",
        kind: Kind::Counter,
        labels: &[OPERATION],
        says: "Requests to the bucket, by kind, with those that were repeated. Like the others below, missing if the segments lie in a directory.",
        then: "Most providers charge for `put`, `list`, `copy` and `get`: multiply the growth of a month by their prices.",
        collect: Collect::Pool(|pool, samples| {
            let Some(objects) = &pool.objects else { return };
            let operations = [
                ("put", objects.put),
                ("get", objects.get),
                ("head", objects.head),
                ("list", objects.list),
                ("copy", objects.copy),
                ("delete", objects.delete),
            ];
            for (operation, count) in operations {
                samples.with(&[("operation", operation)], count);
            }
        }),
    },
    Family {
        name: "forebay_object_store_repeated_total",
        kind: Kind::Counter,
        labels: &[],
        says: "Requests that failed or were not answered in time, and were repeated.",
        then: "The log has the first error of each time. If it grows steadily, the bucket's server is overloaded or limits requests.",
        collect: Collect::Pool(|pool, samples| {
            pool.objects.iter().for_each(|objects| samples.one(objects.repeated));
        }),
    },
    Family {
        name: "forebay_object_store_out_seconds",
        kind: Kind::Gauge,
        labels: &[],
        says: "For how long the bucket has not answered as it should; 0 while it does.",
        then: "Clients wait meanwhile, and at 120 s the pool stops. See whether the bucket's server runs and can be reached.",
        collect: Collect::Pool(|pool, samples| {
            pool.objects.iter().for_each(|objects| samples.one(objects.out_for_ms as f64 / 1000.0));
        }),
    },
    Family {
        name: "forebay_object_store_bytes_total",
        kind: Kind::Counter,
        labels: &[DIRECTION],
        says: "Bytes of objects that were stored in the bucket and read from it.",
        then: "If more is read than clients read, the cache is too small: raise object_store.cache_size.",
        collect: Collect::Pool(|pool, samples| {
            let Some(objects) = &pool.objects else { return };
            samples.with(&[("direction", "put")], objects.bytes_put);
            samples.with(&[("direction", "get")], objects.bytes_got);
        }),
    },
    Family {
        name: "forebay_object_store_cache_blocks_total",
        kind: Kind::Counter,
        labels: &[RESULT],
        says: "Blocks of 1 MiB that readers found in the cache, and those that were read from the bucket.",
        then: "Many misses while consumers read what was written lately: raise object_store.cache_size.",
        collect: Collect::Pool(|pool, samples| {
            let Some(objects) = &pool.objects else { return };
            samples.with(&[("result", "hit")], objects.cache_hits);
            samples.with(&[("result", "miss")], objects.cache_misses);
        }),
    },
    Family {
        name: "forebay_object_store_cache_bytes",
        kind: Kind::Gauge,
        labels: &[PLACE],
        says: "Bytes of objects that the cache keeps.",
        then: "Nothing to do; it stays below object_store.cache_size on the disk.",
        collect: Collect::Pool(|pool, samples| {
            let Some(objects) = &pool.objects else { return };
            samples.with(&[("place", "memory")], objects.cache_memory_bytes);
            samples.with(&[("place", "disk")], objects.cache_disk_bytes);
        }),
    },
    Family {
        name: "forebay_object_store_cost_per_month",
        kind: Kind::Gauge,
        labels: &[PART],
        says: "An estimate of what the bucket costs in a month, at `object_store.prices` and in their currency. Missing without prices, and in the first ten minutes.",
        then: "High `writes`: many small commits, each of which is an object. High `reads`: raise object_store.cache_size.",
        collect: Collect::ObjectCost(|cost, samples| {
            samples.with(&[("part", "writes")], cost.writes);
            samples.with(&[("part", "reads")], cost.reads);
            samples.with(&[("part", "stored")], cost.stored);
        }),
    },
];
