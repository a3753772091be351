#version 450
#extension GL_EXT_demote_to_helper_invocation : require
// Every other column is demoted: derivatives still see it, stores do not happen, and it says that it is a helper.
layout(set = 0, binding = 0) buffer Counts {
    uint all, helpers;
    uint pixels[4096];
};
layout(location = 0) out vec4 color;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    bool was = helperInvocationEXT();
    if ((at.x & 1) == 1)
        demote;
    float slope = dFdx(gl_FragCoord.x * gl_FragCoord.x);
    atomicAdd(all, 1);
    if (was || helperInvocationEXT())
        pixels[at.y * 64 + at.x] = 7; // of those that do not store
    else
        pixels[at.y * 64 + at.x] = uint(slope);
    color = vec4(1.0);
}
