//! Users and tokens: who may use the daemon's interfaces over TCP, and with which role.
//!
//! Both are records in the pool, so they move with it. What must hold:
//! - The secret of a token is shown once, when the token is created; only its hash is kept.
//! - A change is durable before it is in force and before it is answered.
//! - A token whose user is gone is worthless, whatever records a crash left.
//! - If there is an admin, one remains.

mod record;
mod role;
mod secret;

use std::collections::BTreeMap;
use std::sync::{Mutex as StdMutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use forebay_pool::{Pool, is_name};
use tokio::sync::Mutex;

use crate::error::{Error, Result};
use record::{TOKENS, TokenRecord, USERS, UserRecord};
pub use role::Role;
use secret::Secret;

/// More than any installation needs, and few enough to keep in memory.
const USERS_MAX: usize = 1000;
const TOKENS_MAX: usize = 10_000;

/// The users and tokens of one pool.
pub struct Accounts {
    pool: Pool,
    known: RwLock<Known>,
    /// Held while something changes, so that pool and memory agree.
    changing: Mutex<()>,
}

/// A user.
#[derive(Clone, Debug)]
pub struct User {
    /// The user's name.
    pub name: String,
    /// What the user may do.
    pub role: Role,
    /// When the user was created.
    pub created: SystemTime,
    /// How many tokens the user has.
    pub tokens: u64,
}

/// A token, without its secret.
#[derive(Clone, Debug)]
pub struct Token {
    /// The token's id, which is no secret.
    pub id: String,
    /// The user it belongs to.
    pub user: String,
    /// What it is for.
    pub description: String,
    /// When it was created.
    pub created: SystemTime,
    /// When it expires; `None`: never.
    pub expires: Option<SystemTime>,
    /// When it was last used, since the daemon started.
    pub last_used: Option<SystemTime>,
}

/// A token to be created.
#[derive(Clone, Debug, Default)]
pub struct NewToken {
    /// The user it belongs to.
    pub user: String,
    /// What it is for.
    pub description: String,
    /// When it expires; `None`: never.
    pub expires: Option<SystemTime>,
}

/// A token that was just created.
pub struct CreatedToken {
    /// What clients send as `Authorization: Bearer …`. It cannot be shown again.
    pub secret: String,
    /// The token.
    pub token: Token,
}

/// A token's secret was valid.
pub struct Verified {
    /// The user.
    pub user: String,
    /// What the user may do.
    pub role: Role,
    /// The token's id, which is no secret.
    pub token: String,
}

#[derive(Default)]
struct Known {
    users: BTreeMap<String, UserRecord>,
    tokens: BTreeMap<String, KnownToken>,
}

struct KnownToken {
    record: TokenRecord,
    last_used: StdMutex<Option<SystemTime>>,
}

impl KnownToken {
    fn new(record: TokenRecord) -> KnownToken {
        KnownToken { record, last_used: StdMutex::new(None) }
    }

    fn token(&self, id: &str) -> Token {
        Token {
            id: id.to_owned(),
            user: self.record.user.clone(),
            description: self.record.description.clone(),
            created: self.record.created(),
            expires: self.record.expires(),
            last_used: *self.last_used.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl Accounts {
    /// Reads the users and tokens of a pool. Fails if one of them cannot be read.
    pub fn load(pool: Pool) -> Result<Accounts> {
        let mut known = Known::default();
        for (key, value) in pool.records(USERS)? {
            known.users.insert(record::key(&key)?, record::decode("user", &key, &value)?);
        }
        for (key, value) in pool.records(TOKENS)? {
            known.tokens.insert(record::key(&key)?, KnownToken::new(record::decode("token", &key, &value)?));
        }
        Ok(Accounts { pool, known: RwLock::new(known), changing: Mutex::new(()) })
    }

    /// The user and role that a token's secret stands for, or why it is refused.
    pub fn verify(&self, secret: &str) -> std::result::Result<Verified, &'static str> {
        let secret = Secret::read(secret).ok_or("invalid token")?;
        let known = self.read();
        let token = known.tokens.get(secret.id()).ok_or("unknown token")?;
        if !secret.is_of(&token.record.hash()) {
            return Err("the token's secret is wrong");
        }
        let now = SystemTime::now();
        if token.record.expires().is_some_and(|expires| expires <= now) {
            return Err("the token has expired");
        }
        let user = known.users.get(&token.record.user).ok_or("the token's user is gone")?;
        *token.last_used.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        Ok(Verified { user: token.record.user.clone(), role: user.role, token: secret.id().to_owned() })
    }

    // ---- users ----

    /// All users, by name.
    pub fn users(&self) -> Vec<User> {
        let known = self.read();
        known.users.iter().map(|(name, user)| known.user(name, user)).collect()
    }

    /// One user.
    pub fn user(&self, name: &str) -> Result<User> {
        let known = self.read();
        known
            .users
            .get(name)
            .map(|user| known.user(name, user))
            .ok_or_else(|| Error::UserNotFound(name.to_owned()))
    }

    /// Gives a user a role. Creates the user if there is none of that name; the flag says whether it did.
    pub async fn set_user(&self, name: &str, role: Role) -> Result<(User, bool)> {
        check_name(name)?;
        let _changing = self.changing.lock().await;
        let before = self.read().users.get(name).cloned();
        let is_new = before.is_none();
        if is_new && self.read().users.len() >= USERS_MAX {
            return Err(Error::TooMany { what: "users", max: USERS_MAX });
        }
        if role != Role::Admin {
            self.require_other_admin(name)?;
        }
        let user = UserRecord { role, ..before.unwrap_or_else(|| UserRecord::new(role)) };
        self.pool.record_put(USERS, name.as_bytes(), &record::encode(&user)?).await?;
        self.write().users.insert(name.to_owned(), user);
        self.user(name).map(|view| (view, is_new))
    }

    /// Deletes a user and all tokens of the user. Returns the number of tokens.
    pub async fn delete_user(&self, name: &str) -> Result<usize> {
        let _changing = self.changing.lock().await;
        self.user(name)?;
        self.require_other_admin(name)?;
        let tokens = self.read().tokens_of(name);
        // Tokens first: a token that was left behind would become valid again with a new user of that name.
        for id in &tokens {
            self.remove_token(id).await?;
        }
        self.pool.record_delete(USERS, name.as_bytes()).await?;
        self.write().users.remove(name);
        Ok(tokens.len())
    }

    /// Refuses a change that would leave no admin. The caller must hold `changing`.
    fn require_other_admin(&self, name: &str) -> Result<()> {
        let known = self.read();
        let mut admins =
            known.users.iter().filter(|(_, user)| user.role == Role::Admin).map(|(admin, _)| admin);
        if admins.next().is_some_and(|admin| admin == name) && admins.next().is_none() {
            return Err(Error::LastAdmin(name.to_owned()));
        }
        Ok(())
    }

    // ---- tokens ----

    /// All tokens, by user and age.
    pub fn tokens(&self) -> Vec<Token> {
        let known = self.read();
        let mut tokens: Vec<Token> = known.tokens.iter().map(|(id, token)| token.token(id)).collect();
        tokens.sort_by(|one, other| {
            (&one.user, &one.created, &one.id).cmp(&(&other.user, &other.created, &other.id))
        });
        tokens
    }

    /// One token.
    pub fn token(&self, id: &str) -> Result<Token> {
        self.read()
            .tokens
            .get(id)
            .map(|token| token.token(id))
            .ok_or_else(|| Error::TokenNotFound(id.to_owned()))
    }

    /// Creates a token. Its secret is in the result and nowhere else.
    pub async fn create_token(&self, new: &NewToken) -> Result<CreatedToken> {
        let _changing = self.changing.lock().await;
        self.user(&new.user)?;
        if self.read().tokens.len() >= TOKENS_MAX {
            return Err(Error::TooMany { what: "tokens", max: TOKENS_MAX });
        }
        if new.expires.is_some_and(|expires| expires <= SystemTime::now()) {
            return Err(Error::BadExpiry);
        }
        let secret = Secret::draw()?;
        let made = TokenRecord::new(new, secret.hash());
        let id = secret.id().to_owned();
        self.pool.record_put(TOKENS, id.as_bytes(), &record::encode(&made)?).await?;
        self.write().tokens.insert(id.clone(), KnownToken::new(made));
        Ok(CreatedToken { secret: secret.to_string(), token: self.token(&id)? })
    }

    /// Deletes a token: it is refused from now on.
    pub async fn delete_token(&self, id: &str) -> Result<Token> {
        let _changing = self.changing.lock().await;
        let view = self.token(id)?;
        self.remove_token(id).await?;
        Ok(view)
    }

    async fn remove_token(&self, id: &str) -> Result<()> {
        self.pool.record_delete(TOKENS, id.as_bytes()).await?;
        self.write().tokens.remove(id);
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn user(&self, name: &str, user: &UserRecord) -> User {
        let tokens = self.tokens_of(name).len() as u64;
        User { name: name.to_owned(), role: user.role, created: user.made(), tokens }
    }

    fn tokens_of(&self, user: &str) -> Vec<String> {
        let of_user = self.tokens.iter().filter(|(_, token)| token.record.user == user);
        of_user.map(|(id, _)| id.clone()).collect()
    }
}

/// Users are named like volumes.
fn check_name(name: &str) -> Result<()> {
    if is_name(name) { Ok(()) } else { Err(Error::BadUserName(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use forebay_pool::PoolOptions;

    use super::*;

    async fn accounts_of(users: &[(&str, Role)]) -> Accounts {
        let accounts = Accounts::load(Pool::in_memory(PoolOptions::default()).await.unwrap()).unwrap();
        for (name, role) in users {
            accounts.set_user(name, *role).await.unwrap();
        }
        accounts
    }

    fn is_last_admin<T>(result: Result<T>) -> bool {
        matches!(result, Err(Error::LastAdmin(_)))
    }

    #[tokio::test]
    async fn the_last_admin_is_neither_deleted_nor_given_another_role() {
        let accounts = accounts_of(&[("root", Role::Admin), ("ops", Role::Operator)]).await;
        for role in [Role::ReadOnly, Role::Operator] {
            assert!(is_last_admin(accounts.set_user("root", role).await));
        }
        assert!(is_last_admin(accounts.delete_user("root").await));
        accounts.set_user("root", Role::Admin).await.unwrap();
        accounts.set_user("ops", Role::ReadOnly).await.unwrap();
        accounts.set_user("ops", Role::Admin).await.unwrap();
        assert_eq!(accounts.delete_user("root").await.unwrap(), 0);
        assert!(is_last_admin(accounts.delete_user("ops").await));
    }

    #[tokio::test]
    async fn of_admins_who_are_demoted_and_deleted_at_the_same_time_one_remains() {
        for _ in 0..50 {
            let accounts =
                accounts_of(&[("one", Role::Admin), ("other", Role::Admin), ("third", Role::Admin)]).await;
            let (one, other, third) = tokio::join!(
                accounts.set_user("one", Role::Operator),
                accounts.delete_user("other"),
                accounts.set_user("third", Role::ReadOnly)
            );
            let refused = [is_last_admin(one), is_last_admin(other), is_last_admin(third)];
            assert_eq!(refused.iter().filter(|refused| **refused).count(), 1, "{refused:?}");
            assert_eq!(accounts.users().iter().filter(|user| user.role == Role::Admin).count(), 1);
        }
    }
}
