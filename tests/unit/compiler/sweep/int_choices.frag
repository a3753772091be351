#version 450
layout(location = 0) flat in ivec4 x;
layout(location = 1) flat in ivec4 y;
layout(location = 0) out ivec4 color;
void main()
{
    color = ivec4(min(x.x, y.x), max(x.y, y.y), abs(x.z), sign(x.w));
}
