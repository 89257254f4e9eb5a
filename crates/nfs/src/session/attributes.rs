//! Negotiation of a session's channels: the client's request, reduced to the server's limits (RFC 8881
//! §18.36.3).
//!
//! The Linux client refuses a session that offers more than it asked for, or fewer operations.

use crate::config::Config;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::ChannelAttributes;

/// Smallest useful size of a request or reply, in bytes.
const MESSAGE_BYTES_MIN: u32 = 256;
/// Maximum size of a reply stored for a retry, in bytes.
const CACHED_BYTES_MAX: u32 = 16 << 10;

/// Negotiates the fore channel. Returns TOOSMALL if nothing useful fits.
pub fn negotiate(config: &Config, asked: &ChannelAttributes) -> Result<ChannelAttributes, Status> {
    if asked.maxrequestsize < MESSAGE_BYTES_MIN || asked.maxresponsesize < MESSAGE_BYTES_MIN {
        return Err(Status::TooSmall);
    }
    if asked.maxrequests == 0 || asked.maxoperations == 0 {
        return Err(Status::Inval);
    }
    Ok(ChannelAttributes {
        headerpadsize: 0,
        maxrequestsize: asked.maxrequestsize.min(config.record_bytes_max),
        maxresponsesize: asked.maxresponsesize.min(config.record_bytes_max),
        maxresponsesize_cached: asked.maxresponsesize_cached.min(CACHED_BYTES_MAX),
        maxoperations: asked.maxoperations.min(config.operations_max),
        maxrequests: asked.maxrequests.min(config.slots_max),
        rdma_ird: None,
    })
}

/// Negotiates the back channel: accepts what the client offers, since the server sends almost nothing on it.
/// Returns TOOSMALL if no callback would fit.
pub fn negotiate_back(asked: &ChannelAttributes) -> Result<ChannelAttributes, Status> {
    if asked.maxrequestsize < MESSAGE_BYTES_MIN || asked.maxresponsesize < MESSAGE_BYTES_MIN {
        return Err(Status::TooSmall);
    }
    Ok(ChannelAttributes { headerpadsize: 0, rdma_ird: None, ..asked.clone() })
}
