#version 450
// A point for each vertex, in a row; it has the bits of the attribute, or a sum of the bits of all attributes.
layout(location = 0) in TYPE a_value[COUNT];
layout(location = 0) flat out uvec4 v_bits;
uvec4 bits(vec4 v)
{
    return floatBitsToUint(v);
}
uvec4 bits(ivec4 v)
{
    return uvec4(v);
}
uvec4 bits(dvec2 v)
{
    return uvec4(unpackDouble2x32(v.x), unpackDouble2x32(v.y));
}
uvec4 bits(uvec4 v)
{
    return v;
}
void main()
{
    uvec4 sum = uvec4(0);
    for (int i = 0; i < COUNT; i++)
        sum = sum * 31u + bits(a_value[i]);
    v_bits = sum;
    gl_PointSize = 1.0;
    gl_Position = vec4((float(gl_VertexIndex) + 0.5) / 16.0 - 1.0, 0.0, 0.0, 1.0);
}
