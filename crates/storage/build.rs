//! Migrations are compiled in; without this a new one would not rebuild the crate.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
    println!("cargo::rerun-if-changed=sqlx.toml");
}
