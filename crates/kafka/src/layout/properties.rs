//! `meta.properties` of a log directory, and `partition.metadata` of a replica.

/// The maximum size of `meta.properties`. Kafka's has some hundred bytes.
pub const META_BYTES_MAX: u64 = 64 << 10;
/// The maximum size of `partition.metadata`.
pub const TOPIC_ID_BYTES_MAX: u64 = 4 << 10;
/// The maximum length of an id. Kafka's have 22 characters.
const ID_BYTES_MAX: usize = 128;

/// Whose a log directory is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// The cluster; missing before Kafka 0.10.1.
    pub cluster: Option<String>,
    /// The broker or controller.
    pub node: Option<u32>,
    /// The log directory, since Kafka 3.7.
    pub directory: Option<String>,
}

/// Reads `meta.properties`; `None` if it names neither a cluster nor a node.
pub fn meta(content: &[u8]) -> Option<Meta> {
    let mut meta = Meta::default();
    for line in std::str::from_utf8(content).ok()?.lines() {
        let line = line.trim();
        if line.starts_with(['#', '!']) {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let value = value.trim().replace('\\', "");
        match key.trim() {
            "cluster.id" => meta.cluster = id(&value),
            "directory.id" => meta.directory = id(&value),
            "node.id" | "broker.id" => {
                meta.node = value.parse().ok().filter(|node| i32::try_from(*node).is_ok())
            }
            _ => {}
        }
    }
    (meta.cluster.is_some() || meta.node.is_some()).then_some(meta)
}

/// Reads the topic's id in `partition.metadata`.
pub fn topic_id(content: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(content).ok()?;
    let value = text.lines().find_map(|line| line.trim().strip_prefix("topic_id:"))?;
    id(value.trim())
}

/// An id that can be shown, and be a part of an address.
fn id(value: &str) -> Option<String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_id = (1..=ID_BYTES_MAX).contains(&value.len())
        && value.bytes().all(is_allowed)
        && value != "."
        && value != "..";
    is_id.then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_directory_says_whose_it_is() {
        let text = "#\n#Fri Nov 27 22:09:41 GMT 2026\ncluster.id=5L6g3nShT-eMCtK--X86sw\ndirectory.id=w_x\nnode.id=3\nversion=1\n";
        let found = meta(text.as_bytes()).unwrap();
        assert_eq!(found.cluster.as_deref(), Some("5L6g3nShT-eMCtK--X86sw"));
        assert_eq!((found.node, found.directory.as_deref()), (Some(3), Some("w_x")));
        let old = meta(b"version=0\r\nbroker.id=1001\r\n").unwrap();
        assert_eq!(old, Meta { node: Some(1001), ..Meta::default() });
    }

    #[test]
    fn nonsense_is_no_log_directory() {
        for wrong in
            ["", "\0\0\0\0", "version=1", "node.id=-1", "node.id=99999999999", "node.id=", "cluster.id=a b"]
        {
            assert_eq!(meta(wrong.as_bytes()), None, "{wrong:?}");
        }
        assert_eq!(meta(&[0xff; 100]), None);
        assert_eq!(meta(format!("cluster.id={}", "x".repeat(129)).as_bytes()), None);
        // Cut in the middle of its second line.
        assert_eq!(meta(b"node.id=7\nclus").unwrap().node, Some(7));
    }

    #[test]
    fn a_partition_names_its_topic_by_id() {
        assert_eq!(
            topic_id(b"version: 0\ntopic_id: sZ4sTAB9T_m1dQnD2pRZEA\n").unwrap(),
            "sZ4sTAB9T_m1dQnD2pRZEA"
        );
        assert_eq!(topic_id(b"version: 0\ntopic_id:"), None);
        assert_eq!(topic_id(&[0; 40]), None);
    }
}
