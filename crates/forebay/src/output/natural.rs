//! The order in which people expect names: `broker2` before `broker10`.

use std::cmp::Ordering;

/// Compares names; runs of digits count as numbers.
pub fn order(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    while let (Some(first), Some(second)) = (left.chars().next(), right.chars().next()) {
        let compared = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (number, rest) = digits(left);
            let (other, other_rest) = digits(right);
            (left, right) = (rest, other_rest);
            // Without leading zeros, the longer of two numbers is the greater one.
            number.len().cmp(&other.len()).then_with(|| number.cmp(other))
        } else {
            (left, right) = (&left[first.len_utf8()..], &right[second.len_utf8()..]);
            first.to_lowercase().cmp(second.to_lowercase())
        };
        if compared.is_ne() {
            return compared;
        }
    }
    // What differs only in case or leading zeros has an order, too.
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

/// The digits at the beginning, without leading zeros, and the rest.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    (number.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_in_order() {
        let ordered = ["b1", "b2", "B03", "b10", "b10a", "broker-1", "broker-9.log", "broker-12", "é1", "é2"];
        let mut names = ordered;
        names.reverse();
        names.sort_by(|one, other| order(one, other));
        assert_eq!(names, ordered);
        assert_eq!(order("a", "a"), Ordering::Equal);
        assert_ne!(order("a01", "a1"), Ordering::Equal);
        assert_eq!(order("", "a"), Ordering::Less);
    }
}
