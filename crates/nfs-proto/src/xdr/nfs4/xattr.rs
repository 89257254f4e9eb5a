//! Arguments and results of the operations on extended attributes (RFC 8276 §8.4).

use bytes::Bytes;

use super::ChangeInfo;
use crate::xdr::{xdr_enum, xdr_struct};

xdr_struct! {
    /// Arguments of GETXATTR.
    #[expect(missing_docs, reason = "RFC 8276 §8.4.1")]
    pub struct GetxattrArgs {
        pub name: Bytes,
    }
}

xdr_struct! {
    /// Result of GETXATTR.
    #[expect(missing_docs, reason = "RFC 8276 §8.4.1")]
    pub struct GetxattrResult {
        pub value: Bytes,
    }
}

xdr_enum! {
    /// Whether the attribute may already exist (`setxattr_option4`).
    #[expect(missing_docs, reason = "RFC 8276 §8.4.2")]
    pub enum SetxattrOption {
        Either = 0,
        Create = 1,
        Replace = 2,
    }
}

xdr_struct! {
    /// Arguments of SETXATTR.
    #[expect(missing_docs, reason = "RFC 8276 §8.4.2")]
    pub struct SetxattrArgs {
        pub option: SetxattrOption,
        pub name: Bytes,
        pub value: Bytes,
    }
}

xdr_struct! {
    /// Result of SETXATTR.
    #[expect(missing_docs, reason = "RFC 8276 §8.4.2")]
    pub struct SetxattrResult {
        pub change_info: ChangeInfo,
    }
}

xdr_struct! {
    /// Arguments of LISTXATTRS.
    #[expect(missing_docs, reason = "RFC 8276 §8.4.3")]
    pub struct ListxattrsArgs {
        pub cookie: u64,
        /// Maximum size of the result in bytes.
        pub maxcount: u32,
    }
}

xdr_struct! {
    /// Result of LISTXATTRS.
    #[expect(missing_docs, reason = "RFC 8276 §8.4.3")]
    pub struct ListxattrsResult {
        pub cookie: u64,
        pub names: Vec<Bytes>,
        pub eof: bool,
    }
}

xdr_struct! {
    /// Arguments of REMOVEXATTR.
    #[expect(missing_docs, reason = "RFC 8276 §8.4.4")]
    pub struct RemovexattrArgs {
        pub name: Bytes,
    }
}

xdr_struct! {
    /// Result of REMOVEXATTR.
    #[expect(missing_docs, reason = "RFC 8276 §8.4.4")]
    pub struct RemovexattrResult {
        pub change_info: ChangeInfo,
    }
}
