#version 450
// A row of points; each draws a number, notes it and hands it on.
layout(set = 0, binding = 0) buffer Counts {
    uint all, last_x;
    uint vertices[4096];
};
layout(location = 0) flat out uvec4 ticket;
void main()
{
    uint mine = atomicAdd(all, 1u) + 1u;
    vertices[gl_InstanceIndex * 64 + gl_VertexIndex] = mine;
    ticket = uvec4(mine, mine * 3u, gl_VertexIndex, ~mine);
    gl_Position = vec4(float(gl_VertexIndex) / 32.0 - 1.0 + 1.0 / 64.0, -0.5 + gl_InstanceIndex * 0.5 + 1.0 / 64.0, 0.5, 1.0);
    gl_PointSize = 1.0;
}
