#version 450
// An input and a place of the sample's own, read in control flow that quads do not share.
layout(location = 0) sample in float v_alpha;
layout(location = 1) flat in float v_flat;
layout(location = 2) noperspective in float v_linear;
layout(location = 0) out vec4 o_color;
void main()
{
    vec2 at = fract(gl_FragCoord.xy);
    o_color = vec4(at, v_alpha, v_linear);
    if ((int(gl_FragCoord.x) & 1) == 0)
        o_color.x = v_flat * v_alpha;
}
