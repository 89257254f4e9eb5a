//! Acquiring and releasing on one machine.

use std::time::{Duration, Instant};

use forebay_address::{Options, ServiceAddress, acquire, check, release};

use crate::addresses;
use crate::testbed::Testbed;

#[test]
fn an_address_is_added_as_it_was_written_and_removed() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    for address in addresses() {
        machine.run(async || {
            assert!(!check(&address).await.unwrap());
            let held = acquire(&address, &Options::default()).await.unwrap();
            assert!(!held.was_present());
            assert_eq!(held.address(), &address);
            assert!(check(held.address()).await.unwrap());
            let shown = machine.ip("address show eth0");
            assert!(
                shown.contains(&format!("{}/{} scope global", address.ip(), address.prefix())),
                "{shown}"
            );
            assert!(shown.contains("valid_lft forever preferred_lft forever"), "{shown}");
            let tentative = |line: &str| line.contains("::50/") && line.contains("tentative");
            assert!(!shown.lines().any(tentative), "clients would have to wait: {shown}");
            held.release().await.unwrap();
            assert!(!check(&address).await.unwrap());
        });
        assert!(!machine.has(&address));
    }
}

#[test]
fn an_address_that_is_present_is_taken_over_and_removed_in_the_end() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    for address in addresses() {
        let host_prefix = if address.ip().is_ipv4() { 32 } else { 128 };
        machine.ip(&format!("address add {}/{host_prefix} dev eth0 {}", address.ip(), nodad(&address)));
        let held = machine.run(async || acquire(&address, &Options::default()).await.unwrap());
        assert!(held.was_present());
        machine.run(async || held.release().await.unwrap());
        assert!(!machine.has(&address));
    }
}

#[test]
fn releasing_what_is_gone_is_no_error() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    for address in addresses() {
        let held = machine.run(async || acquire(&address, &Options::default()).await.unwrap());
        machine.ip(&format!("address del {}/{} dev eth0", address.ip(), address.prefix()));
        machine.run(async || held.release().await.unwrap());
        machine.run(async || release(&address).await.unwrap());
        let elsewhere = address.to_string().replace("eth0", "eth7").parse().unwrap();
        machine.run(async || release(&elsewhere).await.unwrap());
    }
}

#[test]
fn devices_without_neighbours_are_not_probed() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    machine.add_device("noarp0");
    machine.ip("link set noarp0 arp off");
    for text in ["10.9.0.50/24@noarp0", "fd09::50/64@noarp0", "127.0.0.50/8@lo", "fd09::51/128@lo"] {
        let address: ServiceAddress = text.parse().unwrap();
        machine.run(async || {
            // Probing would take longer than the test may.
            let options = Options { probe_interval: Duration::from_secs(3600), ..Options::default() };
            let held = tokio::time::timeout(Duration::from_secs(10), acquire(&address, &options));
            let held = held.await.unwrap().unwrap();
            assert!(check(&address).await.unwrap());
            held.release().await.unwrap();
            assert!(!check(&address).await.unwrap());
        });
    }
}

#[test]
fn without_probes_an_address_is_added_at_once() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    let options = Options { probes: 0, probe_interval: Duration::from_secs(3600), ..Options::default() };
    for address in addresses() {
        let start = Instant::now();
        machine.run(async || acquire(&address, &options).await.unwrap());
        assert!(start.elapsed() < Duration::from_secs(60));
        assert!(machine.has(&address));
    }
}

#[test]
fn other_addresses_of_the_same_network_stay_when_one_is_released() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    let addresses: [ServiceAddress; 3] =
        ["10.7.0.50/24@eth0", "10.7.0.51/24@eth0", "10.7.0.52/24@eth0"].map(|text| text.parse().unwrap());
    let options = Options { probe_interval: Duration::from_millis(10), ..Options::default() };
    let [first, second, third] = &addresses;
    machine.run(async || {
        for address in &addresses {
            acquire(address, &options).await.unwrap();
        }
    });
    assert!(machine.ip("address show eth0").contains("10.7.0.51/24 scope global secondary"));
    // The kernel removes the others together with the first.
    machine.run(async || release(first).await.unwrap());
    assert!(!machine.has(first));
    assert!(machine.has(second) && machine.has(third));
    machine.run(async || release(third).await.unwrap());
    assert!(machine.has(second) && !machine.has(third));
}

fn nodad(address: &ServiceAddress) -> &'static str {
    if address.ip().is_ipv6() { "nodad" } else { "" }
}
