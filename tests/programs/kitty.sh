# SPDX-License-Identifier: MIT
#
# A terminal.
packages=(kitty) through='zink'
run_case() {
    use_zink
    frame 3 kitty --config NONE -o cursor_blink_interval=0 -o update_check_interval=0 sh -c 'seq 1 20; sleep 100'
}
