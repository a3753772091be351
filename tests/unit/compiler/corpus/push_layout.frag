#version 450
// push 1.0 0 3.0 4.0 5.0 6.0 7.0 8.0 0 0 0 0 9
// out 9.0 4.0 7.0 9.0
layout(push_constant) uniform P { float a; vec2 b; vec3 c; float d; layout(offset = 48) int e; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(a + d, b.y, c.z, float(e));
}
