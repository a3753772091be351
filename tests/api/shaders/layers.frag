#version 450
#extension GL_EXT_multiview : require
// Red where ViewIndex is 0 in all stages and Layer is the layer. Otherwise white, or with green (vertex stage) or blue
// (geometry stage) added.
layout(location = 0) flat in ivec3 g_layer_views;
layout(location = 0) out vec4 o_color;
void main()
{
    bool is_right = gl_ViewIndex == 0 && gl_Layer == g_layer_views.x;
    o_color = !is_right ? vec4(1.0) : vec4(1.0, notEqual(g_layer_views.yz, ivec2(0)), 1.0);
}
