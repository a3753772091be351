#version 450
layout(location = 0) flat in uvec4 x;
layout(location = 1) flat in uvec4 y;
layout(location = 0) out uvec4 color;
void main()
{
    color = uvec4(min(x.x, y.x), max(x.y, y.y), clamp(x.z, min(y.z, ~y.z), max(y.z, ~y.z)), x.w < y.w ? 1u : 0u);
}
