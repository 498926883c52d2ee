#!/usr/bin/env bash
# Makes this machine a node of a Ray cluster, until Ctrl-C:
#
#     deploy/start-node.sh head ADDRESS          the first machine; ADDRESS is its own, in the private network
#     deploy/start-node.sh HEAD_ADDRESS ADDRESS  every other machine
#
# All nodes need the same file ~/.ray/auth_token, which `ray get-auth-token --generate` makes on the head.
set -euo pipefail

if [ $# -ne 2 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
head=$1
own=$2

export RAY_AUTH_MODE=token
export RAY_USAGE_STATS_ENABLED=0

options=(
    --block
    --node-ip-address "$own"
    --node-manager-port 6380
    --object-manager-port 6381
    --runtime-env-agent-port 6382
    --dashboard-agent-listen-port 6383
    --dashboard-agent-grpc-port 6384
    --metrics-export-port 6385
    --min-worker-port 10002
    --max-worker-port 10999
)
if [ "$head" = head ]; then
    exec ray start --head --port 6379 --include-dashboard false "${options[@]}"
fi
exec ray start --address "$head:6379" "${options[@]}"
