//! Macros that declare a protocol type once and generate both directions, so that the server and the test
//! client cannot disagree.

/// Declares a struct whose fields are encoded in order.
macro_rules! xdr_struct {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type),* }

        impl $crate::xdr::Encode for $name {
            fn encode(&self, out: &mut $crate::xdr::Encoder) {
                $($crate::xdr::Encode::encode(&self.$field, out);)*
            }
        }

        impl $crate::xdr::Decode for $name {
            fn decode(input: &mut $crate::xdr::Decoder) -> Result<Self, $crate::xdr::XdrError> {
                Ok($name { $($field: $crate::xdr::Decode::decode(input)?),* })
            }
        }
    };
}

/// Declares an enumeration: one 32-bit number on the wire.
macro_rules! xdr_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $value:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum $name { $($(#[$variant_meta])* $variant = $value),* }

        impl TryFrom<u32> for $name {
            type Error = $crate::xdr::XdrError;
            fn try_from(value: u32) -> Result<Self, Self::Error> {
                match value {
                    $($value => Ok($name::$variant),)*
                    value => Err($crate::xdr::XdrError::Unknown { of: stringify!($name), value }),
                }
            }
        }

        impl $crate::xdr::Encode for $name {
            fn encode(&self, out: &mut $crate::xdr::Encoder) {
                (*self as u32).encode(out);
            }
        }

        impl $crate::xdr::Decode for $name {
            fn decode(input: &mut $crate::xdr::Decoder) -> Result<Self, $crate::xdr::XdrError> {
                <u32 as $crate::xdr::Decode>::decode(input)?.try_into()
            }
        }
    };
}

/// Declares a discriminated union: a 32-bit number, followed by the data for that number.
macro_rules! xdr_union {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$variant_meta:meta])* $value:literal => $variant:ident $(($field:ident: $type:ty))?),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_meta])* $variant $(($type))?),* }

        impl $crate::xdr::Encode for $name {
            fn encode(&self, out: &mut $crate::xdr::Encoder) {
                match self {
                    $($name::$variant $(($field))? => {
                        $crate::xdr::Encode::encode(&($value as u32), out);
                        $($crate::xdr::Encode::encode($field, out);)?
                    })*
                }
            }
        }

        impl $crate::xdr::Decode for $name {
            fn decode(input: &mut $crate::xdr::Decoder) -> Result<Self, $crate::xdr::XdrError> {
                match <u32 as $crate::xdr::Decode>::decode(input)? {
                    $($value => Ok($name::$variant $((<$type as $crate::xdr::Decode>::decode(input)?))?),)*
                    value => Err($crate::xdr::XdrError::Unknown { of: stringify!($name), value }),
                }
            }
        }
    };
}

pub(crate) use {xdr_enum, xdr_struct, xdr_union};
