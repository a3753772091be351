#version 450
layout(location = 0) in vec4 a;
layout(location = 0) flat out uvec4 c;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    c = uvec4(gl_VertexIndex, 1u, 2u, 3u);
}
