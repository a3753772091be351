#version 450
// buffer 1.0 2.0
// out 1.0
layout(location = 0) in vec4 v;
layout(set = 0, binding = 1, std430) readonly buffer B { float a[]; };
layout(location = 0) out vec4 o;
void main()
{
    float x = a[int(v.x) + 1000000];
    o = vec4(x == x ? 1.0 : 1.0);
}
