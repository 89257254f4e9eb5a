//! What is answered when something is not done: one shape for all of it.
//!
//! ```text
//! {"error":{"code":"volume_not_found","message":"volume kafka: not found","object":"volume kafka","remedy":"`forebay volume list` shows which there are","request_id":"0000a3f1-17"}}
//! ```
//!
//! The code is for programs, and stays the same from release to release; the rest is for people. Object, cause and remedy come from
//! the error itself ([`Explain`]); nothing is taken from the text of a message.

use axum::Json;
use axum::http::header::{HeaderValue, WWW_AUTHENTICATE};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use forebay_nfs::policy::PolicyError;
use forebay_pool::{Explain, Object};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::problem::Problem;
use crate::base::request_id;

/// Defines the codes with the status that goes with each.
macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident = $word:tt => $status:ident,)*) => {
        /// The reason for an error, as a stable code for programs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Code { $($(#[$meta])* #[serde(rename = $word)] $code,)* }

        impl Code {
            /// The status of the answer.
            pub fn status(self) -> StatusCode {
                match self { $(Code::$code => StatusCode::$status,)* }
            }
        }
    };
}

codes! {
    /// The path, the query or the body is not what it must be.
    BadRequest = "bad_request" => BAD_REQUEST,
    /// A value is outside what the pool takes.
    Invalid = "invalid" => BAD_REQUEST,
    /// No token was sent, and the listener asks for one.
    TokenMissing = "token_missing" => UNAUTHORIZED,
    /// The token is not known, has expired, or its user is gone.
    TokenRefused = "token_refused" => UNAUTHORIZED,
    /// The user's role does not allow it.
    RoleInsufficient = "role_insufficient" => FORBIDDEN,
    /// There is nothing at the path.
    RouteNotFound = "route_not_found" => NOT_FOUND,
    /// There is no volume of that name or id.
    VolumeNotFound = "volume_not_found" => NOT_FOUND,
    /// No deleted volume of that name or id can be recovered.
    DeletedVolumeNotFound = "deleted_volume_not_found" => NOT_FOUND,
    /// There is no snapshot of that name.
    SnapshotNotFound = "snapshot_not_found" => NOT_FOUND,
    /// There is no export policy of that name.
    ExportPolicyNotFound = "export_policy_not_found" => NOT_FOUND,
    /// The policy has no rule there.
    ExportRuleNotFound = "export_rule_not_found" => NOT_FOUND,
    /// No other node can serve the pool.
    NodeNotFound = "node_not_found" => NOT_FOUND,
    /// No node waits for the pool, or not the one that was named.
    NodeNotWaiting = "node_not_waiting" => CONFLICT,
    /// There is no NFS client of that id.
    ClientNotFound = "client_not_found" => NOT_FOUND,
    /// Nothing is open, or locked, under that stateid.
    StateidNotFound = "stateid_not_found" => NOT_FOUND,
    /// There is no user of that name.
    UserNotFound = "user_not_found" => NOT_FOUND,
    /// There is no token of that id.
    TokenNotFound = "token_not_found" => NOT_FOUND,
    /// There is no job of that id, or it ended long ago.
    JobNotFound = "job_not_found" => NOT_FOUND,
    /// There is no report of the lab of that id, or it has no page.
    LabReportNotFound = "lab_report_not_found" => NOT_FOUND,
    /// There is no bucket of that name.
    BucketNotFound = "bucket_not_found" => NOT_FOUND,
    /// The bucket does not have such a document.
    BucketDocumentNotFound = "bucket_document_not_found" => NOT_FOUND,
    /// There is no S3 user of that name.
    S3UserNotFound = "s3_user_not_found" => NOT_FOUND,
    /// The S3 user has no access key of that id.
    S3KeyNotFound = "s3_key_not_found" => NOT_FOUND,
    /// There is no S3 group of that name.
    S3GroupNotFound = "s3_group_not_found" => NOT_FOUND,
    /// The S3 group has no policy of that name.
    S3PolicyNotFound = "s3_policy_not_found" => NOT_FOUND,
    /// The last report has no such Kafka cluster.
    KafkaClusterNotFound = "kafka_cluster_not_found" => NOT_FOUND,
    /// The last report has no such topic in the Kafka cluster.
    KafkaTopicNotFound = "kafka_topic_not_found" => NOT_FOUND,
    /// Something that was to be there is not.
    NotFound = "not_found" => NOT_FOUND,
    /// The path does not know the method; `Allow` says which it knows.
    MethodNotAllowed = "method_not_allowed" => METHOD_NOT_ALLOWED,
    /// The body did not come in time.
    RequestTimeout = "request_timeout" => REQUEST_TIMEOUT,
    /// The name, or the junction path, is taken.
    AlreadyExists = "already_exists" => CONFLICT,
    /// What is there differs from what was asked for.
    Differs = "differs" => CONFLICT,
    /// Something depends on it.
    InUse = "in_use" => CONFLICT,
    /// A snapshot is locked, which nobody can end early.
    SnapshotLocked = "snapshot_locked" => CONFLICT,
    /// The pool has the format of the former release, which does not have this.
    NeedsFormat = "needs_format" => CONFLICT,
    /// Several deleted volumes have this name.
    Ambiguous = "ambiguous" => CONFLICT,
    /// The volume has files.
    VolumeNotEmpty = "volume_not_empty" => CONFLICT,
    /// The bucket has objects or older versions.
    BucketNotEmpty = "bucket_not_empty" => CONFLICT,
    /// The bucket has object lock, which forbids it.
    BucketLocked = "bucket_locked" => CONFLICT,
    /// The bucket refuses policies that are public.
    PublicPolicyBlocked = "public_policy_blocked" => CONFLICT,
    /// The daemon does not serve S3.
    S3IsOff = "s3_is_off" => CONFLICT,
    /// Kafka views are off.
    KafkaIsOff = "kafka_is_off" => CONFLICT,
    /// The first report about Kafka is still being made, or could not be made.
    KafkaReportMissing = "kafka_report_missing" => CONFLICT,
    /// The volume holds more than that.
    SizeBelowUsed = "size_below_used" => CONFLICT,
    /// It cannot be changed, or deleted.
    Permanent = "permanent" => CONFLICT,
    /// Nobody would be left with the role admin.
    LastAdmin = "last_admin" => CONFLICT,
    /// There are as many as there can be.
    TooMany = "too_many" => CONFLICT,
    /// The same work is under way.
    JobRunning = "job_running" => CONFLICT,
    /// The job has ended.
    JobEnded = "job_ended" => CONFLICT,
    /// The body is longer than is taken.
    BodyTooLarge = "body_too_large" => PAYLOAD_TOO_LARGE,
    /// The body is not said to be JSON.
    MediaTypeUnsupported = "media_type_unsupported" => UNSUPPORTED_MEDIA_TYPE,
    /// The daemon's log says more.
    Internal = "internal" => INTERNAL_SERVER_ERROR,
    /// The pool has stopped, or is closing.
    Unavailable = "unavailable" => SERVICE_UNAVAILABLE,
    /// The pool is full.
    NoSpace = "no_space" => INSUFFICIENT_STORAGE,
}

/// The body of every error response.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorView,
}

/// The reason for an error, and its remedy.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ErrorView {
    /// The reason, as a stable code for programs.
    pub code: Code,
    /// The error in words: the object and the reason.
    pub message: String,
    /// The object that the error concerns, such as `volume kafka`.
    pub object: Option<String>,
    /// The remedy.
    pub remedy: Option<String>,
    /// The id of the request, which the daemon's log also contains.
    pub request_id: Option<String>,
}

impl ErrorView {
    /// The message and the remedy in one line.
    pub fn sentence(&self) -> String {
        match &self.remedy {
            Some(remedy) => format!("{}; {remedy}", self.message),
            None => self.message.clone(),
        }
    }
}

/// The error of a request.
#[derive(Clone, Debug)]
pub struct ApiError(Box<ErrorView>);

/// The result of a handler.
pub type Result<T> = std::result::Result<T, ApiError>;

impl ApiError {
    /// An error that concerns `object`. [`ApiError::with_remedy`] adds a remedy.
    pub fn new(code: Code, object: impl Into<String>, cause: impl Into<String>) -> ApiError {
        let object = object.into();
        let message = format!("{object}: {}", cause.into());
        ApiError(Box::new(ErrorView { code, message, object: Some(object), remedy: None, request_id: None }))
    }

    /// A message that does not begin with its object.
    pub fn told(code: Code, message: impl Into<String>) -> ApiError {
        ApiError(Box::new(ErrorView {
            code,
            message: message.into(),
            object: None,
            remedy: None,
            request_id: None,
        }))
    }

    /// The same with what to do.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> ApiError {
        self.0.remedy = Some(remedy.into());
        self
    }

    /// The same about an object that the message does not name.
    #[must_use]
    pub fn about(mut self, object: impl Into<String>) -> ApiError {
        self.0.object = Some(object.into());
        self
    }

    /// From an error that explains itself.
    fn explained(code: Code, error: &impl Explain) -> ApiError {
        let (object, cause) = (error.object(), error.cause());
        let message = object.as_ref().map_or(cause.clone(), |object| format!("{object}: {cause}"));
        ApiError(Box::new(ErrorView { code, message, object, remedy: error.remedy(), request_id: None }))
    }

    /// What is answered.
    pub fn view(&self) -> &ErrorView {
        &self.0
    }
}

impl IntoResponse for ApiError {
    fn into_response(mut self) -> Response {
        let code = self.0.code;
        self.0.request_id = request_id::current();
        let mut response = (code.status(), Json(ErrorBody { error: *self.0 })).into_response();
        if code.status() == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"forebay\""));
        }
        // Nothing that is said here is for a cache.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> ApiError {
        let error = ApiError::new(Code::BadRequest, problem.field, problem.cause);
        match problem.remedy {
            Some(remedy) => error.with_remedy(remedy),
            None => error,
        }
    }
}

impl From<forebay_pool::Error> for ApiError {
    fn from(error: forebay_pool::Error) -> ApiError {
        use forebay_pool::Error;
        let code = match &error {
            Error::NotFound(Object::Volume(_)) => Code::VolumeNotFound,
            Error::NotFound(Object::DeletedVolume(_)) => Code::DeletedVolumeNotFound,
            Error::NotFound(Object::Bucket(_)) => Code::BucketNotFound,
            Error::NotFound(Object::Snapshot { .. }) => Code::SnapshotNotFound,
            Error::NotFound(_) | Error::Stale => Code::NotFound,
            Error::Exists(_) => Code::AlreadyExists,
            Error::Invalid(_) | Error::NameTooLong => Code::Invalid,
            Error::NoSpace => Code::NoSpace,
            Error::SizeBelowUsed { .. } => Code::SizeBelowUsed,
            Error::InUse { .. } => Code::InUse,
            Error::SnapshotLocked { .. } => Code::SnapshotLocked,
            Error::NeedsFormat { .. } => Code::NeedsFormat,
            Error::Ambiguous { .. } => Code::Ambiguous,
            Error::VolumeNotEmpty(_) => Code::VolumeNotEmpty,
            Error::ReadOnly => Code::Permanent,
            Error::Failed(_) | Error::NotPermitted(_) | Error::Closed | Error::Contended(_) => {
                Code::Unavailable
            }
            _ => Code::Internal,
        };
        if code == Code::Internal {
            tracing::error!(%error, "a request failed");
        }
        let explained = ApiError::explained(code, &error);
        match code {
            Code::VolumeNotEmpty => explained.with_remedy(
                "delete its files and snapshots first, or delete them with it: `forebay volume delete NAME --force`",
            ),
            _ => explained,
        }
    }
}

impl From<forebay_service::Error> for ApiError {
    fn from(error: forebay_service::Error) -> ApiError {
        use forebay_service::Error;
        let code = match error {
            Error::Pool(error) => return error.into(),
            Error::UserNotFound(_) => Code::UserNotFound,
            Error::TokenNotFound(_) => Code::TokenNotFound,
            Error::JobNotFound(_) => Code::JobNotFound,
            Error::BadUserName(_)
            | Error::BadExpiry
            | Error::NoBackupDirectory
            | Error::RelativeBackupDirectory(_) => Code::Invalid,
            Error::LastAdmin(_) => Code::LastAdmin,
            Error::TooMany { .. } => Code::TooMany,
            Error::JobRunning(_) => Code::JobRunning,
            Error::JobEnded(_) => Code::JobEnded,
            _ => Code::Internal,
        };
        ApiError::explained(code, &error)
    }
}

impl From<PolicyError> for ApiError {
    fn from(error: PolicyError) -> ApiError {
        let code = match error {
            PolicyError::Pool(error) => return error.into(),
            PolicyError::NotFound(_) => Code::ExportPolicyNotFound,
            PolicyError::Exists(_) | PolicyError::DuplicateRule { .. } => Code::AlreadyExists,
            PolicyError::BadName(_) | PolicyError::BadPosition { .. } | PolicyError::BadAnonymous { .. } => {
                Code::Invalid
            }
            PolicyError::InUse { .. } => Code::InUse,
            PolicyError::Permanent => Code::Permanent,
            PolicyError::NoSuchRule { .. } => Code::ExportRuleNotFound,
            PolicyError::TooMany { .. } => Code::TooMany,
            PolicyError::Unreadable { .. } => Code::Internal,
        };
        ApiError::explained(code, &error)
    }
}

impl From<forebay_s3::auth::Error> for ApiError {
    fn from(error: forebay_s3::auth::Error) -> ApiError {
        use forebay_s3::auth::Error;
        let code = match error {
            Error::Pool(error) => return error.into(),
            Error::UserNotFound(_) => Code::S3UserNotFound,
            Error::GroupNotFound(_) => Code::S3GroupNotFound,
            Error::KeyNotFound(_) => Code::S3KeyNotFound,
            Error::PolicyNotFound { .. } => Code::S3PolicyNotFound,
            Error::UserExists(_) | Error::GroupExists(_) => Code::AlreadyExists,
            Error::BadName { .. } | Error::BadExpiry | Error::MalformedPolicy(_) => Code::Invalid,
            Error::BuiltInGroup(_) => Code::Permanent,
            Error::TooMany { .. } | Error::TooManyKeys(_) => Code::TooMany,
            Error::Interrupted => Code::Unavailable,
            _ => Code::Internal,
        };
        ApiError::explained(code, &error)
    }
}

impl From<forebay_s3::manage::Error> for ApiError {
    fn from(error: forebay_s3::manage::Error) -> ApiError {
        use forebay_s3::file_copy::NotCopied;
        use forebay_s3::manage::Error;
        let code = match error {
            Error::Pool(error) => return error.into(),
            Error::Users(error) => return error.into(),
            Error::BadName(_)
            | Error::VersioningPermanent(_)
            | Error::NoOwner
            | Error::MalformedPolicy(_)
            | Error::Malformed { .. } => Code::Invalid,
            Error::NotEmpty(_) => Code::BucketNotEmpty,
            Error::Locked(_) | Error::VersioningLocked(_) => Code::BucketLocked,
            Error::SizeBelowUsed { .. } => Code::SizeBelowUsed,
            Error::NotSet { .. } => Code::BucketDocumentNotFound,
            Error::PublicPolicyBlocked(_) => Code::PublicPolicyBlocked,
            Error::KeyExists { .. } => Code::AlreadyExists,
            Error::File { ref cause, .. } => match **cause {
                forebay_pool::Error::NotFound(_) | forebay_pool::Error::Stale => Code::NotFound,
                _ => Code::Invalid,
            },
            Error::NotCopied { ref reason, .. } => match **reason {
                NotCopied::NoFile => Code::Invalid,
                NotCopied::Changing => Code::InUse,
                NotCopied::OtherSize(_) | NotCopied::Damaged(_) => Code::Differs,
                NotCopied::Pool(forebay_pool::Error::NoSpace) => Code::NoSpace,
                NotCopied::Pool(_) => Code::Internal,
            },
            _ => Code::Internal,
        };
        ApiError::explained(code, &error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_in_its_parts_and_as_one_sentence() {
        let error = ApiError::new(Code::InUse, "volume kafka", "in use by two clones")
            .with_remedy("delete the clones first; or do not");
        let view = error.view();
        assert_eq!(view.object.as_deref(), Some("volume kafka"));
        assert_eq!(view.message, "volume kafka: in use by two clones");
        let sentence = "volume kafka: in use by two clones; delete the clones first; or do not";
        assert_eq!(view.sentence(), sentence);
    }

    #[test]
    fn errors_of_the_pool_have_codes_of_their_own() {
        let code = |error: forebay_pool::Error| ApiError::from(error).view().code;
        let volume = || forebay_pool::Error::NotFound(Object::Volume("ghost".into()));
        assert_eq!(code(volume()), Code::VolumeNotFound);
        let snapshot = forebay_pool::Error::NotFound(Object::snapshot("x", "y"));
        assert_eq!(code(snapshot), Code::SnapshotNotFound);
        assert_eq!(code(forebay_pool::Error::NoSpace), Code::NoSpace);
        let ghost = ApiError::from(volume());
        assert_eq!(ghost.view().message, "volume ghost: not found");
        assert_eq!(ghost.view().remedy.as_deref(), Some("`forebay volume list` shows all volumes"));
    }
}
