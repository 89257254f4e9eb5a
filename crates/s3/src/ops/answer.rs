//! What several answers have in common.

/// Puts a checksum into the five fields that answers have for it, and its type into a sixth.
macro_rules! fill_checksum {
    ($output:expr, $checksum:expr) => {{
        if let Some(crate::checksum::Checksum { algorithm, kind, value }) = $checksum {
            $output.checksum_type = Some(kind.to_dto());
            $crate::ops::answer::fill_checksum_value!($output, algorithm, value);
        }
    }};
}

/// Puts a checksum into the field of its algorithm.
macro_rules! fill_checksum_value {
    ($output:expr, $algorithm:expr, $value:expr) => {
        match $algorithm {
            crate::checksum::Algorithm::Crc32 => $output.checksum_crc32 = Some($value),
            crate::checksum::Algorithm::Crc32c => $output.checksum_crc32c = Some($value),
            crate::checksum::Algorithm::Crc64Nvme => $output.checksum_crc64nvme = Some($value),
            crate::checksum::Algorithm::Sha1 => $output.checksum_sha1 = Some($value),
            crate::checksum::Algorithm::Sha256 => $output.checksum_sha256 = Some($value),
        }
    };
}

pub(crate) use {fill_checksum, fill_checksum_value};

use s3s::dto::{Initiator, Owner};

/// An owner as answers have it.
pub fn owner(user: &str) -> Owner {
    Owner { display_name: Some(user.to_owned()), id: Some(user.to_owned()) }
}

/// An initiator of an upload as answers have it.
pub fn initiator(user: &str) -> Initiator {
    Initiator { display_name: Some(user.to_owned()), id: Some(user.to_owned()) }
}
