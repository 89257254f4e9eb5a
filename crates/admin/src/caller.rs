//! Who asks: found out once for each request, from the listener that it came in by and from its token.
//!
//! Over the UNIX socket everyone is admin: who may open the file is decided by its permissions. Over TCP a request brings a
//! token, and its user has a role. [`identify`] only finds out; what a request needs is said by the type that its handler takes ([`crate::request::Asked`]).

use forebay_service::events::{Kind, Who};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::Response;

use forebay_net::http::{Peer, Standing};
use forebay_service::accounts::Verified;

use crate::api::Api;
use crate::error::{ApiError, Code};
use crate::views::Role;

/// What users of the socket are called.
const LOCAL: &str = "local";

/// The caller's address as events and logs name it.
fn address(peer: Peer) -> String {
    match peer {
        Peer::Socket => LOCAL.to_owned(),
        Peer::Tcp(address) => address.ip().to_string(),
    }
}

/// Who makes a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The user's name.
    pub user: String,
    /// What the user may do.
    pub role: Role,
    /// Where the request came from.
    pub address: String,
    /// The id of the token that it came with; none came over the socket.
    pub token: Option<String>,
}

impl Caller {
    /// As events name it.
    pub fn who(&self) -> Who {
        Who { user: Some(self.user.clone()), address: Some(self.address.clone()) }
    }

    /// Refuses what needs another role. `what` says what was to be done.
    pub fn require(&self, role: Role, api: &Api, what: impl Fn() -> String) -> Result<(), ApiError> {
        if self.role >= role {
            return Ok(());
        }
        let what = what();
        Err(self.refuse(role, api, &what, &what))
    }

    /// Refuses what needs another role. `noted` says for the events what was to be done, `told` for the caller, who may not have asked in
    /// terms of the API.
    pub fn refuse(&self, role: Role, api: &Api, noted: &str, told: &str) -> ApiError {
        let needs = format!("needs the role {role}, and user {} is {}", self.user, self.role);
        let object = format!("user {}", self.user);
        api.service.events.note_refusal(
            Kind::AccessRefused,
            object.clone(),
            &format!("{noted} {needs}"),
            self.who(),
        );
        ApiError::told(Code::RoleInsufficient, format!("{told} {needs}"))
            .about(object)
            .with_remedy("an admin can give it with `forebay user set`")
    }
}

impl Api {
    /// Reports what a caller did.
    pub(crate) fn note(
        &self,
        kind: Kind,
        object: impl Into<String>,
        message: impl Into<String>,
        caller: &Caller,
    ) {
        self.service.events.note(kind, object, message, caller.who());
    }
}

/// What was found out about who makes a request.
#[derive(Clone)]
pub struct Identity(pub Result<Caller, Refusal>);

/// Why somebody is not let in.
#[derive(Clone, Debug)]
pub struct Refusal {
    code: Code,
    /// For the caller: no more than an outsider may know.
    cause: &'static str,
    /// What the caller can do.
    remedy: &'static str,
    /// For the log.
    reason: String,
    address: String,
}

impl Refusal {
    /// Nobody found out who it is, so it is nobody.
    pub fn unknown() -> Refusal {
        missing(String::new())
    }

    /// Takes note of it, and says so to who asks.
    pub fn answer(self, api: &Api) -> ApiError {
        let who = Who { user: None, address: Some(self.address.clone()) };
        api.service.events.note_refusal(
            Kind::TokenRefused,
            format!("address {}", self.address),
            &self.reason,
            who,
        );
        ApiError::new(self.code, "token", self.cause).with_remedy(self.remedy)
    }
}

fn missing(address: String) -> Refusal {
    Refusal {
        code: Code::TokenMissing,
        cause: "missing",
        remedy: "send Authorization: Bearer and a token that `forebay token create` made",
        reason: "missing token".into(),
        address,
    }
}

/// Finds out who makes a request.
pub async fn identify(State(api): State<Arc<Api>>, mut request: Request, next: Next) -> Response {
    let identity = match request.extensions().get::<Peer>().copied() {
        Some(Peer::Socket) => {
            let address = address(Peer::Socket);
            Ok(Caller { user: LOCAL.to_owned(), role: Role::Admin, address, token: None })
        }
        Some(peer) => of_token(&api, request.headers(), address(peer)),
        None => Err(Refusal::unknown()),
    };
    let standing = request.extensions().get::<Arc<Standing>>().filter(|_| identity.is_ok());
    let _working = standing.map(Standing::begin);
    request.extensions_mut().insert(Identity(identity.clone()));
    let mut response = next.run(request).await;
    // For the line that is logged of it.
    response.extensions_mut().insert(Identity(identity));
    response
}

fn of_token(api: &Api, headers: &HeaderMap, address: String) -> Result<Caller, Refusal> {
    let Some(header) = headers.get(AUTHORIZATION) else { return Err(missing(address)) };
    let secret = header.to_str().ok().and_then(|header| {
        let (scheme, secret) = header.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
    });
    match api.service.accounts.verify(secret.unwrap_or_default()) {
        Ok(Verified { user, role, token }) => {
            Ok(Caller { user, role: role.into(), address, token: Some(token) })
        }
        Err(reason) => Err(Refusal {
            code: Code::TokenRefused,
            cause: "not valid",
            remedy: "ask an administrator for a new token (`forebay token create`)",
            reason: reason.to_owned(),
            address,
        }),
    }
}
