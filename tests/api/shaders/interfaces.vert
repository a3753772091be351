#version 450
// 128 components in all kinds of interpolation. Each has another value at each vertex, which depends on nothing but the
// numbers of the component and the vertex, so that no two can be taken for each other.
layout(location = 0) out vec4 v_smooth[8];
layout(location = 8) noperspective out vec4 v_linear[6];
layout(location = 14) centroid out vec4 v_centroid[6];
layout(location = 20) flat out ivec4 v_int[4];
layout(location = 24) flat out uvec4 v_uint[4];
layout(location = 28) OWN out vec4 v_own[4];
layout(location = 0) in vec4 position;
layout(location = 1) in uint number;
layout(push_constant) uniform Push {
    float point_size;
};
out gl_PerVertex
{
    vec4 gl_Position;
    float gl_PointSize;
#ifdef CLIP
    float gl_ClipDistance[8];
#endif
};

uint value(uint component)
{
    uint x = component * 97u + (number + uint(gl_InstanceIndex) * 31u) * 7919u + 1u;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return (x ^ x >> 16) & 255u;
}

vec4 values(uint location)
{
    return vec4(value(4u * location), value(4u * location + 1u), value(4u * location + 2u), value(4u * location + 3u)) / 255.0;
}

void main()
{
    for (uint i = 0u; i < 8u; i++)
        v_smooth[i] = values(i);
    for (uint i = 0u; i < 6u; i++)
        v_linear[i] = values(8u + i);
    for (uint i = 0u; i < 6u; i++)
        v_centroid[i] = values(14u + i);
    for (uint i = 0u; i < 4u; i++)
        v_int[i] = ivec4(value(80u + 4u * i), value(81u + 4u * i), value(82u + 4u * i), value(83u + 4u * i)) - 128;
    for (uint i = 0u; i < 4u; i++)
        v_uint[i] = uvec4(value(96u + 4u * i), value(97u + 4u * i), value(98u + 4u * i), value(99u + 4u * i)) << 24;
    for (uint i = 0u; i < 4u; i++)
        v_own[i] = values(28u + i);
    gl_Position = position;
    gl_Position.x += float(gl_InstanceIndex) * 0.25 * position.w;
    gl_PointSize = point_size;
#ifdef CLIP
    for (int i = 0; i < 8; i++)
        gl_ClipDistance[i] = i == 5 ? position.y + 0.3 * position.x + 0.5 : 1.0;
#endif
}
