#version 450
#extension GL_EXT_multiview : require
// Draws each triangle in the layer of its instance.
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) flat in ivec2 v_layer_view[];
layout(location = 0) flat out ivec3 g_layer_views;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        gl_Layer = v_layer_view[i].x;
        g_layer_views = ivec3(v_layer_view[i], gl_ViewIndex);
        EmitVertex();
    }
}
