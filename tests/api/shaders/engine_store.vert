#version 450
// Each vertex counts itself and leaves a trace; instances too.
layout(set = 0, binding = 0) buffer Counts {
    uint all, last_x;
    uint vertices[4096];
};
void main()
{
    atomicAdd(all, 1);
    atomicAdd(vertices[gl_InstanceIndex * 64 + gl_VertexIndex], uint(gl_VertexIndex * 3 + 1));
    gl_Position = vec4(float(gl_VertexIndex) / 32.0 - 1.0 + 1.0 / 64.0, -0.5 + gl_InstanceIndex * 0.5, 0.5, 1.0);
    gl_PointSize = 1.0;
}
