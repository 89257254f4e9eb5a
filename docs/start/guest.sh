# A Linux client to try a server with, for scripts that source this: one guest, in which commands are run one after the other.
#
# `forebay lab guest` boots it and mounts; the shell in it takes commands from its standard input for as long as that is open, so that the
# guest goes when the script does, however that ends. It needs root, and the device /dev/net/tun.
# shellcheck shell=bash

# Where clients find the daemon.
NFS_SERVER=${NFS_SERVER:-localhost}
NFS_PORT=${NFS_PORT:-2049}

step() { printf '\n--- %s\n' "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}
# Writing to a guest that is gone is an error to be told, not the end of this shell.
trap '' PIPE

# Boots a guest that has the volume at this path mounted on /mnt and the path.
guest_start() {
    coproc GUEST { exec forebay lab guest --port "$NFS_PORT" --mount "$NFS_SERVER:$1"; }
    # Copies, which subshells have, too.
    exec {to_guest}>&"${GUEST[1]}" {from_guest}<&"${GUEST[0]}"
    guest_process=$GUEST_PID
    in_guest true
}

# Runs a command line in the guest; what it prints and its exit status are the function's.
in_guest() {
    local line status mark="done-$RANDOM$RANDOM"
    printf '{ %s\n} </dev/null; echo "%s $?"\n' "$*" "$mark" >&"$to_guest" || fail "the guest is gone: see above"
    while IFS= read -r line <&"$from_guest"; do
        if [[ $line != *"$mark "* ]]; then
            printf '%s\n' "$line"
            continue
        fi
        # What a command printed last may have no line's end.
        printf '%s' "${line%"$mark "*}"
        status=${line##*"$mark "}
        [ "$status" -eq 0 ] || printf 'in the guest, with status %s: %s\n' "$status" "$*" >&2
        return "$status"
    done
    fail "the guest ended while it did: $*"
}

# Unmounts, and ends the guest, if there is one.
guest_end() {
    [ -n "${to_guest:-}" ] || return 0
    local from=${GUEST[0]:-} to=${GUEST[1]:-}
    [ -z "$to" ] || eval "exec $to>&-"
    [ -z "$from" ] || eval "exec $from<&-"
    exec {to_guest}>&- {from_guest}<&-
    to_guest=
    wait "$guest_process"
}

# What a file of the guest's holds must be this.
expect_in_guest() {
    local held
    held=$(in_guest "cat '$1'")
    [ "$held" = "$2" ] || fail "$1 should hold '$2', and the guest sees '$held'"
    printf '%s holds: %s\n' "$1" "$held"
}

# Waits until a command succeeds, for at most a minute.
wait_until() {
    local until=$((SECONDS + 60))
    until "$@"; do
        [ "$SECONDS" -lt "$until" ] || fail "not within a minute: $*"
        sleep 1
    done
}
