# SPDX-License-Identifier: MIT
#
# A small scene of the game engine Godot 3 (godot/) with both of its renderers.
packages=(godot3) through='zink, Godot 3'
cases=(GLES3 GLES2)
run_case() {
    use_zink
    frame 5 godot3 --path "$here/godot" --video-driver "$1" --audio-driver Dummy
}
