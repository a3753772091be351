#version 450
layout(location = 0) out uvec4 o;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    o = uvec4(at, at.x ^ at.y, at.x * 16u + at.y);
}
