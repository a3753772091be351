#version 450
// buffer 1.0 2.0 3.0 4.0
// out 5.0 5.0 5.0 5.0
layout(set = 0, binding = 0, std140) uniform U { vec4 a; };
layout(set = 0, binding = 1, std430) readonly buffer B { vec4 b; };
layout(location = 0) out vec4 o;
void main()
{
    o = a + b.wzyx;
}
