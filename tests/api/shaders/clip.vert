#version 450
// A quad over everything, in perspective, of which clip distances leave a corner; another one for the second instance.
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    float side = gl_InstanceIndex == 0 ? 1.0 : -1.0;
    gl_ClipDistance[0] = side * (corner.x + 0.3 * corner.y) - 0.4;
    gl_ClipDistance[1] = 0.5 - side * corner.y;
    gl_Position = vec4(corner, 0.25, 1.0) * (1.5 + 0.5 * corner.x);
}
