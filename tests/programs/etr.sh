# SPDX-License-Identifier: MIT
#
# Extreme Tux Racer's first menu.
packages=(extremetuxracer) through='zink, SFML'
run_case() {
    use_zink
    clocked=libsfml
    still_frame 30 etr
}
