//! Pages against a model that filters, rolls up and sorts, and what they cost.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::listing::ContinuationToken;

/// A bucket in memory that counts what is read from it.
#[derive(Default)]
struct Table {
    /// Whether an entry is hidden, by key and rank.
    entries: BTreeMap<(Vec<u8>, u64), bool>,
    seeks: usize,
    read: usize,
}

impl Source for Table {
    type Item = ();
    type Error = Infallible;

    fn seek(&mut self, from: &Position, limit: usize) -> Result<Vec<Entry<()>>, Infallible> {
        assert!(limit > 0);
        let entry = |((key, rank), hidden): (&(Vec<u8>, u64), &bool)| Entry {
            key: String::from_utf8(key.clone()).unwrap(),
            rank: *rank,
            hidden: *hidden,
            item: (),
        };
        let range = (from.key.clone(), from.rank)..;
        let batch: Vec<_> = self.entries.range(range).take(limit).map(entry).collect();
        self.seeks += 1;
        self.read += batch.len();
        Ok(batch)
    }
}

impl Table {
    fn of<'a>(keys: impl IntoIterator<Item = &'a str>) -> Table {
        let entries = keys.into_iter().map(|key| ((key.as_bytes().to_vec(), 0), false)).collect();
        Table { entries, ..Table::default() }
    }

    fn page(&mut self, query: &Query) -> Page<()> {
        let Ok(page) = page(self, query);
        page
    }
}

fn query(prefix: &str, delimiter: &str, max_items: usize) -> Query {
    Query {
        prefix: prefix.to_owned(),
        delimiter: delimiter.to_owned(),
        start: Start::Beginning,
        max_items,
        select: Select::First,
    }
}

fn keys(page: &Page<()>) -> Vec<&str> {
    page.entries.iter().map(|listed| listed.entry.key.as_str()).collect()
}

#[test]
fn common_prefixes_count_as_items_and_the_next_page_skips_them() {
    let mut table = Table::of(["_obj1_", "_under1/bar", "_under1/baz/xyzzy", "_under2/thud", "_under2/bla"]);
    let first = table.page(&query("", "/", 2));
    assert_eq!(
        (keys(&first), first.common_prefixes.as_slice()),
        (vec!["_obj1_"], &["_under1/".to_owned()][..])
    );
    let start = Start::AfterKey("_under1/".to_owned());
    assert_eq!((first.last_item(), &first.next), (Some("_under1/"), &Some(start.clone())));
    let second = table.page(&Query { start, ..query("", "/", 2) });
    assert_eq!((keys(&second), second.common_prefixes.as_slice()), (vec![], &["_under2/".to_owned()][..]));
    assert_eq!(second.next, None);
}

#[test]
fn a_marker_within_a_common_prefix_skips_all_of_it() {
    let mut table = Table::of(["a/1", "a/2", "a/3", "b"]);
    let start = Start::AfterKey("a/1".to_owned());
    let page = table.page(&Query { start, ..query("", "/", 10) });
    assert_eq!((keys(&page), page.common_prefixes.len()), (vec!["b"], 0));
}

#[test]
fn a_page_of_no_items_is_not_truncated() {
    let mut table = Table::of(["a"]);
    let page = table.page(&query("", "", 0));
    assert_eq!((page.entries.len(), page.next), (0, None));
    assert_eq!(table.seeks, 0);
}

#[test]
fn the_cost_of_a_page_of_prefixes_does_not_depend_on_the_keys_below() {
    let cost = |below: usize| {
        let keys: Vec<_> = (0..20).flat_map(|p| (0..below).map(move |k| format!("{p:02}/{k:06}"))).collect();
        let mut table = Table::of(keys.iter().map(String::as_str));
        let page = table.page(&query("", "/", 1000));
        assert_eq!(page.common_prefixes.len(), 20);
        (table.seeks, table.read)
    };
    let (seeks, read) = cost(100);
    assert_eq!(cost(10_000), (seeks, read));
    assert!(seeks <= 21, "{seeks} seeks");
    assert!(read <= 150, "{read} entries");
}

#[test]
fn old_versions_of_a_key_are_not_read() {
    let mut table = Table::default();
    for key in ["a", "b", "c"] {
        table.entries.extend((0..50_000).map(|rank| ((key.as_bytes().to_vec(), rank), false)));
    }
    let page = table.page(&query("", "", 10));
    assert_eq!(keys(&page), ["a", "b", "c"]);
    assert!(table.read < 50, "{} entries", table.read);
}

#[test]
fn pages_end_early_where_keys_are_hidden_and_nothing_is_lost() {
    let mut table = Table::default();
    table.entries.extend((0..200_000).map(|n| ((format!("a/{n:06}").into_bytes(), 0), true)));
    table.entries.insert((b"a/x".to_vec(), 0), false);
    let mut start = Start::Beginning;
    for pages in 0.. {
        let seeks = table.seeks;
        let page = table.page(&Query { start: start.clone(), ..query("", "/", 1000) });
        assert!(table.seeks - seeks <= FRUITLESS_SEEKS_MAX + 2);
        let Some(next) = page.next.clone() else {
            assert_eq!(page.common_prefixes, ["a/"]);
            assert!(pages > 1);
            break;
        };
        assert_eq!(page.last_item(), None);
        start =
            ContinuationToken::start(Some(&ContinuationToken::new(next).unwrap().encode()), None).unwrap();
    }
}

#[test]
fn the_latest_version_is_known_even_if_the_page_begins_within_its_key() {
    let mut table = Table::default();
    table.entries.extend([3, 5, 7].map(|rank| ((b"a".to_vec(), rank), false)));
    let latest = |table: &mut Table, rank| {
        let start = Start::AfterEntry("a".to_owned(), rank);
        let page = table.page(&Query { start, select: Select::All, ..query("", "", 10) });
        page.entries.iter().map(|listed| (listed.entry.rank, listed.first_of_key)).collect::<Vec<_>>()
    };
    assert_eq!(latest(&mut table, 3), [(5, false), (7, false)]);
    assert_eq!(latest(&mut table, 2), [(3, true), (5, false), (7, false)]);
    table.entries.remove(&(b"a".to_vec(), 3));
    assert_eq!(latest(&mut table, 3), [(5, true), (7, false)]);
}

/// What a listing is: filter, roll up, sort. An item is a key with a rank, or a common prefix.
fn model(table: &Table, query: &Query) -> BTreeSet<(String, Option<u64>)> {
    let mut items = BTreeSet::new();
    let mut seen = None;
    for ((key, rank), hidden) in &table.entries {
        let key = String::from_utf8(key.clone()).unwrap();
        let is_first = seen.as_ref() != Some(&key);
        seen = Some(key.clone());
        let is_selected = query.select == Select::All || (is_first && !hidden);
        let Some(rest) = key.strip_prefix(&query.prefix).filter(|_| is_selected) else { continue };
        let rolled_up = rest.find(&query.delimiter).filter(|_| !query.delimiter.is_empty());
        let item = match rolled_up {
            Some(at) => (format!("{}{}{}", query.prefix, &rest[..at], query.delimiter), None),
            None => (key, Some(*rank)),
        };
        let is_behind_marker = match &query.start {
            Start::Beginning => true,
            Start::AfterKey(marker) => item.0 > *marker,
            Start::Within(_) => unreachable!("short listings do not end early"),
            Start::AfterEntry(marker, after) => {
                item.0 > *marker || (item.0 == *marker && item.1.is_some_and(|rank| rank > *after))
            }
        };
        if is_behind_marker {
            items.insert(item);
        }
    }
    items
}

fn key() -> impl Strategy<Value = String> {
    "[ab/\u{7f}ü\u{ffff}\u{10ffff}]{1,6}"
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![
        Just(Start::Beginning),
        key().prop_map(Start::AfterKey),
        (key(), 0u64..4).prop_map(|(key, rank)| Start::AfterEntry(key, rank)),
        (key(), Just(u64::MAX)).prop_map(|(key, rank)| Start::AfterEntry(key, rank)),
    ]
}

prop_compose! {
    fn any_query()(
        prefix in prop_oneof![Just(String::new()), "[ab/ü\u{10ffff}]{1,2}", "[ab/]{7}"],
        delimiter in prop_oneof![Just(String::new()), Just("/".to_owned()), "[ab/ü\u{10ffff}]{1,2}"],
        start in start(),
        max_items in 1usize..6,
        all in any::<bool>(),
    ) -> Query {
        let select = if all { Select::All } else { Select::First };
        // A listing of current objects has no markers within a key.
        let start = match (start, select) {
            (Start::AfterEntry(key, _), Select::First) => Start::AfterKey(key),
            (start, _) => start,
        };
        Query { prefix, delimiter, start, max_items, select }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn pages_together_list_what_the_model_lists(
        entries in vec((key(), 0u64..4, option::weighted(0.3, Just(()))), 0..60),
        query in any_query(),
    ) {
        let mut table = Table::default();
        for (key, rank, hidden) in entries {
            table.entries.insert((key.into_bytes(), rank), hidden.is_some());
        }
        let mut expected = model(&table, &query);
        let mut query = query;
        loop {
            let page = table.page(&query);
            let listed = page.entries.iter().map(|l| (l.entry.key.clone(), Some(l.entry.rank)));
            let prefixes = page.common_prefixes.iter().map(|prefix| (prefix.clone(), None));
            let mut items: Vec<_> = listed.chain(prefixes).collect();
            items.sort();
            let first: Vec<_> = expected.iter().take(query.max_items).cloned().collect();
            prop_assert_eq!(&items, &first);
            expected.retain(|item| !items.contains(item));
            prop_assert_eq!(page.next.is_some(), !expected.is_empty());
            prop_assert_eq!(page.last_item(), items.last().map(|item| item.0.as_str()));
            for listed in &page.entries {
                let of_key = (listed.entry.key.clone().into_bytes(), 0)..=(listed.entry.key.clone().into_bytes(), u64::MAX);
                let latest = table.entries.range(of_key).next().unwrap().0.1;
                prop_assert_eq!(listed.first_of_key, listed.entry.rank == latest);
            }
            let Some(next) = page.next else { break };
            query.start = next;
        }
    }
}
