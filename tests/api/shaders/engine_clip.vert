#version 450
// The whole target, but for what lies left of a slanted line.
out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[1];
};
void main()
{
    vec2 at = vec2(float(gl_VertexIndex & 1), float(gl_VertexIndex >> 1)) * 2.0 - 1.0;
    gl_Position = vec4(at, 0.5, 1.0);
    gl_ClipDistance[0] = at.x + 0.3 + 0.21 * at.y;
}
