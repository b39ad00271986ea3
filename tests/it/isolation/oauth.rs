//! Clients, requests, connections, codes, tokens, and the statement that lets a call in.

use std::time::Duration;

use portico_model::{EndReason, Kind, SecurityEvent};
use portico_storage::Taking;
use portico_storage::admit::{self, Reference};
use portico_storage::authorization_code::Issued;
use portico_storage::authorization_request::Asked;
use portico_storage::connection::ending::Ending;
use portico_storage::connection::{Consent, Making};
use portico_storage::refresh_token::Grace;
use portico_storage::{
    access_token, authorization_code, authorization_request, client, connection, refresh_token,
    security_event,
};
use portico_testkit::household::{ALIAS, REDIRECT, RESOURCE, register, scopes, secret};

use super::{Neighbours, refused};

const TTL: Duration = Duration::from_mins(1);

// mcp:R8, sec:K01
#[tokio::test]
async fn a_token_of_others_is_no_token() {
    let world = Neighbours::new().await;
    let (mine, theirs) = (&world.mine, &world.theirs);
    for reference in [
        Reference::Unneeded,
        Reference::Sole,
        Reference::Id(mine.workspace),
        Reference::Id(theirs.workspace),
        Reference::Alias(ALIAS),
    ] {
        let admitted = admit::admit(&world.pool, mine.tenant, &theirs.token, reference).await;
        assert!(admitted.unwrap().is_none(), "{reference:?}");
    }
    let own = admit::admit(&world.pool, mine.tenant, &mine.token, Reference::Id(theirs.workspace));
    assert_eq!(own.await.unwrap().unwrap().found.len(), 0);
    let own = admit::admit(&world.pool, mine.tenant, &mine.token, Reference::Alias(ALIAS)).await;
    let found: Vec<_> = own.unwrap().unwrap().found.iter().map(|it| it.workspace).collect();
    assert_eq!(found, [mine.workspace]);

    world.nothing_changed().await;
}

#[tokio::test]
async fn clients_and_requests_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    // The same metadata, by client::register, is a client of each.
    assert_eq!(register(&mut conn, mine.tenant).await, mine.client);
    assert_ne!(mine.client, theirs.client);
    assert!(client::find(&mut conn, mine.tenant, theirs.client).await.unwrap().is_none());

    let asked = Asked {
        browser: &mine.browser,
        client: theirs.client,
        redirect_uri: REDIRECT,
        state: None,
        scopes: &scopes(),
        challenge: "a challenge",
        resource: RESOURCE,
        server: "boards",
        pinned_workspace: None,
        is_read_only: false,
        ttl: TTL,
    };
    let stored = authorization_request::insert(&mut conn, mine.tenant, &asked).await;
    refused("authorization_requests_client_fkey", stored);
    let found = authorization_request::find(&mut conn, mine.tenant, theirs.request).await.unwrap();
    assert!(found.is_none());
    let browser = &theirs.browser;
    let decided =
        authorization_request::decide(&mut conn, mine.tenant, theirs.request, browser).await;
    assert!(!decided.unwrap());

    world.nothing_changed().await;
}

#[tokio::test]
async fn connections_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    let scopes = scopes();
    let mut consent = Consent {
        person: theirs.person,
        client: mine.client,
        resource: RESOURCE,
        server: "boards",
        host: None,
        version: 1,
        redirect_uri: REDIRECT,
        scopes: &scopes,
        pinned: None,
        is_read_only: false,
        workspaces: None,
        ttl: None,
    };
    let made = connection::insert(&mut conn, mine.tenant, &consent).await.unwrap();
    assert_eq!(made, Making::Refused);
    (consent.person, consent.client) = (mine.person, theirs.client);
    let joined = connection::insert(&mut conn, mine.tenant, &consent).await;
    refused("connections_client_fkey", joined);
    consent.client = mine.client;
    let foreign = [theirs.workspace];
    for (pinned, workspaces) in [(Some(theirs.workspace), None), (None, Some(&foreign[..]))] {
        (consent.pinned, consent.workspaces) = (pinned, workspaces);
        let made = connection::insert(&mut conn, mine.tenant, &consent).await.unwrap();
        assert_eq!(made, Making::Refused);
    }

    let listed = connection::of_person(&mut conn, mine.tenant, theirs.person).await.unwrap();
    assert!(listed.is_empty());
    let ended = connection::ended_of_person(&mut conn, mine.tenant, theirs.person).await.unwrap();
    assert!(ended.is_empty());
    let id = theirs.connection;
    assert!(!connection::ending::end(&mut conn, mine.tenant, id, EndReason::Client).await.unwrap());
    for person in [theirs.person, mine.person] {
        let ending = connection::ending::end_own(&mut conn, mine.tenant, person, id).await.unwrap();
        assert_eq!(ending, Ending::NotTheirs);
    }
    let client = theirs.client;
    for client in [Some(client), None] {
        let by_token =
            connection::ending::end_by_token(&mut conn, mine.tenant, &theirs.token, client).await;
        assert!(by_token.unwrap().is_none());
    }
    let token = &theirs.refresh_token;
    let by_token =
        connection::ending::end_by_refresh_token(&mut conn, mine.tenant, token, client).await;
    assert!(by_token.unwrap().is_none());
    let served = ["boards".to_owned()];
    for servers in [None, Some(&served[..])] {
        let ended =
            connection::ending::end_unserved(&mut conn, mine.tenant, servers).await.unwrap();
        assert!(ended.is_empty(), "{ended:?}");
    }
    let long_ago = time::OffsetDateTime::UNIX_EPOCH;
    assert!(!connection::backdate(&mut conn, mine.tenant, id, long_ago).await.unwrap());
    let event = SecurityEvent::Connected;
    security_event::record(&mut conn, mine.tenant, event, &[id]).await.unwrap();

    world.nothing_changed().await;
}

#[tokio::test]
async fn codes_and_tokens_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    let issued = Issued {
        connection: theirs.connection,
        redirect_uri: REDIRECT,
        challenge: "a challenge",
        ttl: TTL,
    };
    let code = secret(Kind::Code);
    let stored = authorization_code::insert(&mut conn, mine.tenant, &code, &issued).await;
    refused("authorization_codes_connection_fkey", stored);
    let locked = authorization_code::lock(&mut conn, mine.tenant, &theirs.code, TTL).await;
    assert!(locked.unwrap().is_none());
    let taking = authorization_code::take(&mut conn, mine.tenant, &theirs.code).await.unwrap();
    assert_eq!(taking, Taking::Refused);
    authorization_code::count_wrong_verifier(&mut conn, mine.tenant, &theirs.code).await.unwrap();

    let token = secret(Kind::AccessToken);
    let minted =
        access_token::insert(&mut conn, mine.tenant, &token, theirs.connection, None).await;
    refused("access_tokens_connection_fkey", minted);

    let (token, client) = (&theirs.token, theirs.client);
    assert!(!access_token::revoke(&mut conn, mine.tenant, token, client).await.unwrap());
    let resource = access_token::find_resource(&mut conn, mine.tenant, token).await.unwrap();
    assert_eq!(resource, None);

    world.nothing_changed().await;
}

#[tokio::test]
async fn refresh_tokens_of_others_are_nothing() {
    let world = Neighbours::new().await;
    let mut conn = world.conn().await;
    let (mine, theirs) = (&world.mine, &world.theirs);

    let token = secret(Kind::RefreshToken);
    let minted =
        refresh_token::insert(&mut conn, mine.tenant, &token, theirs.connection, TTL).await;
    refused("refresh_tokens_connection_fkey", minted);
    let token = &theirs.refresh_token;
    let grace = Grace { ttl: TTL, repeats: 10 };
    let locked = refresh_token::lock(&mut conn, mine.tenant, token, grace).await.unwrap();
    assert!(locked.is_none());
    let recent = refresh_token::count_recent(&mut conn, mine.tenant, theirs.connection).await;
    assert_eq!(recent.unwrap(), 0);
    let rotated = refresh_token::rotate(&mut conn, mine.tenant, token).await.unwrap();
    assert_eq!(rotated, Taking::Refused);
    world.nothing_changed().await;

    let rotated = refresh_token::rotate(&mut conn, theirs.tenant, token).await.unwrap();
    assert_eq!(rotated, Taking::Taken(()));
    refresh_token::keep_answer(&mut conn, theirs.tenant, token, b"theirs").await.unwrap();
    let after = world.db.dump().await;
    refresh_token::keep_answer(&mut conn, mine.tenant, token, b"sealed").await.unwrap();
    let repeated = refresh_token::repeat(&mut conn, mine.tenant, token, grace).await.unwrap();
    assert_eq!(repeated, Taking::Refused);

    assert_eq!(world.db.dump().await, after);
}
