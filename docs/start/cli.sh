#!/usr/bin/env bash
# A volume, from its creation to its end, with the command line. Usage: cli.sh [VOLUME]
#
# As root on the daemon's machine, with `forebay` on the PATH; README.md says what each step does.
set -euo pipefail
# shellcheck source=docs/start/guest.sh
. "$(dirname "$(realpath "$0")")/guest.sh"

volume=${1:-start-cli}
file=/mnt/$volume/orders

traffic_is_seen() {
    # A line that says that something was written: its fourth word is a number other than 0.
    forebay volume traffic "$volume" --last 2m | awk 'NR > 1 && $4 + 0 > 0 { seen = 1 } END { exit !seen }'
}

step "create a volume"
forebay volume create "$volume" --size 10GiB
# Whatever fails: nothing stays behind.
trap 'guest_end || true; forebay volume delete "$volume" --force --yes >/dev/null 2>&1 || true' EXIT
forebay volume show "$volume"

step "mount it in a Linux guest, and write"
guest_start "/$volume"
in_guest "echo 'the first order' > $file && sync $file"
in_guest "dd if=/dev/urandom of=/mnt/$volume/load bs=1M count=32 conv=fsync 2>&1 | tail -n1"
expect_in_guest "$file" 'the first order'

step "watch it"
forebay nfs clients
wait_until traffic_is_seen
forebay volume traffic "$volume" --last 1m

step "take a snapshot, and change the file"
forebay snapshot create "$volume" before
in_guest "echo 'a mistake' > $file && sync $file"
expect_in_guest "$file" 'a mistake'

step "roll back: the client sees what was there before"
forebay volume rollback "$volume" --to before --yes
expect_in_guest "$file" 'the first order'

step "delete the volume"
guest_end
forebay volume delete "$volume" --force --yes
trap - EXIT
if forebay volume show "$volume" >/dev/null 2>&1; then fail "volume $volume is still there"; fi
step "all of it worked"
