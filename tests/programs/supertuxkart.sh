# SPDX-License-Identifier: MIT
#
# The start of a race, by the simpler of the game's two renderers.
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
    clocked=libSDL,libstdc++
    step_ms=5
    still_frame 20 supertuxkart --no-sound --no-start-screen --track=lighthouse --numkarts=2 --laps=1
}
