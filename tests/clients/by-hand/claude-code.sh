#!/bin/sh
# Claude Code: signs in, which wants a terminal, and says whether it is connected. No model is
# asked, and nothing more is done with it than a person does who adds a server.
#   claude-code.sh WELCOME      the line of `portico dev --json`, in a file
set -eu
[ -n "${PORTICO_PERSON:-}" ] || exec node "$(dirname "$0")/person.mjs" "$1" "$0"

claude --version
claude mcp add --transport http acme "$MCP_URL"
script -qec 'claude mcp login acme' /dev/null
claude mcp list
