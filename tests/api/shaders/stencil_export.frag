#version 450
#extension GL_ARB_shader_stencil_export : require
// The reference value is a function of the fragment's place, and with SAMPLES of its sample.
layout(push_constant) uniform Push { int per_x, per_y, constant, discard_every; } push;
layout(location = 0) out vec4 color;
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
#ifdef SAMPLES
    int number = gl_SampleID * 37;
#else
    int number = 0;
#endif
    gl_FragStencilRefARB = (at.x * push.per_x + at.y * push.per_y + push.constant + number) & 255;
#ifdef DEPTH
    gl_FragDepth = ((at.x + at.y) & 1) == 0 ? 0.25 : 0.75;
#endif
    if (push.discard_every != 0 && (at.x + 3 * at.y) % push.discard_every == 0)
        discard;
    color = vec4(1, 0, 0, 1);
}
