//! What a server offers, and one call of it: from a tool's name and arguments to an answer and a
//! row of the record. It knows nothing of HTTP, nor how a caller proved who they are.

mod arguments;
mod call;
mod catalogue;
mod denial;
mod injection;
mod journal;
mod leases;
mod limits;
mod obstacle;
mod offer;
mod reason;
mod recorder;
mod redaction;
mod reply;
mod source;
mod text;
mod tool;
mod workspace;

pub use call::{Call, Means, Refusal, call};
pub use catalogue::catalogue;
pub use journal::Journal;
pub use leases::Leases;
pub use obstacle::usable;
pub use offer::{Offer, OfferError};
pub use reason::Reason;
pub use recorder::{Overloaded, Recorder};
pub use reply::{End, Reply};
