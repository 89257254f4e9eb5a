//! The rules for names that operators choose. Names are shown on terminals and in logs, and must not contain characters that
//! control either.

/// The rule that [`is_name`] checks.
pub const NAME_RULE: &str = "1 to 64 characters of a-z A-Z 0-9 _ - . and not start with . or -";

/// Whether `name` is valid for a volume, a snapshot, an export policy or a user.
pub fn is_name(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let starts_well = name.bytes().next().is_some_and(|first| !b".-".contains(&first));
    starts_well && name.len() <= 64 && name.bytes().all(known)
}

/// Whether a character has no effect but to be displayed.
///
/// Control characters (C0, DEL and C1) control a terminal or end a line; line and paragraph separators end a line too; and
/// directional marks, embeddings, overrides and isolates change how the surrounding text reads.
pub fn is_printable(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_any_language_is_printable_and_what_commands_a_terminal_is_not() {
        assert!("kafka-1 größer 日本語 עברית 😀 \u{200d}".chars().all(is_printable));
        for hidden in
            "\0\u{7}\t\n\r\u{1b}\u{7f}\u{85}\u{9b}\u{61c}\u{200f}\u{2028}\u{202e}\u{2066}\u{2069}".chars()
        {
            assert!(!is_printable(hidden), "{hidden:?}");
        }
    }
}
