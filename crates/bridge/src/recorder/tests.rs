use portico_model::{CallId, ClientId, Outcome, PersonId};
use time::OffsetDateTime;
use uuid::Uuid;

use super::*;

fn call() -> Call {
    Call {
        tenant: TenantId::from_uuid(Uuid::nil()),
        id: CallId::from_uuid(Uuid::nil()),
        started_at: OffsetDateTime::UNIX_EPOCH,
        duration_us: 0,
        provider: "mcp",
        operation: "tools/call:read_board".to_owned(),
        server: "boards".into(),
        connection: ConnectionId::from_uuid(Uuid::nil()),
        person: PersonId::from_uuid(Uuid::nil()),
        client: ClientId::from_uuid(Uuid::nil()),
        workspace: None,
        outcome: Outcome::Failed,
        reason: Some(Reason::Abandoned.as_str()),
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

    begun.pop().unwrap().refuse(Reason::Role);
    assert!(recorder.reserve().await.is_err());
    assert!(entries.recv().await.is_some());
    assert!(recorder.reserve().await.is_ok());
}

// pre:C12
#[tokio::test]
async fn a_call_is_recorded_however_it_ends() {
    let (recorder, mut entries) = queue();
    begin(&recorder).await.end(&Reply::answered("a\0".to_owned()));
    begin(&recorder).await.refuse(Reason::Role);
    begin(&recorder).await.fail(Reason::Outage);
    drop(begin(&recorder).await);
    let mut written = begin(&recorder).await;
    written.written();
    written.end(&Reply::answered("b".to_owned()));
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
        "failed Some(\"outage\") \"\"",
        "failed Some(\"abandoned\") \"\"",
        "written",
    ]
    "#);
}

#[tokio::test]
async fn a_record_that_nobody_writes_any_more_is_closed_and_not_full() {
    let (recorder, entries) = queue();
    drop(entries);
    assert_eq!(recorder.reserve().await.unwrap_err().to_string(), "the record of calls is closed");
}
