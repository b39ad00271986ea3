//! Where an address is counted. However many addresses there are, there are so many places: what a
//! flood of addresses costs is known beforehand.

use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;

use super::client::Client;

/// Addresses that share a place share its allowance, too. Which these are is different in every
/// process, so that nobody can choose a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place(u16);

impl Place {
    pub(super) const COUNT: usize = 1 << u16::BITS;

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

#[derive(Debug, Default)]
pub(super) struct Places(RandomState);

impl Places {
    pub(super) fn of(&self, Client(address): Client) -> Place {
        // Whoever has one address of IPv6 has the /64 that it is in.
        let hash = match address {
            IpAddr::V4(address) => self.0.hash_one(address),
            IpAddr::V6(address) => self.0.hash_one(&address.octets()[..8]),
        };
        let [.., high, low] = hash.to_be_bytes();
        Place(u16::from_be_bytes([high, low]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::net::Ipv6Addr;

    use super::*;

    #[test]
    fn a_network_of_one_house_is_one_address() {
        let places = Places::default();
        let place = |text: &str| places.of(Client(text.parse().unwrap()));
        assert_eq!(place("2001:db8::1"), place("2001:db8::ffff:1"));
        assert_eq!(place("192.0.2.1"), place("192.0.2.1"));
        let houses = (0..100)
            .map(|it| places.of(Client(Ipv6Addr::new(0x2001, 0xdb8, 0, it, 0, 0, 0, 1).into())));
        assert!(houses.collect::<HashSet<_>>().len() > 90);
    }
}
