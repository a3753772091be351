#version 450
#extension GL_EXT_multiview : require
// A quad over the whole target for each instance, and what this stage reads as ViewIndex.
layout(location = 0) flat out ivec2 v_layer_view;
void main()
{
    v_layer_view = ivec2(gl_InstanceIndex, gl_ViewIndex);
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0, 0.5, 1.0);
}
