#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_ARB_gpu_shader_int64 : require
layout(location = 0) in uvec4 a;
layout(location = 0) out vec4 c;
layout(location = 1) flat out uint64_t product;
void main()
{
    uint64_t x = packUint2x32(a.xy), y = packUint2x32(a.zw);
    product = x * y;
    gl_Position = vec4(float(x / 1000003ul & 255ul) * 0.005 - 0.5, float(int64_t(y) >> 60) * 0.1, 0.5, 1.0);
    c = vec4(float(product >> 56) / 255.0, x < y, float(abs(int64_t(x)) % 7l) * 0.125, 1.0);
}
