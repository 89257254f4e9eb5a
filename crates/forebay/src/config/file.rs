//! Reads the configuration file strictly. An unknown section or key, or a value of the wrong type or out of
//! range, is an error that names the file, the line, the key, and the most similar key that exists.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::settings::{SECTIONS, settings};
use super::value::{Kind, Setting};
use super::{Config, ConfigError};

/// Reads `path` and applies it to `config`.
pub fn apply(config: &mut Config, path: &Path) -> Result<(), ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        ConfigError(format!(
            "{}: cannot be read: {error}; `forebay config init` prints a configuration to start from",
            path.display()
        ))
    })?;
    Reader { path, text: &text }.apply(config)
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reader<'_> {
    fn apply(&self, config: &mut Config) -> Result<(), ConfigError> {
        let root = DeTable::parse(self.text).map_err(|error| {
            // The parser's message ends with a list of what it expected; one line is enough here.
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            self.error(&error.span().unwrap_or(0..0), &message)
        })?;
        for (section, value) in root.get_ref().iter() {
            let name = section.get_ref().as_ref();
            if !SECTIONS.iter().any(|(known, _)| *known == name) {
                return Err(self.unknown_section(section.span(), name));
            }
            let DeValue::Table(table) = value.get_ref() else {
                return Err(self.error(&section.span(), &format!("`{name}` is a table: write [{name}]")));
            };
            self.apply_section(config, name, table)?;
        }
        Ok(())
    }

    fn apply_section(&self, config: &mut Config, section: &str, table: &DeTable) -> Result<(), ConfigError> {
        for (key, value) in table.iter() {
            let name = key.get_ref().as_ref();
            let setting = settings()
                .find(|setting| setting.section == section && setting.key == name)
                .ok_or_else(|| self.unknown_key(key.span(), section, name))?;
            self.apply_value(config, setting, value)?;
        }
        Ok(())
    }

    fn apply_value(
        &self,
        config: &mut Config,
        setting: &Setting,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let text = match (setting.kind, value.get_ref()) {
            (Kind::Text, DeValue::String(text)) => text.as_ref().to_owned(),
            (Kind::Number, DeValue::Integer(number)) if number.radix() == 10 => number.as_str().to_owned(),
            (kind, other) => {
                let wanted = match kind {
                    Kind::Text => "a string in quotes",
                    Kind::Number => "a whole number without quotes",
                };
                let message = format!("{}: takes {wanted}, not {}", setting.path(), other.type_str());
                return Err(self.error(&value.span(), &message));
            }
        };
        (setting.set)(config, &text)
            .map_err(|message| self.error(&value.span(), &format!("{}: {message}", setting.path())))
    }

    fn unknown_section(&self, span: Range<usize>, name: &str) -> ConfigError {
        let known = SECTIONS.iter().map(|(section, _)| *section);
        // A key at the top of the file usually lacks its section.
        let hint = match settings().find(|setting| setting.key == name) {
            Some(setting) => format!("`{name}` belongs below [{}]", setting.section),
            None => suggestion(name, known),
        };
        self.error(&span, &format!("unknown section `{name}`; {hint}"))
    }

    fn unknown_key(&self, span: Range<usize>, section: &str, name: &str) -> ConfigError {
        let hint = match settings().find(|setting| setting.key == name) {
            Some(setting) => format!("`{name}` belongs below [{}]", setting.section),
            None => suggestion(
                name,
                settings().filter(|setting| setting.section == section).map(|setting| setting.key),
            ),
        };
        self.error(&span, &format!("unknown key `{section}.{name}`; {hint}"))
    }

    fn error(&self, span: &Range<usize>, message: &str) -> ConfigError {
        let line = self.text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() + 1;
        ConfigError(format!("{}:{line}: {message}", self.path.display()))
    }
}

/// "did you mean …?" with the most similar known name, or a list of all names if none is similar.
fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    known
        .clone()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(candidate, name), candidate))
        .filter(|(likeness, _)| *likeness > 0.4)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map_or_else(
            || format!("there are {}", known.collect::<Vec<_>>().join(", ")),
            |(_, candidate)| format!("did you mean `{candidate}`?"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply_text(text: &str) -> Result<Config, String> {
        let mut config = Config::default();
        Reader { path: Path::new("forebay.toml"), text }
            .apply(&mut config)
            .map(|()| config)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn values_of_the_file_replace_the_defaults() {
        let config = apply_text("[nfs]\nlisten = \"127.0.0.1:2050\"\nlease_seconds = 10\n").unwrap();
        assert_eq!(config.nfs.listen.port(), 2050);
        assert_eq!(config.nfs.lease_seconds, 10);
        assert_eq!(config.pool, Config::default().pool);
    }

    #[test]
    fn an_unknown_key_is_named_with_its_line_and_its_nearest_neighbour() {
        let message = apply_text("[pool]\n\ndirectroy = \"x\"\n").unwrap_err();
        assert_eq!(message, "forebay.toml:3: unknown key `pool.directroy`; did you mean `directory`?");
    }

    #[test]
    fn a_key_in_the_wrong_table_is_told_where_it_belongs() {
        assert!(apply_text("listen = \"1.2.3.4:5\"").unwrap_err().ends_with("`listen` belongs below [nfs]"));
        assert!(apply_text("[pool]\nlisten = 1").unwrap_err().ends_with("`listen` belongs below [nfs]"));
    }

    #[test]
    fn an_unknown_section_is_named() {
        let message = apply_text("[nsf]\nlisten = \"x\"").unwrap_err();
        assert_eq!(message, "forebay.toml:1: unknown section `nsf`; did you mean `nfs`?");
    }

    #[test]
    fn a_key_like_none_lists_all_there_are() {
        let message = apply_text("[log]\nzzz = 1").unwrap_err();
        assert!(message.ends_with("there are format, level"), "{message}");
    }

    #[test]
    fn wrong_types_and_values_are_named_with_line_and_key() {
        for (text, expected) in [
            ("[nfs]\nlisten = 2049", "forebay.toml:2: nfs.listen: takes a string in quotes, not integer"),
            ("[nfs]\nlease_seconds = \"30\"", "nfs.lease_seconds: takes a whole number without quotes"),
            ("[nfs]\nlease_seconds = 0", "`0` is not a whole number from 5 to 3600"),
            ("[nfs]\nlisten = \"localhost\"", "write IP:PORT"),
            ("[pool]\nsize_max = \"12XB\"", "forebay.toml:2: pool.size_max: `12XB` is not a size"),
            ("pool = 3", "write [pool]"),
            ("[pool", "forebay.toml:1: "),
            ("[pool]\n[pool]\n", "duplicate key"),
        ] {
            let message = apply_text(text).unwrap_err();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }
}
