#version 450
#extension GL_EXT_multiview : require
// The left half of the target in view 0, the right half in others: a triangle strip of four.
void main()
{
    float x = float(gl_VertexIndex & 1) - (gl_ViewIndex == 0 ? 1.0 : 0.0);
    gl_Position = vec4(x, float(gl_VertexIndex >> 1) * 2.0 - 1.0, 0.5, 1.0);
}
