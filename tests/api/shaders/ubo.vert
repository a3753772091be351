#version 450
// Positions and colours pulled from a uniform buffer by vertex index.
layout(set = 0, binding = 0) uniform U { vec4 position[6]; vec4 color[6]; };
layout(location = 0) out vec4 v_color;
void main()
{
    gl_Position = position[gl_VertexIndex];
    v_color = color[gl_VertexIndex];
}
