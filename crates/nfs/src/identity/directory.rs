//! The database of users and groups: the system's own, as configured in `/etc/nsswitch.conf`, or a test's.
//!
//! All queries block, possibly for seconds. The system does not distinguish a service that fails from one
//! that does not know the answer, unless the query times out. Network services such as SSSD have a cache for
//! this case.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Whether a number or name is that of a user or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Person {
    User,
    Group,
}

/// The database fails, or does not answer in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub(super) String);

/// The result of a query; `None` if the database does not know the answer.
pub(super) type Found<T> = Result<Option<T>, Unavailable>;

/// The source of users and groups.
#[derive(Clone, Debug, Default)]
pub struct Directory(Source);

#[derive(Clone, Debug, Default)]
enum Source {
    #[default]
    System,
    Fixed(Arc<Mutex<People>>),
}

/// The users and groups of a test.
#[derive(Debug, Default)]
struct People {
    users: BTreeMap<u32, (String, Vec<u32>)>,
    groups: BTreeMap<u32, String>,
    failing: bool,
    questions: usize,
}

impl Directory {
    /// The system's database: files, LDAP, SSSD, according to the name service switch.
    pub fn system() -> Directory {
        Directory::default()
    }

    /// A directory for tests, which knows only the users and groups that the test adds.
    pub fn fixed() -> Directory {
        Directory(Source::Fixed(Arc::default()))
    }

    /// Adds or changes a user. Has no effect on the system's directory.
    pub fn set_user(&self, name: &str, uid: u32, groups: &[u32]) {
        self.change(|people| {
            people.users.insert(uid, (name.to_owned(), groups.to_vec()));
        });
    }

    /// Adds or changes a group. Has no effect on the system's directory.
    pub fn set_group(&self, name: &str, gid: u32) {
        self.change(|people| {
            people.groups.insert(gid, name.to_owned());
        });
    }

    /// Makes all queries fail, or succeed again. Has no effect on the system's directory.
    pub fn fail(&self, failing: bool) {
        self.change(|people| people.failing = failing);
    }

    /// Number of queries so far; the system's directory does not count.
    pub fn questions(&self) -> usize {
        match &self.0 {
            Source::System => 0,
            Source::Fixed(people) => lock(people).questions,
        }
    }

    fn change(&self, change: impl FnOnce(&mut People)) {
        if let Source::Fixed(people) = &self.0 {
            change(&mut lock(people));
        }
    }

    /// The id of a user or a group.
    pub(super) fn number(&self, of: Person, name: &str) -> Found<u32> {
        match (&self.0, of) {
            (Source::Fixed(people), _) => Ok(asked(people)?.number(of, name)),
            // No such name can exist, and the library cannot be asked for it.
            (Source::System, _) if name.contains('\0') => Ok(None),
            (Source::System, Person::User) => Ok(uzers::get_user_by_name(name).map(|user| user.uid())),
            (Source::System, Person::Group) => Ok(uzers::get_group_by_name(name).map(|group| group.gid())),
        }
    }

    /// The name of a user or a group.
    pub(super) fn name(&self, of: Person, number: u32) -> Found<Arc<str>> {
        let name = match (&self.0, of) {
            (Source::Fixed(people), _) => asked(people)?.name(of, number),
            (Source::System, Person::User) => {
                uzers::get_user_by_uid(number).and_then(|user| user.name().to_str().map(str::to_owned))
            }
            (Source::System, Person::Group) => {
                uzers::get_group_by_gid(number).and_then(|group| group.name().to_str().map(str::to_owned))
            }
        };
        Ok(name.map(Arc::from))
    }

    /// The groups of a user, including the one of its entry.
    pub(super) fn groups_of(&self, uid: u32) -> Found<Arc<[u32]>> {
        let groups: Option<Vec<u32>> = match &self.0 {
            Source::Fixed(people) => asked(people)?.users.get(&uid).map(|(_, groups)| groups.clone()),
            Source::System => match uzers::get_user_by_uid(uid) {
                None => None,
                Some(user) => {
                    let groups = uzers::get_user_groups(user.name(), user.primary_group_id());
                    let groups = groups.ok_or_else(|| {
                        Unavailable(format!(
                            "the groups of user {uid} cannot be listed; it may be in more than 1024"
                        ))
                    })?;
                    Some(groups.iter().map(uzers::Group::gid).collect())
                }
            },
        };
        Ok(groups.map(Arc::from))
    }
}

impl People {
    fn number(&self, of: Person, name: &str) -> Option<u32> {
        match of {
            Person::User => self.users.iter().find(|(_, (known, _))| known == name).map(|(uid, _)| *uid),
            Person::Group => self.groups.iter().find(|(_, known)| *known == name).map(|(gid, _)| *gid),
        }
    }

    fn name(&self, of: Person, number: u32) -> Option<String> {
        match of {
            Person::User => self.users.get(&number).map(|(name, _)| name.clone()),
            Person::Group => self.groups.get(&number).cloned(),
        }
    }
}

/// A test that fails elsewhere leaves the data valid.
fn lock(people: &Mutex<People>) -> MutexGuard<'_, People> {
    people.lock().unwrap_or_else(PoisonError::into_inner)
}

fn asked(people: &Mutex<People>) -> Result<MutexGuard<'_, People>, Unavailable> {
    let mut people = lock(people);
    people.questions += 1;
    if people.failing { Err(Unavailable("it was told to fail".to_owned())) } else { Ok(people) }
}
