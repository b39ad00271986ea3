//! For whom and where a tool runs. Whether that is allowed was settled before.

use portico_model::{CallId, ConnectionId, PersonId, TenantId, WorkspaceId};

#[derive(Clone, Debug)]
pub struct Context {
    pub tenant: TenantId,
    /// The only one that the tool may read or change.
    pub workspace: Workspace,
    pub person: PersonId,
    pub connection: ConnectionId,
    pub call: CallId,
    /// Where the application shows its things to people, without a slash at the end. Tools leave
    /// their links out where there is no such place.
    pub links: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Workspace {
    pub id: WorkspaceId,
    pub name: String,
}

impl Context {
    /// The address of a thing; `path` begins with a slash.
    pub fn link(&self, path: &str) -> Option<String> {
        self.links.as_ref().map(|base| format!("{base}{path}"))
    }
}
