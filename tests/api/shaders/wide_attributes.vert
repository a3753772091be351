// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
/* A point for each vertex and instance, in the column of the sum of their numbers. It has four words of the attribute,
 * or of a sum over all attributes: the first two components in the upper row, the others in the lower one. */
layout(push_constant) uniform Push
{
    uint row;
};
layout(location = 0) in TYPE a_value[COUNT];
#ifdef CAPTURED
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32) flat out TYPE v_value;
#else
layout(location = 0) flat out uvec4 v_bits;
#endif

#if COMPONENTS == 1
#define component(v, i) v
#else
#define component(v, i) v[i]
#endif

uvec2 bits(double v)
{
    return unpackDouble2x32(v);
}

uvec2 bits(int64_t v)
{
    return uvec2(unpackInt2x32(v));
}

uvec2 bits(uint64_t v)
{
    return unpackUint2x32(v);
}

void main()
{
#ifdef CAPTURED
    v_value = a_value[0];
#else
    uvec2 sums[4] = uvec2[4](uvec2(0), uvec2(0), uvec2(0), uvec2(0));
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COMPONENTS; k++)
            sums[k] = sums[k] * 31u + bits(component(a_value[i], k));
    v_bits = row == 0 ? uvec4(sums[0], sums[1]) : uvec4(sums[2], sums[3]);
#endif
    gl_PointSize = 1.0;
    gl_Position = vec4((float(gl_VertexIndex + gl_InstanceIndex) + 0.5) / 16.0 - 1.0, float(row) - 0.5, 0.0, 1.0);
}
