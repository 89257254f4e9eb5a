//! An address moves from one machine to another, and clients follow it.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use forebay_address::{Options, acquire, acquire_while, check, release, tickle};
use pnet_datalink::{Channel, ChannelType, Config};

use crate::addresses;
use crate::testbed::{Testbed, wait_for};

#[test]
fn a_client_reaches_the_new_owner_within_a_second() {
    let Some(testbed) = Testbed::new(3) else { return };
    let [first, second, client] = testbed.machines();
    for address in addresses() {
        // Both listen before they have the address.
        first.serve(&address, b'1');
        second.serve(&address, b'2');
        assert!(!first.has(&address));

        first.run(async || acquire(&address, &Options::default()).await.unwrap());
        assert!(first.has(&address));
        let (mut connection, answer) = client.connect(&address).unwrap();
        assert_eq!(answer, b'1');
        assert_eq!(client.neighbour(address.ip()), first.mac().to_string());

        first.run(async || release(&address).await.unwrap());
        assert!(!first.has(&address));
        second.run(async || acquire(&address, &Options::default()).await.unwrap());
        assert_eq!(client.connect(&address).unwrap().1, b'2');

        // A connection to the last owner is reset as soon as the client sends something.
        connection.write_all(b"?").unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        assert_eq!(connection.read_exact(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    }
}

#[test]
fn an_announcement_replaces_what_neighbours_knew() {
    let Some(testbed) = Testbed::new(3) else { return };
    let [first, second, client] = testbed.machines();
    for address in addresses() {
        first.serve(&address, b'1');
        let held = first.run(async || acquire(&address, &Options::default()).await.unwrap());
        client.connect(&address).unwrap();
        assert_eq!(client.neighbour(address.ip()), first.mac().to_string());

        first.run(async || held.release().await.unwrap());
        second.run(async || acquire(&address, &Options::default()).await.unwrap());
        // The client sends nothing meanwhile.
        let new = second.mac().to_string();
        wait_for("the neighbour's new hardware address", || client.neighbour(address.ip()) == new);
    }
}

#[test]
fn the_address_of_a_machine_that_vanished_can_be_acquired() {
    let Some(testbed) = Testbed::new(3) else { return };
    let [first, second, client] = testbed.machines();
    for address in addresses() {
        first.serve(&address, b'1');
        second.serve(&address, b'2');
        first.run(async || acquire(&address, &Options::default()).await.unwrap());
        assert_eq!(client.connect(&address).unwrap().1, b'1');
    }
    testbed.disconnect(1);
    for address in addresses() {
        second.run(async || acquire(&address, &Options::default()).await.unwrap());
        assert_eq!(client.connect(&address).unwrap().1, b'2');
        assert!(first.has(&address), "the first machine still has it, but nobody hears it");
    }
}

/// The announcements and probes of the IPv4 address that a machine sends while it acquires it and for a second longer: those as requests,
/// those as replies, and probes.
fn announced(is_owner: fn() -> bool) -> Option<[u32; 3]> {
    let testbed = Testbed::new(2)?;
    let [owner, client] = testbed.machines();
    let [address, _] = addresses();
    let mac = owner.mac();
    // ARP packets from now on.
    let mut packets = client.run_blocking(|| {
        let eth0 = pnet_datalink::interfaces().into_iter().find(|device| device.name == "eth0").unwrap();
        let config = Config {
            read_timeout: Some(Duration::from_millis(20)),
            channel_type: ChannelType::Layer3(0x0806),
            ..Config::default()
        };
        let Channel::Ethernet(_, receiver) = pnet_datalink::channel(&eth0, config).unwrap() else {
            panic!("no channel")
        };
        receiver
    });
    let options = Options::default();
    owner.run(async || {
        acquire_while(&address, &options, is_owner).await.unwrap();
        // Announcements are sent by the runtime of whoever acquires.
        tokio::time::sleep(options.announcement_interval * options.announcements).await;
    });
    let mut seen = [0, 0, 0];
    let deadline = Instant::now() + Duration::from_millis(200);
    while Instant::now() < deadline {
        let Ok(packet) = packets.next() else { continue };
        if packet[8..14] != mac.0 || packet[24..28] != [10, 0, 0, 50] {
            continue;
        }
        match packet[14..18] {
            [10, 0, 0, 50] => seen[usize::from(packet[7]) - 1] += 1,
            [0, 0, 0, 0] => seen[2] += 1,
            _ => panic!("{packet:?}"),
        }
    }
    Some(seen)
}

#[test]
fn an_address_is_announced_three_times_within_a_second() {
    let Some(seen) = announced(|| true) else { return };
    assert_eq!(seen, [3, 3, 3]);
}

#[test]
fn a_machine_that_may_have_lost_an_address_does_not_announce_it() {
    let Some(seen) = announced(|| false) else { return };
    assert_eq!(seen, [0, 0, 3]);
}

#[test]
fn a_released_address_is_announced_no_more() {
    let Some(testbed) = Testbed::new(2) else { return };
    let [first, second] = testbed.machines();
    let [address, _] = addresses();
    first.run(async || {
        let held = acquire(&address, &Options::default()).await.unwrap();
        held.release().await.unwrap();
        assert!(!check(&address).await.unwrap());
        // The second machine would take an announcement for a conflict.
        let other = address.clone();
        let acquired = tokio::task::spawn_blocking(move || {
            second.run(async || acquire(&other, &Options::default()).await.map(|_| ()))
        });
        acquired.await.unwrap().unwrap();
    });
}

#[test]
fn a_client_that_only_waits_learns_at_once_that_its_connection_is_gone() {
    let Some(testbed) = Testbed::new(3) else { return };
    let [first, second, client] = testbed.machines();
    let mut connections = Vec::new();
    for address in addresses() {
        first.serve(&address, b'1');
        second.serve(&address, b'2');
        first.run(async || acquire(&address, &Options::default()).await.unwrap());
        connections.push((address.clone(), client.connect(&address).unwrap().0));
    }
    testbed.disconnect(1);
    for (address, mut connection) in connections {
        let ends = (connection.peer_addr().unwrap(), connection.local_addr().unwrap());
        connection.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
        second.run(async || {
            acquire(&address, &Options::default()).await.unwrap();
            let waiting =
                tokio::task::spawn_blocking(move || connection.read_exact(&mut [0]).unwrap_err().kind());
            let told = tokio::spawn(tickle(vec![ends]));
            assert_eq!(waiting.await.unwrap(), ErrorKind::ConnectionReset);
            told.abort();
        });
    }
}

#[test]
fn a_connection_to_the_new_owner_survives_being_told() {
    let Some(testbed) = Testbed::new(2) else { return };
    let [owner, client] = testbed.machines();
    for address in addresses() {
        owner.serve(&address, b'1');
        owner.run(async || acquire(&address, &Options::default()).await.unwrap());
        let (connection, _) = client.connect(&address).unwrap();
        let ends = (connection.peer_addr().unwrap(), connection.local_addr().unwrap());
        owner.run(async || tickle(vec![ends]).await.unwrap());
        connection.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let kind = (&connection).read_exact(&mut [0]).unwrap_err().kind();
        assert_eq!(kind, ErrorKind::WouldBlock, "it is still open, and nothing came");
    }
}
