//! One condition of a statement: an operator, a key, and values.
//!
//! A condition is met if one of its values fits. All conditions of a statement must be met.

use super::date::Date;
use super::json::Json;
use super::keys::{Context, Key};
use super::malformed::{MalformedPolicy, Parsed};
use super::operator::{Comparison, Operator, Quantifier, Relation};
use super::pattern::{Pattern, Syntax};
use super::values::{Cidr, Number};

/// How many parts an ARN has.
const ARN_PARTS: usize = 6;

/// What the id of every user starts with, as in AWS.
pub(crate) const USER_ID_START: &str = "AIDA";

/// A condition. See the module.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    key: Key,
    operator: Operator,
    values: Values,
}

/// The values of the policy, as the operator takes them.
#[derive(Clone, Debug)]
enum Values {
    Texts(Vec<Pattern>),
    TextsIgnoringCase(Vec<Pattern>),
    /// For each ARN its parts.
    Arns(Vec<Vec<Pattern>>),
    Numbers(Relation, Vec<Number>),
    Dates(Relation, Vec<Date>),
    Bools(Vec<bool>),
    Ranges(Vec<Cidr>),
    /// Whether there is to be no value.
    Nulls(Vec<bool>),
}

impl Condition {
    /// All conditions of the element `Condition`.
    pub(super) fn parse_all(json: Json, variables: bool, place: &str) -> Parsed<Vec<Condition>> {
        let mut conditions = Vec::new();
        for (operator_name, keys) in json.into_members(place)?.into_all() {
            let place = format!("{place} {operator_name}");
            let operator = Operator::parse(&operator_name).ok_or_else(|| {
                MalformedPolicy::new(&place, "is not a known condition operator")
                    .worded(format!("Invalid Condition type : {operator_name}"))
            })?;
            for (name, values) in keys.into_members(&place)?.into_all() {
                let key = Key::parse(&name).ok_or_else(|| {
                    MalformedPolicy::new(&place, format!("has an unknown condition key {name:?}"))
                        .worded("Policy has an invalid condition key")
                })?;
                let values =
                    Values::parse(operator.comparison, values, variables, &format!("{place} {name}"))?;
                conditions.push(Condition { key, operator, values });
            }
        }
        Ok(conditions)
    }

    /// The condition's key, and those of the variables in its values.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        let patterns: Vec<&Pattern> = match &self.values {
            Values::Texts(patterns) | Values::TextsIgnoringCase(patterns) => patterns.iter().collect(),
            Values::Arns(arns) => arns.iter().flatten().collect(),
            _ => Vec::new(),
        };
        std::iter::once(&self.key).chain(patterns.into_iter().flat_map(Pattern::variables))
    }

    /// Whether a request meets the condition.
    pub(super) fn is_met(&self, context: &Context) -> bool {
        let values = context.values(&self.key);
        if let Values::Nulls(expected) = &self.values {
            return expected.contains(&values.is_empty());
        }
        let Operator { is_negated, if_exists, quantifier, .. } = self.operator;
        if values.is_empty() {
            let without_quantifier = quantifier.is_none() && is_negated;
            return if_exists || quantifier == Some(Quantifier::All) || without_quantifier;
        }
        let mut fits = values.iter().map(|value| self.values.fit(value, context) != is_negated);
        match quantifier {
            Some(Quantifier::All) => fits.all(|fits| fits),
            Some(Quantifier::Any) => fits.any(|fits| fits),
            None if is_negated => fits.all(|fits| fits),
            None => fits.any(|fits| fits),
        }
    }

    /// Whether only callers meet the condition whom its author knows: certain users, or ranges of addresses that are not broad.
    pub(super) fn fixes_caller(&self) -> bool {
        let Operator { is_negated, if_exists, quantifier, .. } = self.operator;
        if is_negated || if_exists || quantifier == Some(Quantifier::All) {
            return false;
        }
        match (&self.key, &self.values) {
            (Key::SourceIp, Values::Ranges(ranges)) => !ranges.iter().any(Cidr::is_broad),
            // Requests without a signature have the id `anonymous`.
            (Key::UserId, Values::Texts(patterns) | Values::TextsIgnoringCase(patterns)) => patterns
                .iter()
                .all(|pattern| pattern.fixed().is_some_and(|text| text.starts_with(USER_ID_START))),
            (Key::PrincipalArn, Values::Texts(patterns) | Values::TextsIgnoringCase(patterns)) => {
                patterns.iter().all(|pattern| pattern.fixed().is_some())
            }
            (Key::PrincipalArn, Values::Arns(arns)) => {
                arns.iter().flatten().all(|part| part.fixed().is_some())
            }
            _ => false,
        }
    }
}

impl Values {
    fn parse(comparison: Comparison, json: Json, variables: bool, place: &str) -> Parsed<Values> {
        let mut texts = Vec::new();
        for value in json.into_list(place)? {
            match value {
                Json::Text(text) | Json::Bare(text) => texts.push(text),
                _ => return Err(MalformedPolicy::new(place, "must be a string or a list of strings")),
            }
        }
        let patterns = |wildcards| {
            let pattern = |text: &String| Pattern::parse(text, Syntax { wildcards, variables });
            let wrong = |cause| MalformedPolicy::new(place, format!("has an invalid value: {cause}"));
            texts.iter().map(pattern).collect::<Result<Vec<_>, _>>().map_err(wrong)
        };
        Ok(match comparison {
            Comparison::Text => Values::Texts(patterns(false)?),
            Comparison::TextLike => Values::Texts(patterns(true)?),
            Comparison::TextIgnoringCase => Values::TextsIgnoringCase(patterns(false)?),
            Comparison::Arn => {
                let parts = |pattern: Pattern| pattern.split_at_colons(ARN_PARTS).ok_or(());
                let arns: Result<_, ()> = patterns(true)?.into_iter().map(parts).collect();
                let wrong =
                    |()| MalformedPolicy::new(place, "must be an ARN, which has six parts between colons");
                Values::Arns(arns.map_err(wrong)?)
            }
            Comparison::Number(relation) => {
                Values::Numbers(relation, each(&texts, Number::parse, place, "a number such as 100 or 2.5")?)
            }
            Comparison::Date(relation) => {
                let rule = "a time such as 2027-01-31T00:00:00Z, or seconds since 1970";
                Values::Dates(relation, each(&texts, Date::parse, place, rule)?)
            }
            Comparison::Bool => Values::Bools(each(&texts, truth, place, "true or false")?),
            Comparison::Null => Values::Nulls(each(&texts, truth, place, "true or false")?),
            Comparison::Ip => Values::Ranges(each(
                &texts,
                Cidr::parse,
                place,
                "an address, or a range such as 192.0.2.0/24",
            )?),
        })
    }

    /// Whether a value of the request fits one of the policy's. A value that is not of the operator's type fits none.
    fn fit(&self, value: &str, context: &Context) -> bool {
        let lookup = |key: &Key| context.value(key);
        match self {
            Values::Texts(patterns) => patterns.iter().any(|pattern| pattern.matches(value, lookup)),
            Values::TextsIgnoringCase(patterns) => {
                patterns.iter().any(|pattern| pattern.matches_ignoring_case(value, lookup))
            }
            Values::Arns(arns) => {
                let parts: Vec<&str> = value.splitn(ARN_PARTS, ':').collect();
                let is = |arn: &Vec<Pattern>| {
                    arn.iter().zip(&parts).all(|(part, text)| part.matches(text, lookup))
                };
                parts.len() == ARN_PARTS && arns.iter().any(is)
            }
            Values::Numbers(relation, numbers) => Number::parse(value)
                .is_some_and(|value| numbers.iter().any(|number| relation.holds(&value, number))),
            Values::Dates(relation, dates) => {
                Date::parse(value).is_some_and(|value| dates.iter().any(|date| relation.holds(&value, date)))
            }
            Values::Bools(bools) => truth(value).is_some_and(|value| bools.contains(&value)),
            Values::Ranges(ranges) => {
                value.parse().is_ok_and(|address| ranges.iter().any(|range| range.contains(address)))
            }
            // Taken care of in `is_met`, since it is about having no value.
            Values::Nulls(_) => false,
        }
    }
}

fn each<T>(texts: &[String], parse: impl Fn(&str) -> Option<T>, place: &str, rule: &str) -> Parsed<Vec<T>> {
    let wrong =
        |text: &str| MalformedPolicy::new(place, format!("has the value {text:?}, which is not {rule}"));
    texts.iter().map(|text| parse(text).ok_or_else(|| wrong(text))).collect()
}

fn truth(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        return Some(true);
    }
    text.eq_ignore_ascii_case("false").then_some(false)
}

#[cfg(test)]
#[path = "condition_tests.rs"]
mod tests;
