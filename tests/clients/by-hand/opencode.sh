#!/bin/sh
# OpenCode: signs in, which wants a terminal, and says whether it is connected.
#   opencode.sh WELCOME      the line of `portico dev --json`, in a file
set -eu
[ -n "${PORTICO_PERSON:-}" ] || exec node "$(dirname "$0")/person.mjs" "$1" "$0"

opencode --version
config="$XDG_CONFIG_HOME/opencode"
mkdir -p "$config"
printf '{"mcp":{"acme":{"type":"remote","url":"%s"}}}' "$MCP_URL" >"$config/opencode.json"
cd "$HOME"
script -qec 'opencode mcp auth acme' /dev/null
opencode mcp list
