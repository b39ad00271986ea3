//! Who asks, as an address: the other end of the connection, or whom a proxy of the operator's says
//! that it asks for. What a stranger claims is not looked at.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use ipnet::IpNet;

/// A proxy adds itself at the end. A longer list is somebody's play.
const MOST_HOPS: usize = 32;

/// The address that a request came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client(pub(super) IpAddr);

/// The networks of the operator's own proxies.
#[derive(Debug)]
pub(super) struct Proxies(pub(super) Vec<IpNet>);

impl Proxies {
    /// The last one of the chain that is no proxy of ours: who stands further in front is only what
    /// that one says.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Client {
        let mut client = peer;
        for hop in hops(headers) {
            if !self.trust(client) {
                break;
            }
            let Some(hop) = hop else { break };
            client = hop;
        }
        Client(client)
    }

    fn trust(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// What proxies noted, the nearest first; nothing where it is no address.
fn hops(headers: &HeaderMap) -> impl Iterator<Item = Option<IpAddr>> {
    let lines = headers.get_all("x-forwarded-for").iter().rev();
    let hops = lines.flat_map(|line| line.to_str().unwrap_or("?").rsplit(','));
    hops.take(MOST_HOPS).map(|hop| address(hop.trim()))
}

/// With or without the port that some proxies add.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|it| it.ip());
    address.or_else(with_port).map(|it| it.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    // sec:A09, sec:M-7
    #[test]
    fn the_last_address_that_no_proxy_of_ours_has_is_the_clients() {
        let proxies =
            Proxies(["127.0.0.1/32", "10.0.0.0/8"].map(|it| it.parse().unwrap()).to_vec());
        for (peer, lines, expected) in [
            ("127.0.0.1", &[][..], "127.0.0.1"),
            ("127.0.0.1", &["8.8.8.8"], "8.8.8.8"),
            ("127.0.0.1", &["6.6.6.6, 8.8.8.8"], "8.8.8.8"),
            ("127.0.0.1", &["6.6.6.6, 8.8.8.8, 10.1.2.3"], "8.8.8.8"),
            ("127.0.0.1", &["6.6.6.6", "8.8.8.8", "10.1.2.3"], "8.8.8.8"),
            ("127.0.0.1", &["10.9.9.9, 10.1.2.3"], "10.9.9.9"),
            ("127.0.0.1", &["8.8.8.8:443"], "8.8.8.8"),
            ("127.0.0.1", &["[2001:db8::1]:443"], "2001:db8::1"),
            ("127.0.0.1", &["[2001:db8::1]"], "2001:db8::1"),
            ("127.0.0.1", &["::ffff:8.8.8.8"], "8.8.8.8"),
            ("127.0.0.1", &["8.8.8.8, nobody"], "127.0.0.1"),
            ("127.0.0.1", &[""], "127.0.0.1"),
            ("9.9.9.9", &["8.8.8.8"], "9.9.9.9"),
            ("2001:db8::9", &["8.8.8.8"], "2001:db8::9"),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("x-forwarded-for", HeaderValue::from_static(line));
            }
            let client = proxies.client(peer.parse().unwrap(), &headers);
            assert_eq!(client.0.to_string(), expected, "{peer} {lines:?}");
        }
    }
}
