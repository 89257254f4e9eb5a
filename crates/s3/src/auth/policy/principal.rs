//! The principals that a statement of a bucket policy names.
//!
//! There is one account, [`ACCOUNT_ID`]. As in AWS, a statement that allows something to the account (`arn:aws:iam::…:root`) leaves
//! it to the account's own policies, those of groups, who may use that; so it grants nothing by itself. A statement that denies
//! something to the account denies it to all users.

use std::collections::BTreeSet;

use forebay_pool::is_name;

use super::json::Json;
use super::malformed::{MalformedPolicy, Parsed};
use super::{Effect, Principal};

/// The account that owns all buckets and users, as it appears in ARNs.
pub const ACCOUNT_ID: &str = "000000000000";

/// The ARN of a user.
pub fn user_arn(name: &str) -> String {
    format!("arn:aws:iam::{ACCOUNT_ID}:user/{name}")
}

/// The element `Principal` or `NotPrincipal` of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Principals {
    /// Those who have the policy: it is a group's.
    Holders,
    /// `Principal`.
    Only(Listed),
    /// `NotPrincipal`.
    AllBut(Listed),
}

/// Principals that a policy lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listed {
    /// `*`: also requests without a signature.
    everyone: bool,
    account: bool,
    users: BTreeSet<String>,
}

impl Principals {
    /// Parses `Principal`, or `NotPrincipal` if the flag says so.
    pub(super) fn parse(json: Json, is_not: bool, effect: Effect, place: &str) -> Parsed<Principals> {
        let listed = Listed::parse(json, place)?;
        match (is_not, effect) {
            (false, _) => Ok(Principals::Only(listed)),
            (true, Effect::Deny) => Ok(Principals::AllBut(listed)),
            (true, Effect::Allow) => Err(MalformedPolicy::new(
                place,
                "cannot be used with the effect Allow: it would allow everyone who is not listed",
            )),
        }
    }

    /// Whether a statement with this effect is about this principal.
    pub(super) fn include(&self, principal: &Principal, effect: Effect) -> bool {
        match self {
            Principals::Holders => true,
            Principals::Only(listed) => match principal {
                _ if listed.everyone => true,
                Principal::Anonymous => false,
                Principal::User { name, .. } => {
                    listed.users.contains(name) || (listed.account && effect == Effect::Deny)
                }
            },
            Principals::AllBut(listed) => match principal {
                _ if listed.everyone => false,
                Principal::Anonymous => true,
                Principal::User { name, .. } => !listed.users.contains(name),
            },
        }
    }

    /// Whether everyone is included, even requests without a signature.
    pub(super) fn include_everyone(&self) -> bool {
        match self {
            Principals::Holders => false,
            Principals::Only(listed) => listed.everyone,
            Principals::AllBut(listed) => !listed.everyone,
        }
    }

    /// The users who are named.
    pub(super) fn users(&self) -> impl Iterator<Item = &str> {
        let listed = match self {
            Principals::Holders => None,
            Principals::Only(listed) | Principals::AllBut(listed) => Some(listed),
        };
        listed.into_iter().flat_map(|listed| &listed.users).map(String::as_str)
    }
}

impl Listed {
    fn parse(json: Json, place: &str) -> Parsed<Listed> {
        if json == Json::Text("*".to_owned()) {
            return Ok(Listed { everyone: true, ..Listed::default() });
        }
        let rule = "must be \"*\" or {\"AWS\": …} with one principal or a list of them";
        let Json::Object(kinds) = json else { return Err(MalformedPolicy::new(place, rule)) };
        let mut listed = Listed::default();
        for (kind, names) in kinds {
            if kind != "AWS" {
                return Err(MalformedPolicy::new(
                    place,
                    format!("has principals of the unknown kind {kind:?}; {rule}"),
                ));
            }
            for name in names.into_texts(place)? {
                listed.add(&name, place)?;
            }
        }
        if listed == Listed::default() {
            return Err(MalformedPolicy::new(place, rule));
        }
        Ok(listed)
    }

    fn add(&mut self, name: &str, place: &str) -> Parsed<()> {
        let of_account = name.strip_prefix("arn:aws:iam::").and_then(|rest| rest.strip_prefix(ACCOUNT_ID));
        match (name, of_account) {
            ("*", _) => self.everyone = true,
            (ACCOUNT_ID, _) | (_, Some(":root")) => self.account = true,
            (_, Some(rest)) if rest.strip_prefix(":user/").is_some_and(is_name) => {
                self.users.extend(rest.strip_prefix(":user/").map(str::to_owned));
            }
            _ => {
                return Err(MalformedPolicy::new(
                    place,
                    format!(
                        "has an invalid principal {name:?}; users are {}, the account is arn:aws:iam::{ACCOUNT_ID}:root, and \
                         everyone is \"*\"; groups and parts of names cannot be principals",
                        user_arn("NAME")
                    ),
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, is_not: bool, effect: Effect) -> Parsed<Principals> {
        Principals::parse(Json::parse(text.as_bytes()).unwrap(), is_not, effect, "Principal")
    }

    fn user(name: &str) -> Principal {
        Principal::User { name: name.to_owned(), id: format!("AIDA{name}") }
    }

    /// Whether the statement is about alice, bob, and a request without a signature.
    fn about(text: &str, is_not: bool, effect: Effect) -> [bool; 3] {
        let principals = parse(text, is_not, effect).unwrap();
        [user("alice"), user("bob"), Principal::Anonymous].map(|who| principals.include(&who, effect))
    }

    const ALICE: &str = r#"{"AWS": "arn:aws:iam::000000000000:user/alice"}"#;
    const ROOT: &str = r#"{"AWS": ["arn:aws:iam::000000000000:root"]}"#;

    #[test]
    fn a_statement_is_about_those_it_lists() {
        for effect in [Effect::Allow, Effect::Deny] {
            assert_eq!(about("\"*\"", false, effect), [true, true, true]);
            assert_eq!(about(r#"{"AWS": "*"}"#, false, effect), [true, true, true]);
            assert_eq!(about(ALICE, false, effect), [true, false, false]);
        }
        assert_eq!(about(ALICE, true, Effect::Deny), [false, true, true]);
        assert_eq!(about("\"*\"", true, Effect::Deny), [false, false, false]);
    }

    #[test]
    fn allowing_the_account_grants_nothing_by_itself_and_denying_it_denies_all_users() {
        for account in [ROOT, r#"{"AWS": "000000000000"}"#] {
            assert_eq!(about(account, false, Effect::Allow), [false, false, false]);
            assert_eq!(about(account, false, Effect::Deny), [true, true, false]);
        }
    }

    #[test]
    fn what_is_no_principal_is_refused() {
        for wrong in [
            "\"alice\"",
            "{}",
            "[\"*\"]",
            r#"{"AWS": []}"#,
            r#"{"AWS": "alice"}"#,
            r#"{"AWS": "arn:aws:iam::123456789012:user/alice"}"#,
            r#"{"AWS": "arn:aws:iam::000000000000:user/*"}"#,
            r#"{"AWS": "arn:aws:iam::000000000000:user/"}"#,
            r#"{"AWS": "arn:aws:iam::000000000000:group/staff"}"#,
            r#"{"AWS": "arn:aws:iam::000000000000:role/admin"}"#,
            r#"{"Service": "cloudtrail.amazonaws.com"}"#,
        ] {
            assert!(parse(wrong, false, Effect::Allow).is_err(), "{wrong}");
        }
        assert!(parse(ALICE, true, Effect::Allow).is_err());
    }
}
