//! Which crate may see which, and who owns each heavy dependency. Read from cargo's metadata, so
//! that a crate which is not on the map, or an arrow that is not, fails here.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::sources;

/// May see every library of the product.
const EVERYTHING: &[&str] = &["*"];

/// Normal dependencies among our own packages. Those that do not exist yet have their place.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("embedded", &[]),
    ("mcp", &[]),
    ("declaration", &["model"]),
    ("storage", &["model"]),
    ("outbound", &["model"]),
    ("jose", &["model"]),
    ("pages", &["model"]),
    ("tokens", &["model", "storage"]),
    ("registry", &["model", "storage"]),
    ("board", &["model", "storage", "registry"]),
    ("signals", &["model", "storage", "registry"]),
    ("directory", &["model", "declaration", "storage", "outbound"]),
    ("sources", &["model", "mcp", "outbound", "jose"]),
    (
        "bridge",
        &["model", "declaration", "storage", "tokens", "mcp", "registry", "directory", "sources"],
    ),
    ("oauth", &["model", "declaration", "storage", "tokens", "outbound", "jose"]),
    ("identity", &["model", "declaration", "storage", "outbound", "jose"]),
    ("discovery", &["model", "declaration", "oauth"]),
    ("vanity", &["model"]),
    ("server", EVERYTHING),
    ("bench", EVERYTHING),
    ("testkit", EVERYTHING),
    ("tests", EVERYTHING),
    ("xtask", EVERYTHING),
];

/// Not part of the product: no library may depend on them, and they may use what they need.
const AROUND: &[&str] = &["bench", "testkit", "tests", "xtask"];

/// Dependencies of others that only these may have.
const OWNERS: &[(&str, &[&str])] = &[
    ("argon2", &["identity"]),
    ("askama", &["pages"]),
    ("aws-lc-rs", &["tokens"]),
    ("axum", &["server"]),
    ("clap", &["server"]),
    ("governor", &["server"]),
    ("hyper", &["server"]),
    ("jsonschema", &["bridge"]),
    ("jsonwebtoken", &["jose"]),
    ("oauth2", &["identity"]),
    ("reqwest", &["outbound"]),
    ("rmcp", &[]),
    // In `model` behind a feature that only storage switches on.
    ("sqlx", &["model", "storage"]),
    ("toml", &["declaration"]),
    ("tower-http", &["server"]),
    ("tower_governor", &["server"]),
];

struct Package {
    name: String,
    ours: BTreeSet<String>,
    others: Vec<Value>,
}

// pre:A8, pre:O27
#[test]
fn crates_see_only_what_the_map_allows() {
    for package in packages() {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
            panic!("`{}` is not on the map: give it a line in ARROWS", package.name);
        };
        for seen in &package.ours {
            let product = !AROUND.contains(&seen.as_str()) && seen != "server";
            let around = AROUND.contains(&package.name.as_str());
            assert!(product || around, "`{}` may not see `{seen}`", package.name);
            let arrow = *allowed == EVERYTHING || allowed.contains(&seen.as_str());
            assert!(arrow, "there is no arrow from `{}` to `{seen}`", package.name);
        }
    }
}

#[test]
fn heavy_dependencies_have_one_owner() {
    for package in packages().iter().filter(|it| !AROUND.contains(&it.name.as_str())) {
        for dependency in &package.others {
            let name = dependency["name"].as_str().unwrap();
            let Some((_, owners)) = OWNERS.iter().find(|(owned, _)| *owned == name) else {
                continue;
            };
            let owner = owners.contains(&package.name.as_str());
            assert!(owner, "`{}` may not use {name}: it belongs to {owners:?}", package.name);
        }
    }
}

#[test]
fn the_databases_types_reach_no_further_than_storage() {
    for package in packages().iter().filter(|it| !AROUND.contains(&it.name.as_str())) {
        for dependency in &package.others {
            if dependency["name"] == "sqlx" && package.name == "model" {
                assert_eq!(dependency["optional"], true, "model has sqlx without its feature");
            }
        }
    }
    let metadata = metadata();
    for package in metadata["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let enabled = dependency["features"].as_array().unwrap();
            if dependency["name"] == "portico-model" && enabled.iter().any(|it| it == "sqlx") {
                assert_eq!(package["name"], "portico-storage");
            }
        }
    }
}

// A feature enters with a promise that needs it.
#[test]
fn no_crate_has_features_that_nothing_needs() {
    for package in metadata()["packages"].as_array().unwrap() {
        let features: Vec<_> = package["features"].as_object().unwrap().keys().collect();
        let expected: &[&str] = if package["name"] == "portico-model" { &["sqlx"] } else { &[] };
        assert_eq!(features, expected, "features of {}", package["name"]);
    }
}

/// Each package of the workspace with its normal dependencies.
fn packages() -> Vec<Package> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .map(|package| {
            let normal = |it: &&Value| it["kind"].is_null();
            let dependencies = package["dependencies"].as_array().unwrap();
            let (ours, others): (Vec<_>, Vec<_>) =
                dependencies.iter().filter(normal).cloned().partition(|it| it["path"].is_string());
            let ours = ours.iter().map(|it| bare(it["name"].as_str().unwrap())).collect();
            Package { name: bare(package["name"].as_str().unwrap()), ours, others }
        })
        .collect()
}

fn bare(name: &str) -> String {
    name.strip_prefix("portico-").unwrap_or(name).to_owned()
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(sources::root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}
