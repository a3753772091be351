#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    mat3x2 a = mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    mat2x3 b = mat2x3(v.xyz, v.yzw);
    mat2 c = a * b;
    o = vec4(c[0], v.xy * a == vec3(0.0) ? 1.0 : 2.0, (b * v.xy).z);
}
