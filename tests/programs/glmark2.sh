# SPDX-License-Identifier: MIT
#
# Scenes of glmark2.
packages=(glmark2-x11) through='zink'
cases=(build texture shading:shading=blinn-phong-inf shading:shading=cel bump:bump-render=high-poly
    effect2d:kernel='1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;' pulsar desktop:effect=shadow:windows=4 buffer:update-method=subdata
    conditionals:fragment-steps=5:vertex-steps=5 function:fragment-complexity=medium:fragment-steps=5
    loop:fragment-loop=false:fragment-steps=5:vertex-steps=5 ideas jellyfish terrain shadow refract clear)
# Terrain and refraction sample textures far away, at levels that drivers round differently.
tolerance_of() { [ "$1" != terrain ] && [ "$1" != refract ] || echo 6 40; }
run_case() {
    use_zink
    still_frame 8 glmark2 -s 320x240 -b "$1:nframes=20"
}
