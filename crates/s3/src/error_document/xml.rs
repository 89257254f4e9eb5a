//! The few parts of XML that error documents have.

/// The elements that the documents of this server begin with and end with. All others are details.
const FRAME: [&str; 5] = ["Code", "Message", "Resource", "RequestId", "HostId"];

/// The text of the first element of this name.
pub(super) fn element(document: &str, name: &str) -> Option<String> {
    let (_, rest) = document.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    Some(unescaped(text))
}

/// The elements between the message and the resource, in a document that this server has written.
pub(super) fn details(document: &str) -> Vec<(String, String)> {
    let Some((_, mut rest)) = document.split_once("<Error>") else { return Vec::new() };
    let mut found = Vec::new();
    while let Some((name, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        let Some((text, after)) = after.split_once(&format!("</{name}>")) else { break };
        if !FRAME.contains(&name) {
            found.push((name.to_owned(), unescaped(text)));
        }
        rest = after;
    }
    found
}

fn unescaped(text: &str) -> String {
    // The ampersand comes last, so that `&amp;lt;` becomes `&lt;`.
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#13;", "\r"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}

/// Appends an element.
pub(crate) fn push_element(xml: &mut String, name: &str, text: &str) {
    xml.extend(["<", name, ">"]);
    for character in text.chars() {
        match character {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            // XML 1.0 cannot express these.
            '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {
                xml.push(char::REPLACEMENT_CHARACTER);
            }
            '\r' => xml.push_str("&#13;"),
            character => xml.push(character),
        }
    }
    xml.extend(["</", name, ">"]);
}
