#version 450
#extension GL_EXT_debug_printf : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Arguments of all types, in lanes that run and lanes that do not; as many messages as asked for.
layout(local_size_x = 20) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uint rounds; };

void twice(uint i)
{
    debugPrintfEXT("%u twice", i);
}

void main()
{
    const uint i = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
    if (i % 3u == 1u) {
        debugPrintfEXT("%u/%u %1.1v3f %d %d %x", i, group, vec3(i, 0.5, -1.0), -int(i), i > 9u, 0xbeefu);
        debugPrintfEXT("%u/%u %ld %lx %.2f", i, group, -int64_t(i), uint64_t(i) << 36, double(i) / 4.0);
        debugPrintfEXT("%u/%u %d %u %.3v2f", i, group, int8_t(-int(i)), uint16_t(65535u - i), f16vec2(float(i) * 0.125, -2.0));
    }
    twice(i + 100u * group);
    twice(i + 100u * group);
    for (uint n = 0u; n < rounds; n++)
        debugPrintfEXT("round");
    words[i + 20u * group] = i;
}
