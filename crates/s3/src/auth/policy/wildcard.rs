//! Wildcards: `*` stands for any characters, `?` for any one.

use std::str::Chars;

/// One step of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// This character.
    Char(char),
    /// Any one character.
    One,
    /// Any characters, or none.
    Many,
}

/// Whether a pattern of `*` and `?` stands for a text.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    let tokens: Vec<Token> = pattern
        .chars()
        .map(|character| match character {
            '*' => Token::Many,
            '?' => Token::One,
            other => Token::Char(other),
        })
        .collect();
    stands_for(&tokens, text)
}

/// Whether the tokens stand for a text.
///
/// Takes at most one step for each pair of a token and a character: when a character does not fit, only the last `*` takes one more,
/// because whatever an earlier `*` could take, the last one can take as well.
pub(super) fn stands_for(tokens: &[Token], text: &str) -> bool {
    let (mut tokens, mut rest) = (tokens, text.chars());
    let mut last_many: Option<(&[Token], Chars<'_>)> = None;
    loop {
        let mut ahead = rest.clone();
        match (tokens.split_first(), ahead.next()) {
            (None, None) => return true,
            (Some((Token::Many, [])), _) => return true,
            (Some((Token::Many, after)), _) => {
                last_many = Some((after, rest.clone()));
                tokens = after;
                continue;
            }
            (Some((Token::One, after)), Some(_)) => {
                (tokens, rest) = (after, ahead);
                continue;
            }
            (Some((Token::Char(wanted), after)), Some(character)) if *wanted == character => {
                (tokens, rest) = (after, ahead);
                continue;
            }
            _ => {}
        }
        let Some((after, from)) = &mut last_many else { return false };
        if from.next().is_none() {
            return false;
        }
        (tokens, rest) = (after, from.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    /// As the definition says it, in exponential time.
    fn naive(pattern: &[char], text: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('*', after)) => (0..=text.len()).any(|taken| naive(after, &text[taken..])),
            Some(('?', after)) => !text.is_empty() && naive(after, &text[1..]),
            Some((wanted, after)) => text.first() == Some(wanted) && naive(after, &text[1..]),
        }
    }

    proptest! {
        #[test]
        fn wildcards_stand_for_what_their_definition_says(pattern in "[abé*?]{0,9}", text in "[abé]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(glob(&pattern, &text), naive(&chars(&pattern), &chars(&text)));
        }
    }

    #[test]
    fn many_wildcards_take_little_time() {
        let began = Instant::now();
        assert!(!glob(&"a*".repeat(5000), &format!("{}b", "a".repeat(1024))));
        assert!(!glob(&format!("{}b", "*?".repeat(400)), &"a".repeat(1024)));
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    }
}
