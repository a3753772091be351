// Breaks the rules: counts beyond what is declared, indices of no vertex, outputs without a place, tasks beyond the
// limits. STAGE: 0 task, 1 mesh. The push constant says what.
#version 460
#extension GL_EXT_mesh_shader : require

layout(local_size_x = 32) in;
layout(push_constant) uniform Push
{
    uint wrong;
};

#if STAGE == 0
taskPayloadSharedEXT uint words[16];

void main()
{
    words[gl_LocalInvocationIndex * wrong] = 7;
    if (gl_WorkGroupID.x == 1)
        EmitMeshTasksEXT(0xffffffffu, 0xffffffffu, 0xffffffffu);
    if (gl_WorkGroupID.x == 2)
        EmitMeshTasksEXT(65535, 65535, 1);
    if (gl_WorkGroupID.x == 3)
        return;
    EmitMeshTasksEXT(2, 1, 1);
}
#else
layout(triangles, max_vertices = 4, max_primitives = 3) out;
#ifdef PAYLOAD
taskPayloadSharedEXT uint words[16];
#endif
layout(location = 0) out vec4 color[];

void main()
{
    const uint i = gl_LocalInvocationIndex;
    SetMeshOutputsEXT(4 * wrong, 3 * wrong);
    gl_MeshVerticesEXT[i * wrong].gl_Position = vec4(i % 2 == 0 ? -1 : 1, i / 2 == 0 ? -1 : 1, 0.5, 1);
    color[i * wrong] = vec4(0, 1, 0, 1);
    if (i < 3)
        gl_PrimitiveTriangleIndicesEXT[i * wrong] = uvec3(0, 1, 2) * wrong;
#ifdef PAYLOAD
    if (words[i * wrong] == 8)
        color[0] = vec4(1);
#endif
}
#endif
