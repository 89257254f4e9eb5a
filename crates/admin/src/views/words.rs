//! Enumerations whose values are words.

/// Defines an enumeration by its values' words. If it stands for a type of the pool or of the NFS server,
/// also defines the conversions between the two.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$value_meta:meta])* $value:ident = $word:tt,)* }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
        )]
        pub enum $name { $($(#[$value_meta])* #[serde(rename = $word)] $value,)* }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(match self { $($name::$value => $word,)* })
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($name::$value),)*
                    _ => Err(format!("{text:?}: write one of {}", [$($word),*].join(", "))),
                }
            }
        }
    };
    ($(#[$meta:meta])* $name:ident for $theirs:path { $($(#[$value_meta:meta])* $value:ident = $word:tt,)* }) => {
        crate::views::words::words! { $(#[$meta])* $name { $($(#[$value_meta])* $value = $word,)* } }

        impl From<$theirs> for $name {
            fn from(theirs: $theirs) -> Self {
                use $theirs as Theirs;
                match theirs { $(Theirs::$value => $name::$value,)* }
            }
        }

        impl From<$name> for $theirs {
            fn from(ours: $name) -> Self {
                use $theirs as Theirs;
                match ours { $($name::$value => Theirs::$value,)* }
            }
        }
    };
}

pub(crate) use words;
