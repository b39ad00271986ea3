use portico_model::{CallId, ClientId, PersonId};
use time::OffsetDateTime;
use uuid::Uuid;

use super::*;

fn call() -> Call {
    Call {
        tenant: TenantId::from_uuid(Uuid::nil()),
        id: CallId::from_uuid(Uuid::nil()),
        started_at: OffsetDateTime::UNIX_EPOCH,
        duration_us: 0,
        provider: "mcp".to_owned(),
        operation: "tools/call:read_board".to_owned(),
        server: "boards".to_owned(),
        connection: ConnectionId::from_uuid(Uuid::nil()),
        person: PersonId::from_uuid(Uuid::nil()),
        client: ClientId::from_uuid(Uuid::nil()),
        workspace: None,
        outcome: Outcome::Answered,
        reason: None,
        arguments: "{}".to_owned(),
        answer: String::new(),
    }
}

fn queue() -> (Recorder, mpsc::Receiver<Entry>) {
    let (sender, receiver) = mpsc::channel(ROOM);
    (Recorder(sender), receiver)
}

async fn begin(recorder: &Recorder) -> Begun {
    Begun::new(recorder.reserve().await.unwrap(), Instant::now(), call())
}

// pre:C12
#[tokio::test(start_paused = true)]
async fn a_full_queue_refuses_a_call_before_it_runs() {
    let (recorder, mut entries) = queue();
    let mut begun = Vec::new();
    for _ in 0..ROOM {
        begun.push(begin(&recorder).await);
    }
    assert!(recorder.reserve().await.is_err());

    begun.pop().unwrap().end(&Ending::refused(Reason::Role));
    assert!(recorder.reserve().await.is_err());
    assert!(entries.recv().await.is_some());
    assert!(recorder.reserve().await.is_ok());
}

// pre:C12
#[tokio::test]
async fn a_call_is_recorded_however_it_ends() {
    let (recorder, mut entries) = queue();
    let answered = Ending { outcome: Outcome::Answered, reason: None, answer: "a\0" };
    begin(&recorder).await.end(&answered);
    begin(&recorder).await.end(&Ending::refused(Reason::Role));
    begin(&recorder).await.end_written();
    drop(begin(&recorder).await);
    drop(recorder);

    let mut told = Vec::new();
    while let Some(entry) = entries.recv().await {
        told.push(match entry {
            Entry::Call(call) => format!("{} {:?} {:?}", call.outcome, call.reason, call.answer),
            Entry::Written(..) => "written".to_owned(),
        });
    }
    insta::assert_debug_snapshot!(told, @r#"
    [
        "answered None \"a�\"",
        "refused Some(\"role\") \"\"",
        "written",
        "failed Some(\"abandoned\") \"\"",
    ]
    "#);
}
