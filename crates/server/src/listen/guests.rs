//! Everybody who is connected. Where there are too many, somebody who has asked nothing for long
//! makes room for the next; whoever is being answered stays.

use std::collections::{BTreeMap, HashMap};
use std::future::pending;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::link::Link;
use super::{Cut, Manner, connection};

/// Who was asked to leave is let go so many at a time, before the next is let in.
const LEAVING: usize = 64;

/// How many are looked at before a newcomer is turned away: whoever knocks again and again must not
/// have everybody looked at each time.
const LOOKS: usize = 512;

pub(super) struct Guests {
    router: Router,
    manner: Manner,
    tasks: JoinSet<u64>,
    known: HashMap<u64, Guest>,
    /// Who is looked at first when somebody has to go.
    queue: BTreeMap<u64, u64>,
    /// Without those who are leaving.
    from_one: HashMap<IpAddr, usize>,
    staying: usize,
    next: u64,
}

struct Guest {
    from: IpAddr,
    link: Arc<Link>,
    /// The requests that there had been when it was last looked at.
    turns: u32,
    /// Nowhere in the queue when it has been asked to leave.
    place: Option<u64>,
}

impl Guests {
    pub(super) fn new(router: Router, manner: Manner) -> Self {
        Self {
            router,
            manner,
            tasks: JoinSet::new(),
            known: HashMap::new(),
            queue: BTreeMap::new(),
            from_one: HashMap::new(),
            staying: 0,
            next: 0,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    /// Whether another may be let in before somebody has left.
    pub(super) fn has_room(&self) -> bool {
        self.known.len() < self.manner.room.in_all + LEAVING
    }

    /// Ends when somebody has left.
    pub(super) async fn one_left(&mut self) {
        match self.tasks.join_next().await {
            Some(Ok(number)) => self.forget(number),
            // A connection whose own code failed; which one it was is not told.
            Some(Err(error)) => {
                tracing::error!(%error, "a connection ended badly");
                self.forget_the_gone();
            }
            None => pending().await,
        }
    }

    pub(super) fn welcome(&mut self, stream: TcpStream, address: SocketAddr) {
        let from = address.ip().to_canonical();
        let of_these = self.from_one.get(&from).copied().unwrap_or(0);
        let has_place = (of_these < self.manner.room.from_one || self.send_away(Some(from)))
            && (self.staying < self.manner.room.in_all || self.send_away(None));
        if !has_place {
            tracing::debug!(%from, "there is no room for another connection");
            return;
        }
        let link = Arc::new(Link::default());
        let number = self.number();
        self.queue.insert(number, number);
        let guest = Guest { from, link: Arc::clone(&link), turns: 0, place: Some(number) };
        self.known.insert(number, guest);
        *self.from_one.entry(from).or_default() += 1;
        self.staying += 1;
        let router = self.router.clone();
        let served = connection::serve(stream, address, link, router, self.manner.patience);
        self.tasks.spawn(async move {
            served.await;
            number
        });
    }

    pub(super) fn make_room(&mut self) {
        self.send_away(None);
    }

    /// Somebody of that address, or of all, is asked to leave: the first in the queue that has asked
    /// nothing since it came to its place. Whoever has goes to the end, once for all that they asked.
    fn send_away(&mut self, from: Option<IpAddr>) -> bool {
        let mut after = 0;
        for _ in 0..LOOKS {
            let Some((&place, &number)) = self.queue.range(after..).next() else { break };
            after = place + 1;
            let Some(guest) = self.known.get_mut(&number) else { continue };
            if from.is_some_and(|from| guest.from != from) || guest.link.is_busy() {
                continue;
            }
            self.queue.remove(&place);
            if guest.link.turns() == guest.turns {
                guest.place = None;
                guest.link.ask_to_leave();
                let from = guest.from;
                self.uncount(from);
                return true;
            }
            guest.turns = guest.link.turns();
            self.next += 1;
            let end = self.next;
            guest.place = Some(end);
            self.queue.insert(end, number);
        }
        false
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn forget(&mut self, number: u64) {
        if let Some(Guest { from, place: Some(place), .. }) = self.known.remove(&number) {
            self.queue.remove(&place);
            self.uncount(from);
        }
    }

    /// Whose link nobody else holds.
    fn forget_the_gone(&mut self) {
        let gone = |guest: &Guest| Arc::strong_count(&guest.link) == 1;
        let numbers: Vec<u64> =
            self.known.iter().filter(|(_, it)| gone(it)).map(|(number, _)| *number).collect();
        for number in numbers {
            self.forget(number);
        }
    }

    fn uncount(&mut self, from: IpAddr) {
        self.staying -= 1;
        if let Some(count) = self.from_one.get_mut(&from) {
            *count -= 1;
            if *count == 0 {
                self.from_one.remove(&from);
            }
        }
    }

    /// Everybody leaves: at once, or after the answer that is under way.
    pub(super) async fn send_off(mut self, at_once: impl Future<Output = ()>) -> Cut {
        for guest in self.known.values() {
            guest.link.ask_to_leave();
        }
        let mut at_once = pin!(at_once);
        let everybody = async { while self.tasks.join_next().await.is_some() {} };
        tokio::select! {
            all = timeout(self.manner.patience.leave, everybody) => if all.is_ok() { return Cut(0); },
            () = &mut at_once => {}
        }
        let cut = self.known.values().filter(|guest| guest.link.is_busy()).count();
        self.tasks.shutdown().await;
        Cut(cut)
    }
}
