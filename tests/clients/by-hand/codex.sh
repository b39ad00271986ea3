#!/bin/sh
# Codex: signs in as soon as the server is added, lists its tools, and calls one without a model.
#   codex.sh WELCOME      the line of `portico dev --json`, in a file
set -eu
[ -n "${PORTICO_PERSON:-}" ] || exec node "$(dirname "$0")/person.mjs" "$1" "$0"

export CODEX_HOME="$HOME/.codex"
mkdir -p "$CODEX_HOME"
codex --version
codex mcp add acme --url "$MCP_URL"
codex mcp list
exec node "$(dirname "$0")/codex.mjs"
