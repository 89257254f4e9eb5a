//! The audit trail: events about refused requests and about changes of buckets.

use forebay_service::events::{Kind, Who};

use super::{Denied, Exchange, shortened};
use crate::statistics::Refused;

impl Exchange {
    fn who(&self) -> Who {
        Who { user: self.user.get().cloned(), address: self.peer.map(|peer| peer.to_string()) }
    }

    /// Reports a refused request. Requests that are merely malformed are only counted. `reason` is a phrase that clients cannot vary.
    pub(super) fn report_refused(&self, refused: Refused, reason: &'static str) {
        let kind = match refused {
            Refused::Guard => return,
            Refused::Signature | Refused::AccessKey => Kind::S3SignatureRefused,
            Refused::AccessDenied => Kind::AccessRefused,
        };
        let asked = match self.denied.get() {
            Some(Denied::Policies { action, resource, .. }) => {
                format!("s3:{action} on {}", shortened(resource))
            }
            _ => format!("{} {}", self.method, shortened(self.path())),
        };
        let owner = match self.denied.get() {
            Some(Denied::AccessKey { user: Some(user), .. }) => format!(" of user {user}"),
            _ => String::new(),
        };
        let key = self.key_id.get().map(|id| format!(" with access key {id}{owner}")).unwrap_or_default();
        let object = match (self.user.get(), self.peer) {
            (Some(user), _) => format!("S3 user {user}"),
            (None, Some(peer)) => format!("address {peer}"),
            (None, None) => "S3".to_owned(),
        };
        let message = format!("{asked}{key} was refused: {reason} (request {})", self.id);
        self.shared.service.events.note_refusal_for(Some(reason), kind, object, &message, self.who());
    }

    /// Reports a request that changed a bucket or one of its settings.
    pub(super) fn report_change(&self) {
        let operation = self.operation().name();
        let Some(kind) = changes(operation) else { return };
        let Some((bucket, _)) = self.bucket.get() else { return };
        let what = match kind {
            Kind::BucketCreated => "was created".to_owned(),
            Kind::BucketDeleted => "was deleted".to_owned(),
            _ => format!("was changed by {operation}"),
        };
        let key = self.key_id.get().map_or("without an access key", String::as_str);
        let message = format!("{what} over S3, access key {key} (request {})", self.id);
        self.shared.service.events.note(kind, format!("bucket {bucket}"), message, self.who());
    }
}

/// The event for a successful request of this operation, if it changes a bucket.
fn changes(operation: &str) -> Option<Kind> {
    match operation {
        "CreateBucket" => Some(Kind::BucketCreated),
        "DeleteBucket" => Some(Kind::BucketDeleted),
        "PutPublicAccessBlock" | "DeletePublicAccessBlock" | "PutObjectLockConfiguration" => {
            Some(Kind::BucketChanged)
        }
        _ if operation.starts_with("PutBucket") || operation.starts_with("DeleteBucket") => {
            Some(Kind::BucketChanged)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::OPERATIONS;

    #[test]
    fn every_operation_that_changes_a_bucket_leaves_a_line() {
        let reported = OPERATIONS.iter().filter(|operation| changes(operation).is_some()).count();
        let of_objects =
            ["Object", "Objects", "Upload", "Part", "Copy", "Tagging", "Retention", "LegalHold", "Acl"];
        for operation in OPERATIONS.iter().filter(|operation| {
            ["Put", "Delete", "Create"].iter().any(|verb| operation.starts_with(verb))
                && changes(operation).is_none()
        }) {
            assert!(of_objects.iter().any(|end| operation.ends_with(end)), "{operation}");
        }
        assert!(reported >= 16, "{reported}");
    }
}
