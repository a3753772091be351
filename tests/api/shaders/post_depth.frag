#version 450
#extension GL_ARB_post_depth_coverage : enable
// Writes the samples that are left, before or after the tests.
layout(early_fragment_tests) in;
#ifdef POST
layout(post_depth_coverage) in;
#endif
layout(location = 0) out vec4 color;
#ifdef STORES
layout(binding = 0) buffer Masks { int masks[]; };
#endif
void main()
{
    int mask = gl_SampleMaskIn[0];
#ifdef STORES
    masks[int(gl_FragCoord.y) * 48 + int(gl_FragCoord.x)] = mask + 1;
#endif
    color = vec4(float(mask) * 16 / 255, 0, 0, 1);
}
