#version 450
// Counts what is drawn at each pixel of 64 x 64, and all of it. MODE 1: kills every other pixel before, 2: afterwards,
// 3: asks for early tests.
#if MODE == 3
layout(early_fragment_tests) in;
#endif
layout(set = 0, binding = 0) buffer Counts {
    uint all, last_x;
    uint pixels[4096];
};
layout(location = 0) out vec4 color;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
#if MODE == 1
    if (((at.x ^ at.y) & 1) == 0)
        discard;
#endif
    atomicAdd(all, 1);
    last_x = at.x;
    atomicAdd(pixels[at.y * 64 + at.x], 1);
#if MODE == 2
    if (((at.x ^ at.y) & 1) == 0)
        discard;
#endif
    color = vec4(1.0);
}
