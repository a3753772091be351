# SPDX-License-Identifier: MIT
#
# Sourced by scripts that need their own X server: start_x_server sets DISPLAY to a new Xvfb with one 1024 x 768 screen,
# stop_x_server ends it. Nothing else on the machine is touched.

start_x_server() {
    local fifo
    fifo=$(mktemp -u)
    mkfifo "$fifo"
    Xvfb -displayfd 3 -screen 0 1024x768x24 -noreset -nolisten tcp 3>"$fifo" >/dev/null 2>&1 &
    x_server_pid=$!
    local number
    read -r -t 20 number <"$fifo" || number=
    rm -f "$fifo"
    if [ -z "$number" ]; then
        echo "Xvfb did not start" >&2
        return 1
    fi
    export DISPLAY=":$number"
}

stop_x_server() {
    [ -n "${x_server_pid:-}" ] && kill "$x_server_pid" 2>/dev/null && wait "$x_server_pid" 2>/dev/null
    x_server_pid=
}

# last_frame_of TOOLS_DIR OUT.png COMMAND...: runs a program that opens one window and ends by itself, and writes what
# the window showed last. TOOLS_DIR is tests/interop or tests/window of a build. Returns the program's exit status, or
# 125 when there is no image.
last_frame_of() {
    local tools=$1 out=$2
    shift 2
    rm -f "$out"
    coproc WATCH { exec timeout 120 "$tools/../window/last_frame" "$out"; }
    local watch_pid=$WATCH_PID ready
    read -r -t 20 ready <&"${WATCH[0]}"
    "$@"
    local status=$?
    wait "$watch_pid" 2>/dev/null
    [ -s "$out" ] || status=125
    return $status
}
