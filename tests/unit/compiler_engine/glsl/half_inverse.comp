#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { f16vec4 columns[]; };
layout(std430, binding = 1) writeonly buffer Out { f16vec4 inverses[]; };
void main()
{
    f16vec4 m = columns[gl_GlobalInvocationID.x];
    f16mat2 n = inverse(f16mat2(m.xy, m.zw));
    inverses[gl_GlobalInvocationID.x] = f16vec4(n[0], n[1]);
}
