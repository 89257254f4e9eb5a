#!/usr/bin/env bash
# A volume, from its creation to its end, with curl. Usage: TOKEN=fb_... rest.sh [VOLUME]
#
# As root on the daemon's machine; README.md says what each step does. API is where the daemon's API is, http://127.0.0.1:8049 if not set.
set -euo pipefail
# shellcheck source=docs/start/guest.sh
. "$(dirname "$(realpath "$0")")/guest.sh"

volume=${1:-start-rest}
file=/mnt/$volume/orders
API=${API:-http://127.0.0.1:8049}
[ -n "${TOKEN:-}" ] || fail "TOKEN is not set; on the daemon's machine: TOKEN=\$(forebay token create)"

# METHOD PATH [BODY]: prints the answer; anything but 2xx is an error, whose message says what to do.
ask() {
    local answer status
    answer=$(curl --silent --show-error --request "$1" --write-out '\n%{http_code}' --header "Authorization: Bearer $TOKEN" \
        ${3:+--header 'Content-Type: application/json' --data "$3"} "$API/api/v1$2")
    status=${answer##*$'\n'}
    printf '%s\n' "${answer%$'\n'*}"
    [[ $status == 2* ]] || {
        printf '%s %s: %s\n' "$1" "$2" "$status" >&2
        return 1
    }
}

traffic_is_seen() {
    # The highest value of some point is not 0.
    ask GET "/metrics/history?series=volume/$volume/write" | grep -o '"max":\[[^]]*\]' | grep -q '[1-9]'
}

step "create a volume"
ask POST /volumes "{\"name\": \"$volume\", \"size\": 10737418240}"
# Whatever fails: nothing stays behind.
trap 'guest_end || true; ask DELETE "/volumes/$volume?force=true" >/dev/null 2>&1 || true' EXIT
ask GET "/volumes/$volume" | grep -q "\"path\":\"/$volume\"" || fail "volume $volume is not where it should be"

step "mount it in a Linux guest, and write"
guest_start "/$volume"
in_guest "echo 'the first order' > $file && sync $file"
in_guest "dd if=/dev/urandom of=/mnt/$volume/load bs=1M count=32 conv=fsync 2>&1 | tail -n1"
expect_in_guest "$file" 'the first order'

step "watch it"
ask GET /nfs/clients | grep -q '"total":[1-9]' || fail "no NFS client is listed"
wait_until traffic_is_seen
ask GET "/metrics/history?series=volume/$volume/write&from=$(($(date +%s) - 60))"

step "take a snapshot, and change the file"
ask POST "/volumes/$volume/snapshots" '{"name": "before"}'
in_guest "echo 'a mistake' > $file && sync $file"
expect_in_guest "$file" 'a mistake'

step "roll back: the client sees what was there before"
ask POST "/volumes/$volume/snapshots/before/rollback"
expect_in_guest "$file" 'the first order'

step "delete the volume"
guest_end
ask DELETE "/volumes/$volume?force=true"
trap - EXIT
if ask GET "/volumes/$volume" >/dev/null 2>&1; then fail "volume $volume is still there"; fi
step "all of it worked"
