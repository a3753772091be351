#version 450
// A triangle whose corners are points of 7 pixels where it is drawn as points.
void main()
{
    const vec2 corners[3] = vec2[](vec2(-0.5, -0.5), vec2(0.5, -0.5), vec2(-0.5, 0.5));
    gl_Position = vec4(corners[gl_VertexIndex], 0.0, 1.0);
    gl_PointSize = 7.0;
}
