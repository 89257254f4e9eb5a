//! The setting for paths of other servers.

use forebay_nfs::referral::{Referral, list, list_text};

use super::super::value::{Kind, Setting};
use super::store;

pub(super) const SETTINGS: &[Setting] = &[Setting {
    section: "nfs",
    key: "referrals",
    kind: Kind::Text,
    value_name: "PATH=SERVER:/PATH",
    summary: "Paths at which clients find volumes of other servers, separated by commas, or `none`.",
    details: "For example /kafka-2=10.0.0.12:/kafka-2,/pool-3=[fd00::13]:/. A client that comes to such a path mounts it from that server by itself. \
              SERVER is an IP address, or a host name that the clients can look up. \
              The server must listen on port 2049: Linux clients connect to no other port. A path that is listed several times has several locations, \
              which clients try in this order. Every client sees the paths; the other server decides who may mount them. A volume at the \
              path, or above or below it, covers the referral, and the daemon logs a warning. Brokers mount volumes directly.",
    set: |config, text| store(&mut config.nfs.referrals, referrals_or_none(text)),
    get: |config| match config.nfs.referrals.as_slice() {
        [] => "none".to_owned(),
        referrals => list_text(referrals),
    },
}];

fn referrals_or_none(text: &str) -> Result<Vec<Referral>, String> {
    if text == "none" { Ok(Vec::new()) } else { list(text).map_err(|error| error.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn referrals_are_a_list() {
        let mut config = Config::default();
        let setting = &SETTINGS[0];
        (setting.set)(&mut config, "/kafka-2=10.0.0.12:/kafka-2, /pool-3=[fd00::13]:/").unwrap();
        assert_eq!((setting.get)(&config), "/kafka-2=10.0.0.12:/kafka-2,/pool-3=[fd00::13]:/");
        let refused = (setting.set)(&mut config, "/kafka-2").unwrap_err();
        assert!(refused.contains("write PATH=SERVER:/PATH"), "{refused}");
        (setting.set)(&mut config, "none").unwrap();
        assert!(config.nfs.referrals.is_empty());
    }
}
