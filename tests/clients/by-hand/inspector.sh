#!/bin/sh
# MCP Inspector's command line: signs in, which wants a terminal, lists the tools in both eras with
# its strictest reading of them, and calls one.
#   inspector.sh WELCOME      the line of `portico dev --json`, in a file
set -eu
[ -n "${PORTICO_PERSON:-}" ] || exec node "$(dirname "$0")/person.mjs" "$1" "$0"

# Otherwise each command signs in anew.
export MCP_INSPECTOR_SECRET_STORE=file
inspect() {
  script -qec "mcp-inspector --cli $MCP_URL --transport http $*" /dev/null
}
inspect --method tools/list --strict --protocol-era legacy
inspect --method tools/list --strict --protocol-era modern
inspect --method tools/call --tool-name list_workspaces
