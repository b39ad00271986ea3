//! One identifier type per noun.

crate::column::ids! {
    TenantId,
    AccountId,
    WorkspaceId,
    PersonId,
    ClientId,
    /// An authorization request that waits for a person.
    RequestId,
    ConnectionId,
    CallId,
    BoardId,
    ColumnId,
    CardId,
}

#[cfg(test)]
mod tests {
    use super::WorkspaceId;

    #[test]
    fn only_the_form_we_print_is_read() {
        let id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(id.parse::<WorkspaceId>().unwrap().to_string(), id);
        for other in
            ["0190a1b2c3d47e5f8a9b0c1d2e3f4a5b", "{0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}", "1", ""]
        {
            assert!(other.parse::<WorkspaceId>().is_err(), "{other}");
        }
    }
}
