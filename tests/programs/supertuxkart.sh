# SPDX-License-Identifier: MIT
#
# The game's first screen, by the simpler of its two renderers.
packages=(supertuxkart) through='zink, SDL 2'
run_case() {
    mkdir -p "$XDG_CONFIG_HOME/supertuxkart/config-0.10"
    cat >"$XDG_CONFIG_HOME/supertuxkart/config-0.10/config.xml" <<'XML'
<?xml version="1.0"?>
<stkconfig version="8">
    <Video real_width="640" real_height="480" fullscreen="false" />
    <GFX dynamic_lights="false" geometry_level="0" anisotropic="0" />
</stkconfig>
XML
    use_zink
    clocked=libSDL
    step_ms=5
    still_frame 30 supertuxkart --no-sound
}
