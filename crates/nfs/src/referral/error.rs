//! Why a list of referrals is refused.

use super::parse::{LOCATIONS_MAX, NAME_MAX, PATH_MAX};

/// Why a list of referrals is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferralError {
    /// A referral has no `=`, or nothing before or after it.
    #[error("`{0}` is not a referral; write PATH=SERVER:/PATH, such as /kafka-2=10.0.0.12:/kafka-2")]
    NotAReferral(String),
    /// The path of a referral is not one that a volume could have.
    #[error(
        "`{0}` is not a path for a referral; write an absolute path of less than {PATH_MAX} bytes such as /kafka-2, without empty \
         parts, . or .., or control characters"
    )]
    BadPath(String),
    /// A location has no `:/`.
    #[error("`{0}` is not a location; write SERVER:/PATH, such as 10.0.0.12:/kafka-2")]
    NotALocation(String),
    /// The path of a location is not one that another server could have.
    #[error(
        "location `{0}`: its path cannot be on a server; write one of less than {PATH_MAX} bytes, without empty parts, . or .., or \
         control characters"
    )]
    BadLocationPath(String),
    /// The server of a location is neither an IP address nor a host name.
    #[error(
        "location `{0}`: its server is not an address; write 10.0.0.12, [fd00::12], or a host name of at most {NAME_MAX} bytes"
    )]
    BadServer(String),
    /// The server of a location is an address that no client can reach.
    #[error("location `{0}`: clients cannot reach this address; write an address of the other server")]
    Unreachable(String),
    /// A port that clients would not connect to.
    #[error(
        "location `{0}`: clients connect to port 2049, whatever a referral says; let the other server listen there, at an address of \
         its own, and leave the port out"
    )]
    OtherPort(String),
    /// A location appears twice in a referral.
    #[error("referral {path} names {location} twice; remove one of them")]
    Twice {
        /// The path.
        path: String,
        /// The location.
        location: String,
    },
    /// A referral has more locations than clients read.
    #[error(
        "referral {0} has more than {LOCATIONS_MAX} locations, which is as many as clients read; remove some"
    )]
    TooManyLocations(String),
    /// One referral is below another.
    #[error(
        "referral {lower} is below referral {upper}, whose whole tree is on another server; remove one of them"
    )]
    Nested {
        /// The path that is above.
        upper: String,
        /// The path that is below.
        lower: String,
    },
}
