//! Creates, disables and deletes users.

use std::time::SystemTime;

use super::record::{self, KEYS, USERS, UserRecord, seconds};
use super::{Inner, User, Users, check_name, draw};
use crate::auth::error::{Error, Result};
use crate::auth::policy::USER_ID_START;

/// More than any installation needs, and few enough to keep in memory.
const USERS_MAX: usize = 5000;

impl Users {
    /// Creates a user, who has no key and is in no group.
    pub async fn create_user(&self, name: &str) -> Result<User> {
        check_name("user", name)?;
        let name = name.to_owned();
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            if inner.user(&name).is_ok() {
                return Err(Error::UserExists(name));
            }
            if inner.read().users.len() >= USERS_MAX {
                return Err(Error::TooMany { what: "S3 users", max: USERS_MAX });
            }
            let created = seconds(SystemTime::now());
            inner.put_user(&name, UserRecord { id: draw::id(USER_ID_START)?, created, disabled: false }).await
        })
        .await
    }

    /// Disables or enables a user. A disabled user's keys are refused.
    pub async fn set_user_disabled(&self, name: &str, disabled: bool) -> Result<User> {
        let name = name.to_owned();
        self.change(move |inner| async move {
            let _changing = inner.changing.lock().await;
            let user = inner.read().users.get(&name).cloned();
            let user = user.ok_or_else(|| Error::UserNotFound(name.clone()))?;
            inner.put_user(&name, UserRecord { disabled, ..user }).await
        })
        .await
    }

    /// Deletes a user, with all keys and memberships. Returns the user as it was.
    pub async fn delete_user(&self, name: &str) -> Result<User> {
        let name = name.to_owned();
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            let user = inner.user(&name)?;
            // The user last: a key or a membership that was left behind would belong to a new user of that name.
            for id in &user.keys {
                inner.pool.record_delete(KEYS, id.as_bytes()).await?;
                inner.write().keys.remove(id);
            }
            for group in &user.groups {
                inner.change_group(group, |record| record.members.remove(&name)).await?;
            }
            inner.pool.record_delete(USERS, name.as_bytes()).await?;
            inner.write().users.remove(&name);
            Ok(user)
        })
        .await
    }
}

impl Inner {
    async fn put_user(&self, name: &str, user: UserRecord) -> Result<User> {
        self.pool.record_put(USERS, name.as_bytes(), &record::encode(&user)?).await?;
        self.write().users.insert(name.to_owned(), user);
        self.user(name)
    }
}
