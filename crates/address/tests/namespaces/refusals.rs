//! What is refused, and what the operator reads.

use std::fs;
use std::thread;

use forebay_address::{Error, Options, ServiceAddress, acquire, check, release};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use crate::addresses;
use crate::testbed::{Machine, Testbed, wait_for};

#[test]
fn an_address_that_another_machine_has_is_refused() {
    let Some(testbed) = Testbed::new(2) else { return };
    let [owner, other] = testbed.machines();
    for address in addresses() {
        owner.run(async || acquire(&address, &Options::default()).await.unwrap());
        let error = refused(&other, &address);
        assert!(matches!(&error, Error::Taken { mac, .. } if *mac == owner.mac()), "{error}");
        let line = error.to_string();
        let start = format!("address {} on eth0 is in use by {}; ", address.ip(), owner.mac());
        assert!(line.starts_with(&start), "{line}");
        assert!(!other.has(&address));
        assert!(owner.has(&address));
    }
}

#[test]
fn two_machines_that_acquire_an_address_at_the_same_moment_do_not_both_get_it() {
    let Some(testbed) = Testbed::new(2) else { return };
    let machines: [Machine; 2] = testbed.machines();
    let [address, _] = addresses();
    let acquired: usize = thread::scope(|scope| {
        let run =
            |machine: &Machine| machine.run(async || acquire(&address, &Options::default()).await.is_ok());
        let threads = machines.each_ref().map(|machine| scope.spawn(move || run(machine)));
        threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
    });
    assert!(acquired <= 1);
    assert_eq!(machines.iter().filter(|machine| machine.has(&address)).count(), acquired);
}

#[test]
fn an_address_that_the_kernel_found_to_be_a_duplicate_is_not_taken_to_be_present() {
    let Some(testbed) = Testbed::new(2) else { return };
    let [owner, other] = testbed.machines();
    let [_, address] = addresses();
    owner.run(async || acquire(&address, &Options::default()).await.unwrap());
    other.ip("address add fd00::50/64 dev eth0");
    wait_for("duplicate address detection", || other.ip("address show eth0").contains("dadfailed"));
    assert!(!other.run(async || check(&address).await.unwrap()));
    assert!(matches!(refused(&other, &address), Error::Taken { .. }));

    owner.run(async || release(&address).await.unwrap());
    let held = other.run(async || acquire(&address, &Options::default()).await.unwrap());
    assert!(!held.was_present());
    assert!(other.run(async || check(&address).await.unwrap()));
}

#[test]
fn a_device_that_cannot_be_used_is_named_with_the_remedy() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    for address in addresses() {
        let missing = address.to_string().replace("eth0", "eth7").parse().unwrap();
        let error = refused(&machine, &missing);
        assert!(matches!(error, Error::NoDevice { .. }), "{error}");
        assert!(error.to_string().contains("there is no device eth7 on this machine; `ip link`"), "{error}");
        assert!(!machine.run(async || check(&missing).await.unwrap()));

        testbed.disconnect(1);
        wait_for("the link to go", || machine.ip("link show eth0").contains("NO-CARRIER"));
        let error = refused(&machine, &address);
        assert!(matches!(error, Error::NoLink { .. }), "{error}");
        assert!(error.to_string().contains("eth0 is up but has no link"), "{error}");

        machine.ip("link set eth0 down");
        let error = refused(&machine, &address);
        assert!(matches!(error, Error::DeviceDown { .. }), "{error}");
        assert!(error.to_string().contains("eth0 is down; start it with `ip link set eth0 up`"), "{error}");
        machine.ip("link set eth0 up");
    }
}

#[test]
fn an_address_of_another_device_of_the_machine_is_refused() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    machine.add_device("other0");
    for address in addresses() {
        machine.ip(&format!("address add {}/{} dev other0", address.ip(), address.prefix()));
        let error = refused(&machine, &address);
        assert!(matches!(&error, Error::OtherDevice { other, .. } if other == "other0"), "{error}");
        assert!(error.to_string().contains("is on device other0 of this machine, not on eth0"), "{error}");
        // What is on another device is not this service's.
        machine.run(async || release(&address).await.unwrap());
        assert!(machine.ip("address show other0").contains(&address.ip().to_string()));
    }
}

#[test]
fn a_device_without_ipv6_is_refused_with_the_remedy() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    machine.run_blocking(|| fs::write("/proc/sys/net/ipv6/conf/eth0/disable_ipv6", "1")).unwrap();
    let [_, address] = addresses();
    let error = refused(&machine, &address);
    assert!(matches!(error, Error::Ipv6Disabled { .. }), "{error:?}");
    assert!(error.to_string().contains("`sysctl net.ipv6.conf.eth0.disable_ipv6=0`"), "{error}");
}

#[test]
fn without_a_capability_the_remedy_names_it() {
    let Some(testbed) = Testbed::new(1) else { return };
    let [machine] = testbed.machines();
    for (capability, name) in
        [(CapabilitySet::NET_ADMIN, "CAP_NET_ADMIN"), (CapabilitySet::NET_RAW, "CAP_NET_RAW")]
    {
        for address in addresses() {
            let error = machine.run(async || {
                // Each thread has its own capabilities; those that it starts inherit them.
                let mut sets = capabilities(None).unwrap();
                sets.effective.remove(capability);
                sets.permitted.remove(capability);
                set_capabilities(None, sets).unwrap();
                acquire(&address, &Options::default()).await.unwrap_err()
            });
            assert!(matches!(error, Error::Permission { .. }), "{error}");
            assert!(error.to_string().contains(&format!("the process needs {name} to ")), "{error}");
            assert!(!machine.has(&address));
        }
    }
}

/// The error of acquiring an address. None must be added.
fn refused(machine: &Machine, address: &ServiceAddress) -> Error {
    machine.run(async || acquire(address, &Options::default()).await.unwrap_err())
}
