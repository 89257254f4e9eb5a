//! The addresses that this machine has.

use std::net::IpAddr;

/// All addresses of network devices that are up, without those that only this machine or its network segment knows.
pub fn own_addresses() -> Vec<IpAddr> {
    let devices = pnet_datalink::interfaces().into_iter().filter(|device| device.is_up());
    let addresses = devices.flat_map(|device| device.ips).map(|network| network.ip());
    addresses.filter(|address| !address.is_loopback() && !is_link_local(*address)).collect()
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}
