# SPDX-License-Identifier: MIT
#
# The game's title, without anisotropic filters, which differ between drivers.
packages=(neverball) through='zink, SDL 2'
run_case() {
    mkdir -p "$HOME/.neverball"
    printf 'aniso 0\nwidth 400\nheight 300\nfullscreen 0\n' >"$HOME/.neverball/neverballrc"
    use_zink
    clocked=libSDL
    still_frame 30 neverball
}
