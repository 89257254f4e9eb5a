//! The names of condition operators, and what each compares.

use std::cmp::Ordering;

/// What an operator compares, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Texts, character by character.
    Text,
    /// Texts, without regard to case.
    TextIgnoringCase,
    /// Texts, with wildcards.
    TextLike,
    /// ARNs, with wildcards in each of their six parts.
    Arn,
    /// Numbers, of which the request's must stand in this relation to the policy's.
    Number(Relation),
    /// Times, likewise.
    Date(Relation),
    /// Truth values.
    Bool,
    /// An address and ranges of addresses.
    Ip,
    /// Whether the request has no value at all.
    Null,
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relation(&'static [Ordering]);

impl Relation {
    /// Whether a value of the request stands in this relation to one of the policy.
    pub(super) fn holds<T: Ord>(self, of_request: &T, of_policy: &T) -> bool {
        self.0.contains(&of_request.cmp(of_policy))
    }
}

/// How the values of a key that has many are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantifier {
    /// `ForAllValues:`
    All,
    /// `ForAnyValue:`
    Any,
}

/// A condition operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operator {
    pub(super) comparison: Comparison,
    /// The operator is a `Not`.
    pub(super) is_negated: bool,
    /// `…IfExists`: met if the request has no value.
    pub(super) if_exists: bool,
    pub(super) quantifier: Option<Quantifier>,
}

const EQUAL: Relation = Relation(&[Ordering::Equal]);
const LESS: Relation = Relation(&[Ordering::Less]);
const LESS_OR_EQUAL: Relation = Relation(&[Ordering::Less, Ordering::Equal]);
const GREATER: Relation = Relation(&[Ordering::Greater]);
const GREATER_OR_EQUAL: Relation = Relation(&[Ordering::Greater, Ordering::Equal]);

/// Name, comparison, and whether the operator is negated.
const OPERATORS: &[(&str, Comparison, bool)] = &[
    ("StringEquals", Comparison::Text, false),
    ("StringNotEquals", Comparison::Text, true),
    ("StringEqualsIgnoreCase", Comparison::TextIgnoringCase, false),
    ("StringNotEqualsIgnoreCase", Comparison::TextIgnoringCase, true),
    ("StringLike", Comparison::TextLike, false),
    ("StringNotLike", Comparison::TextLike, true),
    ("NumericEquals", Comparison::Number(EQUAL), false),
    ("NumericNotEquals", Comparison::Number(EQUAL), true),
    ("NumericLessThan", Comparison::Number(LESS), false),
    ("NumericLessThanEquals", Comparison::Number(LESS_OR_EQUAL), false),
    ("NumericGreaterThan", Comparison::Number(GREATER), false),
    ("NumericGreaterThanEquals", Comparison::Number(GREATER_OR_EQUAL), false),
    ("DateEquals", Comparison::Date(EQUAL), false),
    ("DateNotEquals", Comparison::Date(EQUAL), true),
    ("DateLessThan", Comparison::Date(LESS), false),
    ("DateLessThanEquals", Comparison::Date(LESS_OR_EQUAL), false),
    ("DateGreaterThan", Comparison::Date(GREATER), false),
    ("DateGreaterThanEquals", Comparison::Date(GREATER_OR_EQUAL), false),
    ("Bool", Comparison::Bool, false),
    ("IpAddress", Comparison::Ip, false),
    ("NotIpAddress", Comparison::Ip, true),
    ("ArnEquals", Comparison::Arn, false),
    ("ArnLike", Comparison::Arn, false),
    ("ArnNotEquals", Comparison::Arn, true),
    ("ArnNotLike", Comparison::Arn, true),
    ("Null", Comparison::Null, false),
];

impl Operator {
    /// An operator by its full name, such as `ForAllValues:StringLikeIfExists`.
    pub(super) fn parse(text: &str) -> Option<Operator> {
        let (quantifier, name) = match text.split_once(':') {
            Some(("ForAllValues", name)) => (Some(Quantifier::All), name),
            Some(("ForAnyValue", name)) => (Some(Quantifier::Any), name),
            Some(_) => return None,
            None => (None, text),
        };
        let (name, if_exists) = match name.strip_suffix("IfExists") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let (_, comparison, is_negated) = *OPERATORS.iter().find(|(known, ..)| *known == name)?;
        if comparison == Comparison::Null && (if_exists || quantifier.is_some()) {
            return None;
        }
        Some(Operator { comparison, is_negated, if_exists, quantifier })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_have_a_quantifier_before_and_an_escape_after_their_name() {
        let operator = Operator::parse("ForAnyValue:StringNotLikeIfExists").unwrap();
        assert_eq!(operator.comparison, Comparison::TextLike);
        assert!(operator.is_negated && operator.if_exists && operator.quantifier == Some(Quantifier::Any));
        for (name, comparison, is_negated) in OPERATORS {
            let plain = Operator {
                comparison: *comparison,
                is_negated: *is_negated,
                if_exists: false,
                quantifier: None,
            };
            assert_eq!(Operator::parse(name), Some(plain));
        }
    }

    #[test]
    fn what_is_no_operator_is_not_read() {
        for wrong in [
            "",
            "StringEqual",
            "stringEquals",
            "StringEqualsIfExist",
            "IfExists",
            "ForAll:StringEquals",
            "NullIfExists",
            "ForAllValues:Null",
            "ForAllValues:ForAnyValue:StringEquals",
            "BinaryEquals",
            "StringEqualsIfExistsIfExists",
        ] {
            assert_eq!(Operator::parse(wrong), None, "{wrong}");
        }
    }
}
