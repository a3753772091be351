#version 450
layout(location = 0) flat in ivec4 x;
layout(location = 1) flat in ivec4 y;
layout(location = 0) out ivec4 color;
void main()
{
    color = ivec4(x.x / y.x, x.y % y.y, x.z * y.z, -x.w);
}
