//! Clients, requests, connections, codes, tokens, and the statement that lets a call in.

use std::time::Duration;

use portico_model::{EndReason, Kind};
use portico_storage::admit::{self, Reference};
use portico_storage::authorization_code::{Issued, Taking};
use portico_storage::authorization_request::Asked;
use portico_storage::connection::Consent;
use portico_storage::{
    access_token, authorization_code, authorization_request, client, connection,
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
        redirect_uri: REDIRECT,
        scopes: &scopes,
        pinned: None,
        is_read_only: false,
        workspaces: None,
        ttl: None,
    };
    assert!(connection::insert(&mut conn, mine.tenant, &consent).await.unwrap().is_none());
    (consent.person, consent.client) = (mine.person, theirs.client);
    let joined = connection::insert(&mut conn, mine.tenant, &consent).await;
    refused("connections_client_fkey", joined);
    consent.client = mine.client;
    let foreign = [theirs.workspace];
    for (pinned, workspaces) in [(Some(theirs.workspace), None), (None, Some(&foreign[..]))] {
        (consent.pinned, consent.workspaces) = (pinned, workspaces);
        assert!(connection::insert(&mut conn, mine.tenant, &consent).await.unwrap().is_none());
    }

    let listed = connection::of_person(&mut conn, mine.tenant, theirs.person).await.unwrap();
    assert!(listed.is_empty());
    let ended = connection::ended_of_person(&mut conn, mine.tenant, theirs.person).await.unwrap();
    assert!(ended.is_empty());
    let id = theirs.connection;
    assert!(!connection::end(&mut conn, mine.tenant, id, EndReason::Client).await.unwrap());
    assert!(!connection::end_own(&mut conn, mine.tenant, theirs.person, id).await.unwrap());
    assert!(!connection::end_own(&mut conn, mine.tenant, mine.person, id).await.unwrap());
    let by_token =
        connection::end_by_token(&mut conn, mine.tenant, &theirs.token, theirs.client).await;
    assert!(!by_token.unwrap());

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

    world.nothing_changed().await;
}
