#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec2 coord[];
layout(location = 0) out vec2 emitted_coord;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        emitted_coord = coord[i];
        EmitVertex();
    }
}
