#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 20) in;
layout(push_constant) uniform Push { uint rounds; };

void main()
{
    const uint i = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
    if (i % 2u == 1u)
        debugPrintfEXT("%u of %02u: %1.1v3f, %d, %x", i, group, vec3(i, 0.5, -1.0), -int(i), i > 9u ? 0xabcdu : 7u);
    for (uint n = 0u; n < rounds; n++)
        debugPrintfEXT("round");
}
