#version 450
layout(location = 0) out vec4 c;
void main()
{
    float x = float(gl_VertexIndex & 1), y = float(gl_VertexIndex >> 1);
    gl_Position = vec4(x * 2.0 - 1.0, y * 0.25 - 1.0, 0.5, 1.0);
    c = vec4(x, y * 0.125, 0.0, 1.0);
}
