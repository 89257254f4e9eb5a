//! The settings of `[node]`.

use std::net::SocketAddr;
use std::time::Duration;

use forebay_address::ServiceAddress;

use super::super::value::{Kind, Setting, address, number, on_or_off, path_or_none, path_text};
use super::store;

/// Short names of flags.
pub const ALIASES: &[(&str, &str)] = &[
    ("node.standby", "standby"),
    ("node.fence", "fence"),
    ("node.addresses", "address"),
    ("node.on_acquire", "on-acquire"),
    ("node.on_release", "on-release"),
    ("node.witness", "witness"),
];

/// The settings of this section.
pub const SETTINGS: &[Setting] = &[
    Setting {
        section: "node",
        key: "standby",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether several machines can serve the pool, one at a time: `on` or `off`.",
        details: "With `on`, the daemon waits until no other machine serves the pool, and others can take it when this one falls \
                  silent. The pool must exist, on a file system that all the machines mount. See the guide for two nodes.",
        set: |config, text| store(&mut config.node.standby, on_or_off(text)),
        get: |config| if config.node.standby { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "node",
        key: "name",
        kind: Kind::Text,
        value_name: "NAME",
        summary: "This machine's name for the other nodes, or `hostname`.",
        details: "It is passed to the fence program. Each machine needs a different name.",
        set: |config, text| store(&mut config.node.name, Ok((text != "hostname").then(|| text.to_owned()))),
        get: |config| config.node.name.clone().unwrap_or_else(|| "hostname".to_owned()),
    },
    Setting {
        section: "node",
        key: "fence",
        kind: Kind::Text,
        value_name: "PROGRAM",
        summary: "The program that stops a silent node from writing, or `none`.",
        details: "Called as `PROGRAM fence NODE`. When it ends with status 0, the node must be off, or cut off from the pool's file system and \
                  from the clients' network, and must stay so until it starts anew. With another status the pool is not taken, and the program is called again.",
        set: |config, text| store(&mut config.node.fence, path_or_none(text)),
        get: |config| path_text(config.node.fence.as_deref()),
    },
    Setting {
        section: "node",
        key: "program_seconds_max",
        kind: Kind::Number,
        value_name: "SECONDS",
        summary: "Maximum run time of the programs in this section, in seconds.",
        details: "A program that takes longer is killed and counts as failed.",
        set: |config, text| {
            store(&mut config.node.program_time_max, number(text, 1, 600).map(Duration::from_secs))
        },
        get: |config| config.node.program_time_max.as_secs().to_string(),
    },
    Setting {
        section: "node",
        key: "addresses",
        kind: Kind::Text,
        value_name: "IP/PREFIX@DEVICE",
        summary: "Addresses that move with the pool, separated by commas, or `none`.",
        details: "For example 10.0.0.50/24@eth0. They are added and announced to the network when the pool is open, unless another machine answers \
                  for them, and removed before it is closed. A node that takes a pool in a database from a silent owner adds them although the \
                  owner's machine may still answer for them. Needs CAP_NET_ADMIN and CAP_NET_RAW.",
        set: |config, text| store(&mut config.node.addresses, addresses(text)),
        get: |config| {
            let all: Vec<String> = config.node.addresses.iter().map(ServiceAddress::to_string).collect();
            if all.is_empty() { "none".to_owned() } else { all.join(",") }
        },
    },
    Setting {
        section: "node",
        key: "on_acquire",
        kind: Kind::Text,
        value_name: "PROGRAM",
        summary: "A program that is called when the pool is open, or `none`.",
        details: "Called as `PROGRAM acquire NODE`, for example to move an address by the API of a cloud, or to announce a route. Clients are \
                  served when it has ended with status 0; with another status the daemon stops.",
        set: |config, text| store(&mut config.node.on_acquire, path_or_none(text)),
        get: |config| path_text(config.node.on_acquire.as_deref()),
    },
    Setting {
        section: "node",
        key: "on_release",
        kind: Kind::Text,
        value_name: "PROGRAM",
        summary: "A program that is called before the pool is closed, or `none`.",
        details: "Called as `PROGRAM release NODE`. Its failure is logged and changes nothing. It is not called when the daemon is killed.",
        set: |config, text| store(&mut config.node.on_release, path_or_none(text)),
        get: |config| path_text(config.node.on_release.as_deref()),
    },
    Setting {
        section: "node",
        key: "witness",
        kind: Kind::Text,
        value_name: "ADDRESS",
        summary: "An address and port of another machine that shows whether this machine's network works, or `none`.",
        details: "For example the gateway's. It is enough if it refuses connections. With a witness a node that clients cannot reach is fenced although it still \
                  writes to the pool's directory, and a node whose own network has failed fences nobody.",
        set: |config, text| store(&mut config.node.witness, witness(text)),
        get: |config| config.node.witness.map_or_else(|| "none".to_owned(), |witness| witness.to_string()),
    },
    Setting {
        section: "node",
        key: "priority",
        kind: Kind::Number,
        value_name: "STEPS",
        summary: "How many steps of 0.5 s later than others this machine takes the pool of a silent owner, from 0 to 20.",
        details: "For pools in a database. With 0 on one machine and 4 on another, the second one takes the pool only if the first one does not. \
                  A pool that was released goes to whoever is first.",
        set: |config, text| store(&mut config.node.priority, number(text, 0, 20)),
        get: |config| config.node.priority.to_string(),
    },
    Setting {
        section: "node",
        key: "any_file_system",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether a standby accepts a file system that only one machine can mount: `on` or `off`.",
        details: "Only for several daemons on one machine. A file system such as ext4 that two machines mount at a time is destroyed.",
        set: |config, text| store(&mut config.node.any_file_system, on_or_off(text)),
        get: |config| if config.node.any_file_system { "on".to_owned() } else { "off".to_owned() },
    },
];

fn addresses(text: &str) -> Result<Vec<ServiceAddress>, String> {
    if text == "none" {
        return Ok(Vec::new());
    }
    text.split(',').map(|one| one.trim().parse().map_err(|error| format!("{error}"))).collect()
}

fn witness(text: &str) -> Result<Option<SocketAddr>, String> {
    if text == "none" {
        Ok(None)
    } else {
        address(text).map(Some).map_err(|message| format!("{message}, or none"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn addresses_are_a_list() {
        let mut config = Config::default();
        let setting = SETTINGS.iter().find(|setting| setting.key == "addresses").unwrap();
        (setting.set)(&mut config, "10.0.0.50/24@eth0, fd00::50/64@eth0").unwrap();
        assert_eq!((setting.get)(&config), "10.0.0.50/24@eth0,fd00::50/64@eth0");
        assert!((setting.set)(&mut config, "10.0.0.50").is_err());
        (setting.set)(&mut config, "none").unwrap();
        assert!(config.node.addresses.is_empty());
    }
}
