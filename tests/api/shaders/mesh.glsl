// Meshlets in buffers, drawn by mesh shaders, with or without a task stage before them, or by a vertex shader that reads
// the same buffers. Both give the same picture.
//
// STAGE: 0 vertex, 1 mesh, 2 task, 3 fragment. CORNERS: of a primitive. SIZE: invocations of a mesh workgroup.
// TASKS: there is a task stage. SPLIT: words belong to primitives. TARGETS: primitives select layers and viewports.
// DISTANCES: clip and cull distances. VIEWS: multiview.
#version 460
#if STAGE == 1 || STAGE == 2 || (STAGE == 3 && defined MESH)
#extension GL_EXT_mesh_shader : require
#define PER_PRIMITIVE perprimitiveEXT
#else
#define PER_PRIMITIVE flat
#endif
#ifdef TARGETS
#extension GL_ARB_shader_viewport_layer_array : require
#endif
#ifdef VIEWS
#extension GL_EXT_multiview : require
#endif
#ifndef SIZE
#define SIZE 32
#endif
#ifndef CORNERS
#define CORNERS 3
#endif

struct Meshlet {
    uint first_vertex, vertices, first_primitive, primitives;
};
struct Vertex {
    vec4 position, color;
};
struct Primitive {
    uint indices;      // of the meshlet, a byte each
    uint first_vertex; // of the meshlet
    uint color, flags; // flags: 1 culled, 2 and 4 layer, 8 and 16 viewport
};

#if STAGE < 3
layout(set = 0, binding = 0) readonly buffer Meshlets
{
    Meshlet meshlets[];
};
layout(set = 0, binding = 1) readonly buffer Vertices
{
    Vertex vertices[];
};
layout(set = 0, binding = 2) readonly buffer Primitives
{
    Primitive primitives[];
};
layout(push_constant) uniform Push
{
    uint meshlet_count, per_task;
};

#if STAGE < 2
vec4 position_of(Vertex v)
{
    vec4 position = v.position;
#ifdef VIEWS
    position.x += 0.1 * float(gl_ViewIndex) * position.w;
#endif
    return position;
}
#endif
#endif

#if STAGE == 0
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 primitive_color;

void main()
{
    Primitive p = primitives[gl_VertexIndex / CORNERS];
    Vertex v = vertices[p.first_vertex + (p.indices >> 8 * (gl_VertexIndex % CORNERS) & 255)];
    gl_Position = (p.flags & 1) != 0 ? vec4(2, 2, 2, 1) : position_of(v);
    gl_PointSize = 1 + 8 * v.color.a;
    color = v.color;
    primitive_color = unpackUnorm4x8(p.color);
#ifdef TARGETS
    gl_Layer = int(p.flags >> 1 & 3);
    gl_ViewportIndex = int(p.flags >> 3 & 3);
#endif
#ifdef DISTANCES
    gl_ClipDistance[0] = v.position.x + 0.4;
    gl_ClipDistance[1] = 0.6 - v.position.y;
    gl_CullDistance[0] = v.color.r - 0.3;
#endif
}
#endif

#if defined TASKS && (STAGE == 1 || STAGE == 2)
struct Payload {
    uint first, count;
    bool is_reversed;
};
taskPayloadSharedEXT Payload payload;
#endif

#if STAGE == 1
layout(local_size_x = SIZE) in;
#if CORNERS == 3
layout(triangles, max_vertices = 256, max_primitives = 256) out;
#elif CORNERS == 2
layout(lines, max_vertices = 256, max_primitives = 256) out;
#else
layout(points, max_vertices = 256, max_primitives = 256) out;
#endif

out gl_MeshPerVertexEXT
{
    vec4 gl_Position;
    float gl_PointSize;
#ifdef DISTANCES
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
#endif
} gl_MeshVerticesEXT[];

layout(location = 0) out vec4 color[];
#ifdef SPLIT
layout(location = 1) perprimitiveEXT out vec4 primitive_color[];
#endif

shared uint first_vertex;

void main()
{
    const uint in_grid =
        gl_WorkGroupID.x + gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
#ifdef TASKS
    uint number = payload.first + (payload.is_reversed ? payload.count - 1 - in_grid : in_grid);
#else
    uint number = in_grid;
#endif
    const bool is_there = number < meshlet_count;
    Meshlet m = meshlets[is_there ? number : 0];
    if (gl_LocalInvocationIndex == 0)
        first_vertex = m.first_vertex;
    SetMeshOutputsEXT(is_there ? m.vertices : 0, is_there ? m.primitives : 0);
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < m.vertices; i += SIZE) {
        Vertex v = vertices[first_vertex + i];
        gl_MeshVerticesEXT[i].gl_Position = position_of(v);
        gl_MeshVerticesEXT[i].gl_PointSize = 1 + 8 * v.color.a;
        color[i] = v.color;
#ifdef DISTANCES
        gl_MeshVerticesEXT[i].gl_ClipDistance[0] = v.position.x + 0.4;
        gl_MeshVerticesEXT[i].gl_ClipDistance[1] = 0.6 - v.position.y;
        gl_MeshVerticesEXT[i].gl_CullDistance[0] = v.color.r - 0.3;
#endif
    }
    for (uint i = gl_LocalInvocationIndex; i < m.primitives; i += SIZE) {
        Primitive p = primitives[m.first_primitive + i];
#if CORNERS == 3
        gl_PrimitiveTriangleIndicesEXT[i] = uvec3(p.indices, p.indices >> 8, p.indices >> 16) & 255;
#elif CORNERS == 2
        gl_PrimitiveLineIndicesEXT[i] = uvec2(p.indices, p.indices >> 8) & 255;
#else
        gl_PrimitivePointIndicesEXT[i] = p.indices & 255;
#endif
        gl_MeshPrimitivesEXT[i].gl_CullPrimitiveEXT = (p.flags & 1) != 0;
#ifdef SPLIT
        primitive_color[i] = unpackUnorm4x8(p.color);
        gl_MeshPrimitivesEXT[i].gl_PrimitiveID = int(m.first_primitive + i);
#endif
#ifdef TARGETS
        gl_MeshPrimitivesEXT[i].gl_Layer = int(p.flags >> 1 & 3);
        gl_MeshPrimitivesEXT[i].gl_ViewportIndex = int(p.flags >> 3 & 3);
#endif
    }
}
#endif

#if STAGE == 2
layout(local_size_x = 16, local_size_y = 2) in;

shared uint sum;

void emit(uint count)
{
    EmitMeshTasksEXT(count, 1, 1);
}

// Each task has some of the meshlets: the first of them one, every fifth none.
void main()
{
    const uint number = gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y;
    if (gl_LocalInvocationIndex == 0) {
        payload.first = number * per_task;
        payload.count = 0;
        sum = 0;
    }
    barrier();
    if (gl_LocalInvocationIndex < per_task && number * per_task + gl_LocalInvocationIndex < meshlet_count) {
        atomicAdd(payload.count, 1);
        atomicAdd(sum, 1);
    }
    barrier();
    payload.is_reversed = (number & 1) != 0;
    if (payload.count != sum)
        return;
    if (sum == 0)
        emit(0);
    else if (sum % 2 == 0)
        EmitMeshTasksEXT(2, sum / 2, 1);
    EmitMeshTasksEXT(1, 1, sum);
}
#endif

#if STAGE == 3
layout(location = 0) in vec4 color;
layout(location = 1) PER_PRIMITIVE in vec4 primitive_color;
layout(location = 0) out vec4 result;

void main()
{
    result = vec4(color.rgb, 1);
#ifdef SPLIT
    result = vec4(0.5 * color.rgb + 0.25 * primitive_color.rgb + 0.0625 * vec3(gl_PrimitiveID & 3), 1);
#endif
}
#endif
