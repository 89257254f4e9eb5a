//! Command line of `forebay pool salvage`.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::Format;

/// Shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  forebay pool salvage --from /srv/forebay --to /mnt/rescue/pool
  forebay pool salvage --from /srv/forebay --copy /mnt/other-disk/forebay --to /mnt/rescue/pool --other
  kafka-dump-log.sh --print-data-log --files /mnt/rescue/pool/logs/stream-00001/00000000000000000000.log
";

/// `forebay pool salvage`.
#[derive(Debug, Args)]
pub struct SalvageArgs {
    /// The pool's directory, that of its second copy, or a directory of .seg files; it is only read
    #[arg(long, value_name = "DIRECTORY")]
    pub from: PathBuf,

    /// The directory of the second copy: data damaged in one is taken from the other
    #[arg(long, value_name = "DIRECTORY")]
    pub copy: Option<PathBuf>,

    /// The directory to write to, which must be new or empty, and outside the others
    #[arg(long, value_name = "DIRECTORY")]
    pub to: PathBuf,

    /// Also write chunks that are not, or not entirely, Kafka records, to the subdirectory other/
    #[arg(long)]
    pub other: bool,

    /// The output format
    #[arg(short = 'o', long = "output", value_name = "FORMAT", default_value = "table")]
    format: Format,

    /// The same as -o json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl SalvageArgs {
    /// The output format.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}
