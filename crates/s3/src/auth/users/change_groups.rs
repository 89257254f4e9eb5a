//! Creates, changes and deletes groups.

use std::time::SystemTime;

use super::known::KnownGroup;
use super::record::{self, GROUPS, GroupRecord, seconds};
use super::{ADMINISTRATORS, Group, Inner, Users, check_name};
use crate::auth::error::{Error, Result};
use crate::auth::policy::Policy;

/// Few enough to look through for each request.
const GROUPS_MAX: usize = 300;
/// As many as fit in one record, with room to spare.
const POLICIES_MAX: usize = 10;

impl Users {
    /// Creates a group, without members and policies.
    pub async fn create_group(&self, name: &str) -> Result<Group> {
        check_name("group", name)?;
        let name = name.to_owned();
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            if inner.group(&name).is_ok() {
                return Err(Error::GroupExists(name));
            }
            if inner.read().groups.len() >= GROUPS_MAX {
                return Err(Error::TooMany { what: "S3 groups", max: GROUPS_MAX });
            }
            let created = seconds(SystemTime::now());
            inner.put_group(&name, GroupRecord { created, members: [].into(), policies: [].into() }).await
        })
        .await
    }

    /// Deletes a group. Its members lose its rights.
    pub async fn delete_group(&self, name: &str) -> Result<Group> {
        refuse_built_in(name)?;
        let name = name.to_owned();
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            let group = inner.group(&name)?;
            inner.pool.record_delete(GROUPS, name.as_bytes()).await?;
            inner.write().groups.remove(&name);
            Ok(group)
        })
        .await
    }

    /// Adds a user to a group.
    pub async fn add_member(&self, group: &str, user: &str) -> Result<Group> {
        let (group, user) = (group.to_owned(), user.to_owned());
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            inner.user(&user)?;
            inner.change_group(&group, |record| record.members.insert(user)).await
        })
        .await
    }

    /// Removes a user from a group.
    pub async fn remove_member(&self, group: &str, user: &str) -> Result<Group> {
        let (group, user) = (group.to_owned(), user.to_owned());
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            inner.user(&user)?;
            inner.change_group(&group, |record| record.members.remove(&user)).await
        })
        .await
    }

    /// Gives a group a policy, in place of any of that name.
    pub async fn put_group_policy(&self, group: &str, policy: &str, text: &str) -> Result<Group> {
        refuse_built_in(group)?;
        check_name("policy", policy)?;
        Policy::parse_group(text.as_bytes())?;
        let (group, policy, text) = (group.to_owned(), policy.to_owned(), text.to_owned());
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            let policies = inner.group(&group)?.policies;
            if !policies.contains_key(&policy) && policies.len() >= POLICIES_MAX {
                return Err(Error::TooMany { what: "policies of the S3 group", max: POLICIES_MAX });
            }
            inner.change_group(&group, |record| record.policies.insert(policy, text)).await
        })
        .await
    }

    /// Takes a policy from a group.
    pub async fn delete_group_policy(&self, group: &str, policy: &str) -> Result<Group> {
        refuse_built_in(group)?;
        let (group, policy) = (group.to_owned(), policy.to_owned());
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            if !inner.group(&group)?.policies.contains_key(&policy) {
                return Err(Error::PolicyNotFound { group, policy });
            }
            inner.change_group(&group, |record| record.policies.remove(&policy)).await
        })
        .await
    }
}

impl Inner {
    /// Changes a group. The caller must hold `changing`.
    pub(super) async fn change_group<T>(
        &self,
        name: &str,
        change: impl FnOnce(&mut GroupRecord) -> T,
    ) -> Result<Group> {
        let record = self.read().groups.get(name).map(|group| group.record.clone());
        let mut record = record.ok_or_else(|| Error::GroupNotFound(name.to_owned()))?;
        change(&mut record);
        self.put_group(name, record).await
    }

    async fn put_group(&self, name: &str, record: GroupRecord) -> Result<Group> {
        let value = record::encode(&record)?;
        let group = KnownGroup::new(record)?;
        self.pool.record_put(GROUPS, name.as_bytes(), &value).await?;
        self.write().groups.insert(name.to_owned(), group);
        self.group(name)
    }
}

fn refuse_built_in(group: &str) -> Result<()> {
    if group == ADMINISTRATORS { Err(Error::BuiltInGroup(group.to_owned())) } else { Ok(()) }
}
