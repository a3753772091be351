# SPDX-License-Identifier: MIT
#
# The first view of a level.
packages=(openarena) through='zink, ioquake3'
run_case() {
    use_zink
    step_ms=1
    still_frame 60 openarena +set r_fullscreen 0 +set r_mode 3 +set s_initsound 0 +set com_introplayed 1 +map oa_dm1
}
