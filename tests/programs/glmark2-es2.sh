# SPDX-License-Identifier: MIT
#
# Scenes of glmark2 with OpenGL ES. Terrain and refraction sample textures far away, at levels that drivers round
# differently.
packages=(glmark2-es2-x11) through='zink' tolerance=(6 50)
cases=(build texture terrain refract jellyfish)
run_case() {
    use_zink
    still_frame 8 glmark2-es2 -s 320x240 -b "$1:nframes=20"
}
