#version 450
layout(location = 40) out vec4 beyond;
void main()
{
    gl_Position = vec4(gl_VertexIndex & 1, gl_VertexIndex >> 1, 0, 1);
    beyond = vec4(gl_VertexIndex);
}
