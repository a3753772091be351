#version 450
// Kills every other pixel. EARLY: after the tests, and after samples are counted. DEPTH: writes depth by column instead.
#ifdef EARLY
layout(early_fragment_tests) in;
#endif
layout(location = 0) out vec4 color;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
#ifdef DEPTH
    gl_FragDepth = float(at.x) / 64.0;
#else
    if (((at.x ^ at.y) & 1) == 0)
        discard;
#endif
    color = vec4(1.0);
}
