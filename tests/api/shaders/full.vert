#version 450
// A quad over the whole target from gl_VertexIndex: a triangle strip of four.
layout(location = 0) out vec2 v_uv;
void main()
{
    v_uv = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(v_uv * 2.0 - 1.0, 0.5, 1.0);
}
