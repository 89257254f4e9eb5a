//! What the library says of a header or a parameter that it cannot parse. Its errors have nothing but this text, so there is no other way
//! to learn which argument is wrong. A text of another form stays as it is.

/// The message of AWS for the library's message, and the name and the value of the argument.
pub(super) fn reworded(message: &str) -> Option<(String, String, String)> {
    if let Some((name, value)) =
        message.strip_prefix("invalid query: ").and_then(|rest| rest.split_once(": "))
    {
        let message = format!("Provided {value} not an integer or within integer range");
        return Some((message, name.to_owned(), value.to_owned()));
    }
    let (name, value) = message.strip_prefix("invalid header: ").and_then(|rest| rest.split_once(": "))?;
    let value = value.trim_matches('"');
    let message = match name {
        "x-amz-object-lock-retain-until-date" => "The retain until date must be provided in ISO 8601 format",
        "x-amz-copy-source" => "Invalid copy source encoding",
        _ => return None,
    };
    Some((message.to_owned(), name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_that_the_library_refuses_is_named_as_aws_does() {
        let (message, name, value) = reworded("invalid query: part-number-marker: invalid").unwrap();
        assert_eq!(message, "Provided invalid not an integer or within integer range");
        assert_eq!((name.as_str(), value.as_str()), ("part-number-marker", "invalid"));
        let (message, ..) = reworded("invalid header: x-amz-copy-source: \"100%/a\"").unwrap();
        assert_eq!(message, "Invalid copy source encoding");
        assert_eq!(reworded("invalid header: x-other: \"a\""), None);
        assert_eq!(reworded("The key is too long."), None);
    }
}
