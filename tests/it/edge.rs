//! The edge: HTTP from strangers, who mean no good or know no better. Spoken on bare sockets, to the
//! real program.

mod drain;
mod flood;
mod guests;
mod log;
mod memory;
mod panic;
mod slow;
mod strict;
