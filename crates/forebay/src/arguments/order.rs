//! Options before the command: `forebay --server URL volume list` is `forebay volume list --server URL`.

use std::ffi::OsString;

/// Options of most commands that take a value.
const WITH_VALUE: &[&str] = &[
    "--server",
    "--token",
    "--ca-certificate",
    "--tls-fingerprint",
    "--profile",
    "--output",
    "-o",
    "--config",
    "--pool-directory",
    "--admin-socket",
];
/// Options without one.
const WITHOUT_VALUE: &[&str] = &["--json"];

/// Moves options that come before the command behind it. If something else comes before it, nothing is moved.
pub fn ordered(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let all: Vec<OsString> = arguments.into_iter().collect();
    let mut rest = all.iter().skip(1).peekable();
    let mut moved = Vec::new();
    while let Some(word) = rest.next_if(|word| word.to_string_lossy().starts_with('-')) {
        let text = word.to_string_lossy();
        let name = text.split_once('=').map_or(text.as_ref(), |(name, _)| name);
        let has_value = WITH_VALUE.contains(&name);
        if !has_value && !WITHOUT_VALUE.contains(&text.as_ref()) {
            return all;
        }
        moved.push(word.clone());
        if has_value && !text.contains('=') {
            let Some(value) = rest.next() else { return all };
            moved.push(value.clone());
        }
    }
    if rest.peek().is_none() {
        return all;
    }
    // What comes after `--` is no option.
    let command: Vec<OsString> = rest.cloned().collect();
    let end = command.iter().position(|word| word == "--").unwrap_or(command.len());
    let (before, after) = command.split_at(end);
    all.first().cloned().into_iter().chain(before.to_vec()).chain(moved).chain(after.to_vec()).collect()
}

/// The program and the options of most commands that are among the words, whatever else is.
pub fn daemon_options(words: &[OsString]) -> Vec<OsString> {
    let mut options: Vec<OsString> = words.first().cloned().into_iter().collect();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let name = text.split_once('=').map_or(text.as_ref(), |(name, _)| name);
        if !WITH_VALUE.contains(&name) {
            continue;
        }
        if text.contains('=') {
            options.push(word.clone());
        } else if let Some(value) = rest.next() {
            options.extend([word.clone(), value.clone()]);
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reordered(line: &str) -> String {
        let words = line.split(' ').map(OsString::from);
        ordered(words).into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_options_that_name_a_daemon_are_found_in_an_unfinished_line() {
        let words: Vec<OsString> =
            ["forebay", "volume", "show", "--server", "URL", "--wide", "ka", "--token=t", "-o"]
                .map(OsString::from)
                .to_vec();
        assert_eq!(daemon_options(&words), ["forebay", "--server", "URL", "--token=t"].map(OsString::from));
    }

    #[test]
    fn options_of_most_commands_may_come_first() {
        for (given, expected) in [
            ("forebay --server URL volume list", "forebay volume list --server URL"),
            ("forebay --json -o table pool show", "forebay pool show --json -o table"),
            ("forebay --config=a.toml serve", "forebay serve --config=a.toml"),
            ("forebay --json lab -- x", "forebay lab --json -- x"),
            // Nothing to do, or not ours.
            ("forebay volume list --json", "forebay volume list --json"),
            ("forebay --version", "forebay --version"),
            ("forebay --help volume", "forebay --help volume"),
            ("forebay --server", "forebay --server"),
            ("forebay --server URL", "forebay --server URL"),
            ("forebay --size 5 volume create", "forebay --size 5 volume create"),
        ] {
            assert_eq!(reordered(given), expected);
        }
    }
}
