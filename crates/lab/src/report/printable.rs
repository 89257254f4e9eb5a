//! Results may come from anywhere, and what is in them is printed on terminals. So what a terminal would obey is written out when they are read.

use serde_json::Value;

/// Makes all text in a result fit to be printed.
pub fn make_printable(value: &mut Value) {
    match value {
        Value::String(text) => escape(text),
        Value::Array(items) => items.iter_mut().for_each(make_printable),
        Value::Object(fields) => {
            let taken = std::mem::take(fields);
            fields.extend(taken.into_iter().map(|(mut name, mut value)| {
                escape(&mut name);
                make_printable(&mut value);
                (name, value)
            }));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Control characters, but for ends of lines and tabs, and what changes the direction of text become such as `\u{1b}`.
fn escape(text: &mut String) {
    let is_hidden = |character: char| {
        (character.is_control() && !"\n\t".contains(character))
            || matches!(
                character,
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            )
    };
    if text.contains(is_hidden) {
        let escape = |character: char| -> String {
            if is_hidden(character) { character.escape_default().collect() } else { character.into() }
        };
        *text = text.chars().map(escape).collect();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out_wherever_it_is() {
        let mut result = json!({ "größer\u{1b}": ["a\u{9b}\n", { "b": "\u{202e}" }], "c": 7 });
        make_printable(&mut result);
        assert_eq!(result, json!({ "größer\\u{1b}": ["a\\u{9b}\n", { "b": "\\u{202e}" }], "c": 7 }));
    }
}
