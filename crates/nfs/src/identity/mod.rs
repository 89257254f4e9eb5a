//! Users and groups: their names on the wire, and the groups that a user belongs to.
//!
//! With AUTH_SYS, permissions and stored owners are numbers. Names are used in two places:
//!
//! - Owners of files (RFC 8881 §5.9). A decimal number is always accepted, and returned unless names are
//!   configured. `name@domain` is accepted if the domain is the configured one and the server's database
//!   knows the name; otherwise the status is NFS4ERR_BADOWNER. A user or group that the database does not
//!   know is returned as a number.
//! - An export rule can take a user's groups from the server's database instead of the client's request:
//!   AUTH_SYS has room for only 16.
//!
//! The database ([`Directory`]) may be files or a slow network service. So it is queried in separate threads,
//! for a limited time, and answers are cached ([`cache`]). Answers are never invented: while the database
//! fails, the last answer is used. If there is none, the client is asked to retry (NFS4ERR_DELAY), or the
//! owner is shown as a number.

mod cache;
mod directory;

use std::sync::Arc;

use bytes::Bytes;

use cache::Cache;
pub use directory::Directory;
use directory::Person;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::Bitmap;
use forebay_nfs_proto::xdr::nfs4::attribute::{OWNER, OWNER_GROUP};
use forebay_service::Clock;

/// Maximum length of a name that is looked up, in bytes.
const NAME_BYTES_MAX: usize = 256;

/// An owner or group as the client specifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// By id.
    Number(u32),
    /// By name, with any domain.
    Name(Bytes),
}

/// The server's knowledge of users and groups.
pub struct Identities {
    domain: Option<String>,
    gives_names: bool,
    user_numbers: Cache<String, u32>,
    group_numbers: Cache<String, u32>,
    user_names: Cache<u32, Arc<str>>,
    group_names: Cache<u32, Arc<str>>,
    memberships: Cache<u32, Arc<[u32]>>,
}

impl Identities {
    /// The users and groups of `directory`. Names of `domain` are accepted, if there is one, and returned if
    /// `owner_names` is set.
    pub(crate) fn new(
        clock: &Clock,
        directory: &Directory,
        domain: Option<String>,
        owner_names: bool,
    ) -> Identities {
        Identities {
            gives_names: owner_names && domain.is_some(),
            domain,
            user_numbers: Cache::new(clock, directory, |directory, name: &String| {
                directory.number(Person::User, name)
            }),
            group_numbers: Cache::new(clock, directory, |directory, name: &String| {
                directory.number(Person::Group, name)
            }),
            user_names: Cache::new(clock, directory, |directory, uid| directory.name(Person::User, *uid)),
            group_names: Cache::new(clock, directory, |directory, gid| directory.name(Person::Group, *gid)),
            memberships: Cache::new(clock, directory, |directory, uid| directory.groups_of(*uid)),
        }
    }

    /// Clears the cache: the database is queried again.
    pub fn forget(&self) {
        self.user_numbers.forget();
        self.group_numbers.forget();
        self.user_names.forget();
        self.group_names.forget();
        self.memberships.forget();
    }

    /// The id of a user. Returns [`Status::BadOwner`] if there is no such user, and [`Status::Delay`] while
    /// that is unknown.
    pub async fn user(&self, owner: &Owner) -> Result<u32, Status> {
        self.number(&self.user_numbers, owner).await
    }

    /// The id of a group, likewise.
    pub async fn group(&self, owner: &Owner) -> Result<u32, Status> {
        self.number(&self.group_numbers, owner).await
    }

    async fn number(&self, known: &Cache<String, u32>, owner: &Owner) -> Result<u32, Status> {
        let name = match owner {
            Owner::Number(number) => return Ok(*number),
            Owner::Name(name) => self.without_domain(name).ok_or(Status::BadOwner)?,
        };
        match known.get(&name).await {
            Ok(number) => number.ok_or(Status::BadOwner),
            Err(_) => Err(Status::Delay),
        }
    }

    /// `kafka` for `kafka@example.org`, if that is the configured domain.
    fn without_domain(&self, owner: &[u8]) -> Option<String> {
        let (name, domain) = std::str::from_utf8(owner).ok()?.rsplit_once('@')?;
        let sound = !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.contains(char::is_control);
        let ours = self.domain.as_ref().is_some_and(|ours| ours.eq_ignore_ascii_case(domain));
        (sound && ours).then(|| name.to_owned())
    }

    /// Whether a request for these attributes needs names.
    pub fn are_wanted(&self, requested: &Bitmap) -> bool {
        self.gives_names && (requested.contains(OWNER) || requested.contains(OWNER_GROUP))
    }

    /// Looks up the names of an owner and a group, so that [`Identities::user_name`] and
    /// [`Identities::group_name`] have them. A name that cannot be looked up is shown as a number.
    pub async fn prepare(&self, uid: u32, gid: u32) {
        let _ = self.user_names.get(&uid).await;
        let _ = self.group_names.get(&gid).await;
    }

    /// A user as shown to clients.
    pub fn user_name(&self, uid: u32) -> Bytes {
        self.shown(&self.user_names, uid)
    }

    /// A group as shown to clients.
    pub fn group_name(&self, gid: u32) -> Bytes {
        self.shown(&self.group_names, gid)
    }

    fn shown(&self, known: &Cache<u32, Arc<str>>, number: u32) -> Bytes {
        let name = if self.gives_names { known.known(&number) } else { None };
        match (name, &self.domain) {
            (Some(name), Some(domain)) => format!("{name}@{domain}").into(),
            _ => number.to_string().into(),
        }
    }

    /// The groups of a user; empty for users that the database does not know. Returns [`Status::Delay`] while
    /// they cannot be determined.
    pub async fn groups_of(&self, uid: u32) -> Result<Arc<[u32]>, Status> {
        match self.memberships.get(&uid).await {
            Ok(groups) => Ok(groups.unwrap_or_default()),
            Err(_) => Err(Status::Delay),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identities(directory: &Directory, owner_names: bool) -> Identities {
        Identities::new(&Clock::system(), directory, Some("Example.org".to_owned()), owner_names)
    }

    fn name(text: &'static str) -> Owner {
        Owner::Name(Bytes::from_static(text.as_bytes()))
    }

    #[tokio::test]
    async fn names_of_the_domain_are_taken_and_others_are_bad_owners() {
        let directory = Directory::fixed();
        directory.set_user("kafka", 1001, &[]);
        directory.set_user("a@b", 1002, &[]);
        directory.set_group("brokers", 2001);
        let known = identities(&directory, false);
        assert_eq!(known.user(&name("kafka@example.ORG")).await, Ok(1001));
        assert_eq!(known.user(&name("a@b@example.org")).await, Ok(1002));
        assert_eq!(known.group(&name("brokers@example.org")).await, Ok(2001));
        assert_eq!(known.user(&Owner::Number(7)).await, Ok(7));
        for owner in [
            "kafka",
            "kafka@",
            "@example.org",
            "brokers@example.org",
            "kafka@example.com",
            "ka\0fka@example.org",
        ] {
            assert_eq!(known.user(&name(owner)).await, Err(Status::BadOwner), "{owner}");
        }
        let nameless = Identities::new(&Clock::system(), &directory, None, false);
        assert_eq!(nameless.user(&name("kafka@example.org")).await, Err(Status::BadOwner));
        assert_eq!(&nameless.user_name(1001)[..], b"1001");
    }

    #[tokio::test]
    async fn names_are_given_if_wanted_and_known() {
        let directory = Directory::fixed();
        directory.set_user("kafka", 1001, &[]);
        directory.set_group("brokers", 2001);
        let known = identities(&directory, true);
        known.prepare(1001, 2001).await;
        known.prepare(1002, 2002).await;
        assert_eq!(&known.user_name(1001)[..], b"kafka@Example.org");
        assert_eq!(&known.group_name(2001)[..], b"brokers@Example.org");
        assert_eq!((&known.user_name(1002)[..], &known.group_name(2002)[..]), (&b"1002"[..], &b"2002"[..]));
        assert!(known.are_wanted(&Bitmap::of(&[OWNER])) && !known.are_wanted(&Bitmap::of(&[])));
        assert!(!identities(&directory, false).are_wanted(&Bitmap::of(&[OWNER])));
        directory.fail(true);
        known.prepare(1003, 0).await;
        assert_eq!(&known.user_name(1003)[..], b"1003");
        assert_eq!(known.user(&name("other@example.org")).await, Err(Status::Delay));
    }

    #[tokio::test]
    async fn groups_are_those_of_the_database_until_it_is_asked_again() {
        let directory = Directory::fixed();
        let many: Vec<u32> = (3000..3040).collect();
        directory.set_user("kafka", 1001, &many);
        let known = identities(&directory, false);
        assert_eq!(known.groups_of(1001).await.as_deref(), Ok(&many[..]));
        assert_eq!(known.groups_of(1002).await.as_deref(), Ok(&[][..]));
        directory.set_user("kafka", 1001, &[1]);
        assert_eq!(known.groups_of(1001).await.as_deref(), Ok(&many[..]));
        known.forget();
        assert_eq!(known.groups_of(1001).await.as_deref(), Ok(&[1][..]));
    }

    #[test]
    fn the_system_knows_root() {
        let system = Directory::system();
        assert_eq!(system.number(Person::User, "root"), Ok(Some(0)));
        assert_eq!(system.name(Person::User, 0).unwrap().as_deref(), Some("root"));
        assert!(system.groups_of(0).unwrap().unwrap().contains(&0));
        assert_eq!(system.number(Person::User, "no such user, for sure"), Ok(None));
    }
}
