//! Texts of a policy that stand for many texts: with wildcards (`*`, `?`) and variables (`${aws:username}`).

use super::keys::Key;
use super::wildcard::{Token, stands_for};

/// A step, or a variable that a request replaces with characters.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Token(Token),
    Variable { key: Key, default: Option<String> },
}

/// Which characters have a meaning of their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syntax {
    /// `*` and `?` are wildcards.
    pub(super) wildcards: bool,
    /// `${…}` is a variable. It is not in policies of the version 2008-10-17.
    pub(super) variables: bool,
}

/// A pattern. See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Part>);

impl Pattern {
    /// Parses a pattern. The error says what is wrong with a variable.
    pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Pattern, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if syntax.variables
                && let Some(inside) = rest.strip_prefix("${")
            {
                let (variable, after) =
                    inside.split_once('}').ok_or_else(|| format!("`{rest}` has no closing brace"))?;
                parts.push(variable_part(variable)?);
                rest = after;
                continue;
            }
            parts.push(Part::Token(match first {
                '*' if syntax.wildcards => Token::Many,
                '?' if syntax.wildcards => Token::One,
                other => Token::Char(other),
            }));
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
        Ok(Pattern(parts))
    }

    /// Whether the pattern stands for `text`. A variable without a value stands for nothing, so neither does its pattern.
    pub(super) fn matches<'v>(&self, text: &str, value: impl Fn(&Key) -> Option<&'v str>) -> bool {
        self.tokens(text.len(), value).is_some_and(|tokens| stands_for(&tokens, text))
    }

    /// Like `matches`, without regard to case.
    pub(super) fn matches_ignoring_case<'v>(
        &self,
        text: &str,
        value: impl Fn(&Key) -> Option<&'v str>,
    ) -> bool {
        // Lower case can be longer than upper case, at most threefold.
        let Some(tokens) = self.tokens(text.len().saturating_mul(3), value) else { return false };
        let lower = tokens.iter().flat_map(|token| match token {
            Token::Char(character) => character.to_lowercase().map(Token::Char).collect::<Vec<_>>(),
            other => vec![*other],
        });
        stands_for(&lower.collect::<Vec<_>>(), &text.chars().flat_map(char::to_lowercase).collect::<String>())
    }

    /// The steps for a request. `None` if a variable has no value, or if the pattern stands only for texts that are longer than
    /// `bytes_max`: many variables with long values must not take more memory than that.
    fn tokens<'v>(&self, bytes_max: usize, value: impl Fn(&Key) -> Option<&'v str>) -> Option<Vec<Token>> {
        let mut tokens = Vec::with_capacity(self.0.len());
        let mut length = 0;
        for part in &self.0 {
            match part {
                Part::Token(token) => {
                    length += usize::from(*token != Token::Many);
                    tokens.push(*token);
                }
                Part::Variable { key, default } => {
                    let value = value(key).or(default.as_deref())?;
                    length += value.chars().count();
                    if length <= bytes_max {
                        tokens.extend(value.chars().map(Token::Char));
                    }
                }
            }
            if length > bytes_max {
                return None;
            }
        }
        Some(tokens)
    }

    /// The keys of the variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = &Key> {
        self.0.iter().filter_map(|part| match part {
            Part::Variable { key, .. } => Some(key),
            Part::Token(_) => None,
        })
    }

    /// The text that the pattern stands for, if it is the same one for all requests.
    pub(super) fn fixed(&self) -> Option<String> {
        let characters = self.0.iter().map(|part| match part {
            Part::Token(Token::Char(character)) => Some(*character),
            _ => None,
        });
        characters.collect()
    }

    /// The pattern's text up to the first wildcard or variable, and whether that is all of it.
    pub(super) fn fixed_start(&self) -> (String, bool) {
        let characters: String = self
            .0
            .iter()
            .map_while(|part| match part {
                Part::Token(Token::Char(character)) => Some(*character),
                _ => None,
            })
            .collect();
        let is_all = characters.chars().count() == self.0.len();
        (characters, is_all)
    }

    /// Whether the part after the fixed start begins with `*`.
    pub(super) fn is_open_after_start(&self) -> bool {
        let first = self.0.iter().find(|part| !matches!(part, Part::Token(Token::Char(_))));
        matches!(first, Some(Part::Token(Token::Many)))
    }

    /// The pattern's parts between colons: `count` of them, of which the last may contain colons. `None` if there are fewer.
    pub(super) fn split_at_colons(&self, count: usize) -> Option<Vec<Pattern>> {
        let colon = Part::Token(Token::Char(':'));
        let parts: Vec<Pattern> =
            self.0.splitn(count, |part| *part == colon).map(|parts| Pattern(parts.to_vec())).collect();
        (parts.len() == count).then_some(parts)
    }
}

/// A variable, or a character that is written like one: `${*}`, `${?}` and `${$}`.
fn variable_part(text: &str) -> Result<Part, String> {
    if let "*" | "?" | "$" = text {
        return Ok(Part::Token(Token::Char(text.chars().next().unwrap_or('$'))));
    }
    let (name, default) = match text.split_once(',') {
        Some((name, default)) => (name, Some(default.trim())),
        None => (text, None),
    };
    let key =
        Key::parse(name.trim()).ok_or_else(|| format!("`${{{text}}}` is not a known policy variable"))?;
    if key.has_many_values() {
        return Err(format!("`${{{text}}}` has more than one value and cannot be a policy variable"));
    }
    let default = match default {
        None => None,
        Some(quoted) => {
            let inside = quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
            let wrong = || format!("the default value in `${{{text}}}` must be in single quotes");
            Some(inside.ok_or_else(wrong)?.to_owned())
        }
    };
    Ok(Part::Variable { key, default })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Syntax = Syntax { wildcards: true, variables: true };

    fn alice(key: &Key) -> Option<&'static str> {
        (*key == Key::Username).then_some("al*ce")
    }

    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::parse(pattern, ALL).unwrap().matches(text, alice)
    }

    #[test]
    fn the_value_of_a_variable_has_no_wildcards() {
        assert!(matches("home/${aws:username}/*", "home/al*ce/x"));
        assert!(!matches("home/${aws:username}/*", "home/alice/x"));
        assert!(matches("${AWS:UserName}", "al*ce"));
    }

    #[test]
    fn a_variable_without_a_value_stands_for_nothing_unless_it_has_a_default() {
        assert!(!matches("home/${s3:prefix}", "home/"));
        assert!(!matches("*${s3:prefix}*", "home/"));
        assert!(matches("home/${s3:prefix, 'public'}", "home/public"));
        assert!(matches("home/${s3:prefix,''}", "home/"));
    }

    #[test]
    fn braces_write_a_character_that_is_otherwise_a_wildcard() {
        assert!(matches("a${*}b${?}c${$}{d}", "a*b?c${d}"));
        assert!(!matches("a${*}b", "axb"));
    }

    #[test]
    fn wrong_variables_are_refused_and_old_policies_have_none() {
        for wrong in [
            "${",
            "${aws:username",
            "${aws:nonsense}",
            "${}",
            "${aws:username, public}",
            "${s3:RequestObjectTagKeys}",
        ] {
            assert!(Pattern::parse(wrong, ALL).is_err(), "{wrong}");
            let old = Syntax { variables: false, ..ALL };
            assert!(Pattern::parse(wrong, old).unwrap().matches(wrong, alice), "{wrong}");
        }
    }

    #[test]
    fn many_variables_with_long_values_take_no_more_memory_than_the_text() {
        let pattern = Pattern::parse(&"${aws:Referer}".repeat(1000), ALL).unwrap();
        let long = "x".repeat(16 << 10);
        assert!(pattern.tokens(1024, |_| Some(long.as_str())).is_none());
    }

    #[test]
    fn case_is_ignored_in_all_languages() {
        let pattern = Pattern::parse("GRÖSSE-İ", Syntax { wildcards: false, variables: true }).unwrap();
        assert!(pattern.matches_ignoring_case("größe-İ".replace('ß', "ss").as_str(), alice));
        assert!(!pattern.matches_ignoring_case("gross", alice));
    }
}
