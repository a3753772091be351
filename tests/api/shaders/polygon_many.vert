#version 450
// 14 attributes for each corner of a triangle, of which all but the first say how much to add; the number of the
// vertex, and an instance's own offset.
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 more[13];
layout(location = 14) in vec4 instance;
layout(location = 0) flat out vec4 v_flat;
layout(location = 1) out vec4 v_smooth;
void main()
{
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 13; i++)
        sum += more[i];
    gl_Position = vec4(position.xy + sum.xy + instance.xy, position.z, 1.0);
    gl_PointSize = 5.0;
    v_flat = vec4(float(gl_VertexIndex) / 16.0, 0.0, 0.0, 1.0);
    v_smooth = vec4(0.0, sum.z, 0.0, 1.0);
}
