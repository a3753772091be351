#version 450
layout(points) in;
layout(points, max_vertices = 1) out;
layout(location = 0) flat in uvec4 v_bits[];
layout(location = 0) flat out uvec4 g_bits;
void main()
{
    g_bits = v_bits[0];
    gl_PointSize = 1.0;
    gl_Position = gl_in[0].gl_Position;
    EmitVertex();
}
