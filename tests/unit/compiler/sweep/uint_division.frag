#version 450
layout(location = 0) flat in uvec4 x;
layout(location = 1) flat in uvec4 y;
layout(location = 0) out uvec4 color;
void main()
{
    color = uvec4(x.x / y.x, x.y % y.y, x.z >> (y.z & 31u), x.w << (y.w & 31u));
}
