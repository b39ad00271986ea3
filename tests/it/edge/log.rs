//! A log that nobody reads.

use portico_testkit::{Portico, Scratch, Wire};

// sec:R14
#[tokio::test]
async fn a_log_that_nobody_reads_stops_nobody() {
    let scratch = Scratch::new();
    let portico = Portico::dev_unread(&scratch);
    let address = portico.address().to_owned();
    let head = format!("GET /.well-known/none HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let mut wire = Wire::to(&address);
    // Each says a line. The pipe holds some hundreds, and the program two thousand more.
    for _ in 0..3_500 {
        wire.send(&head);
        assert_ne!(wire.answer(), "");
    }
    assert!(portico.stop().success());
}
