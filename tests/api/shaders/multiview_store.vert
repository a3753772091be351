#version 450
#extension GL_EXT_multiview : require
// Each vertex counts itself, in each view.
layout(set = 0, binding = 0) buffer Counts { uint counts[]; };
void main()
{
    atomicAdd(counts[gl_ViewIndex], uint(gl_VertexIndex + 1));
    gl_Position = vec4(float(gl_VertexIndex & 1), float(gl_VertexIndex >> 1), 0.5, 1.0);
    gl_PointSize = 1;
}
