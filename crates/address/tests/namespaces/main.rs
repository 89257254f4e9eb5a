//! Service addresses on machines of one network segment, which are network namespaces. Without root they are skipped.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod moves;
mod refusals;
mod single;
mod testbed;

use forebay_address::ServiceAddress;

/// One address of each version of IP.
fn addresses() -> [ServiceAddress; 2] {
    ["10.0.0.50/24@eth0", "fd00::50/64@eth0"].map(|text| text.parse().unwrap())
}
