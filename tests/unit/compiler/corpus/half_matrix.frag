#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    f16mat3 m = f16mat3(f16vec3(v.x), f16vec3(v.y, 1, 2), f16vec3(0.5, v.w, v.z));
    f16mat3 n = m * transpose(m);
    f16vec3 r = n * f16vec3(v.wyz) + cross(m[1], m[2]);
    o = vec4(r * float16_t(0.125), determinant(m));
}
