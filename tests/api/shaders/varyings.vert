#version 450
// 32 locations or fewer: SMOOTH of them interpolated, behind them FLAT ones that are not. Vertex 0 of a triangle over the
// whole target provokes; vertex 3 is a point in its middle.
#ifdef SMOOTH
layout(location = 0) out vec4 v_smooth[SMOOTH];
#endif
#ifdef FLAT
layout(location = FIRST) flat out ivec4 v_flat[FLAT];
#endif
out gl_PerVertex
{
    vec4 gl_Position;
    float gl_PointSize;
#ifdef CLIP
    float gl_ClipDistance[8];
#endif
};
void main()
{
    vec2 at = vec2(gl_VertexIndex == 1 ? 2.0 : 0.0, gl_VertexIndex == 2 ? 2.0 : 0.0);
    if (gl_VertexIndex == 3)
        at = vec2(0.5);
#ifdef SMOOTH
    for (int i = 0; i < 4 * SMOOTH; i++)
        v_smooth[i / 4][i % 4] = float(i + 1) * at.y;
#endif
#ifdef FLAT
    for (int i = 0; i < 4 * FLAT; i++)
        v_flat[i / 4][i % 4] = gl_VertexIndex % 3 == 0 ? i + 1 : 255;
#endif
#ifdef CLIP
    for (int i = 0; i < 8; i++)
        gl_ClipDistance[i] = i == 7 ? at.y - 0.25 : 1.0;
#endif
    gl_Position = vec4(at * 2.0 - 1.0, 0.5, 1.0);
    gl_PointSize = 128.0;
}
