//! Values that several commands take.

/// Parses one of the words of an enumeration.
pub fn parse_word<T: std::str::FromStr<Err = String>>(text: &str) -> Result<T, String> {
    text.parse()
}

/// Reads an owner and a group, as numbers.
pub fn parse_owner(text: &str) -> Result<(u32, u32), String> {
    let owner = text.split_once(':').and_then(|(uid, gid)| Some((uid.parse().ok()?, gid.parse().ok()?)));
    match owner {
        Some((u32::MAX, _) | (_, u32::MAX)) => {
            Err("4294967295 stands for no user and no group; choose another number, such as 65534".to_owned())
        }
        Some(owner) => Ok(owner),
        None => Err("write UID:GID as numbers, such as 1000:1000; `id USER` shows them".to_owned()),
    }
}
