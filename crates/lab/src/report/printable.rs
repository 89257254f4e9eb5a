//! Results may come from other machines, and their text is printed on terminals. So control characters are escaped when results are read.

use std::borrow::Cow;

use serde_json::Value;

use crate::output::escaped;

/// Makes all text in a result safe to print.
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

fn escape(text: &mut String) {
    if let Cow::Owned(printable) = escaped(text) {
        *text = printable;
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
