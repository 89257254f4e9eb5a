//! Names of replicas' directories.

/// The maximum length of a topic's name.
const TOPIC_BYTES_MAX: usize = 249;
/// The length of a directory's name at which Kafka cuts the topic's name in it.
const NAME_BYTES_MAX: usize = 255;
/// The length of the unique id in a name with a suffix.
const ID_BYTES: usize = 32;

/// What a broker does with a replica's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// It is in use.
    Live,
    /// Its topic or replica was deleted; the broker removes it after `file.delete.delay.ms`.
    Deleted,
    /// It is being copied to another log directory of the broker.
    Future,
    /// The broker found it at its start, and the cluster's metadata do not have it.
    Stray,
}

/// A replica's directory, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryName {
    /// The topic. Kafka allows letters, digits, `.`, `_` and `-` only.
    pub topic: String,
    /// Whether Kafka may have cut the topic's name, because the directory's would be too long.
    pub is_cut: bool,
    /// The partition.
    pub partition: u32,
    /// From the suffix.
    pub state: State,
}

/// The replica that a directory of this name in a log directory holds: `TOPIC-N`, or `TOPIC-N.ID-delete` and its like.
pub fn replica(name: &[u8]) -> Option<DirectoryName> {
    let name = std::str::from_utf8(name).ok()?;
    let suffixes = [("-delete", State::Deleted), ("-future", State::Future), ("-stray", State::Stray)];
    let with_suffix = suffixes.into_iter().find_map(|(suffix, state)| {
        let (rest, id) = name.strip_suffix(suffix)?.rsplit_once('.')?;
        let is_id = id.len() == ID_BYTES && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then_some((rest, state))
    });
    let (rest, state) = with_suffix.unwrap_or((name, State::Live));
    let (topic, number) = rest.rsplit_once('-')?;
    let is_number =
        number == "0" || !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
    let partition =
        number.parse::<i32>().ok().filter(|_| is_number).and_then(|number| u32::try_from(number).ok())?;
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_topic = (1..=TOPIC_BYTES_MAX).contains(&topic.len())
        && topic != "."
        && topic != ".."
        && topic.bytes().all(is_allowed);
    let is_cut = state != State::Live && name.len() >= NAME_BYTES_MAX;
    is_topic.then(|| DirectoryName { topic: topic.to_owned(), is_cut, partition, state })
}

/// Whether Kafka uses the topic itself.
pub fn is_internal(topic: &str) -> bool {
    topic.starts_with("__")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789ABCDEF";

    fn parsed(name: &str) -> Option<(String, u32, State)> {
        replica(name.as_bytes()).map(|name| (name.topic, name.partition, name.state))
    }

    #[test]
    fn names_of_replicas_are_read_as_kafka_writes_them() {
        let found = |topic: &str, partition, state| Some((topic.to_owned(), partition, state));
        assert_eq!(parsed("orders-0"), found("orders", 0, State::Live));
        assert_eq!(parsed("team-a.orders_v2-17"), found("team-a.orders_v2", 17, State::Live));
        assert_eq!(parsed("__cluster_metadata-0"), found("__cluster_metadata", 0, State::Live));
        assert_eq!(parsed(&format!("a-b-3.{ID}-delete")), found("a-b", 3, State::Deleted));
        assert_eq!(parsed(&format!("a.b-3.{ID}-future")), found("a.b", 3, State::Future));
        assert_eq!(parsed(&format!("a-3.{ID}-stray")), found("a", 3, State::Stray));
        assert_eq!(parsed("-delete-0"), found("-delete", 0, State::Live));
        assert_eq!(parsed("t-2147483647"), found("t", 2_147_483_647, State::Live));
    }

    #[test]
    fn names_that_only_look_so_are_refused() {
        let long = format!("{}-0", "x".repeat(250));
        for wrong in [
            "",
            "-",
            "-0",
            "orders",
            "orders-",
            "orders--",
            "orders-01",
            "orders-+1",
            "orders-2147483648",
            "..-0",
            ".-0",
            "a b-0",
            "a/b-0",
            "ü-0",
            "orders-0-delete",
            "orders-0.abc-delete",
            "orders-0.-delete",
            &long,
            "orders-99999999999999999999",
        ] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
        assert_eq!(replica(&[0xff, b'-', b'0']), None);
        assert_eq!(replica(b"a\0-0"), None);
    }

    #[test]
    fn a_name_of_the_full_length_may_be_cut() {
        let suffix = format!("-3.{ID}-delete");
        let cut = format!("{}{suffix}", "t".repeat(255 - suffix.len()));
        assert!(replica(cut.as_bytes()).unwrap().is_cut);
        assert!(!replica(format!("short{suffix}").as_bytes()).unwrap().is_cut);
    }
}
