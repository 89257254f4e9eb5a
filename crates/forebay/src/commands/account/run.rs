//! `forebay user` and `forebay token`.

use anyhow::{Result, bail};
use forebay_admin::views::{List, NewToken, SetUser, TokenCreated, TokenView, UserView, WhoView};

use super::arguments::{TokenCommand, UserCommand};
use crate::admin::client::{Client, part};
use crate::arguments::Remote;
use crate::output::times::age;
use crate::output::{confirm, print_as, print_columns, print_done, print_gone, print_pairs};

/// Carries out a `forebay user` command.
pub fn run_user(command: UserCommand) -> Result<()> {
    let place = |name: &str| format!("users/{}", part(name));
    match command {
        UserCommand::List { remote } => {
            let users: List<UserView> = Client::new(&remote)?.get("users")?;
            print_as(remote.format(), &users.items, |users| list_users(users))
        }
        UserCommand::Show { name, remote } => {
            let user: UserView = Client::new(&remote)?.get(&place(&name))?;
            print_as(remote.format(), &user, |user| {
                print_pairs(&[
                    ("name", user.name.clone()),
                    ("role", user.role.to_string()),
                    ("tokens", user.tokens.to_string()),
                    ("created", user.created.clone()),
                ])
            })
        }
        UserCommand::Create { name, role, remote } => {
            let client = Client::new(&remote)?;
            let users: List<UserView> = client.get("users")?;
            if users.items.iter().any(|user| user.name == name) {
                bail!("user {name}: already exists; `forebay user set {name} --role {role}` sets its role");
            }
            let user: UserView = client.put(&place(&name), &SetUser { role })?;
            print_done(remote.format(), &user, &format!("created user {} with role {}", user.name, user.role))
        }
        UserCommand::Set { name, role, remote } => {
            let user: UserView = Client::new(&remote)?.put(&place(&name), &SetUser { role })?;
            print_done(remote.format(), &user, &format!("user {} has role {}", user.name, user.role))
        }
        UserCommand::Delete { name, sure, remote } => {
            let client = Client::new(&remote)?;
            confirm(sure, || {
                let user: UserView = client.get(&place(&name))?;
                Ok(format!("Delete user {name} and {} tokens?", user.tokens))
            })?;
            client.delete(&place(&name))?;
            print_gone(remote.format(), &format!("deleted user {name}"))
        }
    }
}

/// Carries out `forebay whoami`.
pub fn whoami(remote: &Remote) -> Result<()> {
    let who: WhoView = Client::new(remote)?.get("whoami")?;
    print_done(remote.format(), &who, &format!("{} with role {}", who.user, who.role))
}

/// Carries out a `forebay token` command.
pub fn run_token(command: TokenCommand) -> Result<()> {
    match command {
        TokenCommand::Create { user, expires_in, description, remote } => {
            let expires_in = expires_in.map(|time| time.as_secs());
            let new = NewToken { user, expires_in, expires: None, description };
            let created: TokenCreated = Client::new(&remote)?.post("tokens", &new)?;
            print_done(remote.format(), &created, &created.secret)
        }
        TokenCommand::List { remote } => {
            let tokens: List<TokenView> = Client::new(&remote)?.get("tokens")?;
            print_as(remote.format(), &tokens.items, |tokens| list_tokens(tokens))
        }
        TokenCommand::Delete { id, sure, remote } => {
            let client = Client::new(&remote)?;
            let place = format!("tokens/{}", part(&id));
            confirm(sure, || {
                let token: TokenView = client.get(&place)?;
                Ok(format!("Delete token {id} of user {}?", token.user))
            })?;
            client.delete(&place)?;
            print_gone(remote.format(), &format!("deleted token {id}"))
        }
    }
}

fn list_users(users: &[UserView]) -> Result<()> {
    let row = |user: &UserView| {
        vec![user.name.clone(), user.role.to_string(), user.tokens.to_string(), user.created.clone()]
    };
    print_columns(&["name", "role", "tokens", "created"], users.iter().map(row))
}

/// When a token expires, and whether it has.
fn expires(token: &TokenView) -> String {
    match &token.expires {
        None => "never".to_owned(),
        Some(at) if age(at).is_some() => format!("expired {at}"),
        Some(at) => at.clone(),
    }
}

fn list_tokens(tokens: &[TokenView]) -> Result<()> {
    let or = |time: &Option<String>, none: &str| time.clone().unwrap_or_else(|| none.to_owned());
    let row = |token: &TokenView| {
        vec![
            token.id.clone(),
            token.user.clone(),
            token.created.clone(),
            expires(token),
            or(&token.last_used, "-"),
            token.description.clone(),
        ]
    };
    print_columns(&["id", "user", "created", "expires", "last used", "description"], tokens.iter().map(row))
}
