#version 450
#extension GL_EXT_buffer_reference : require
// Vertices of two triangles, from the address in the push constants.
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Vertices { vec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Colours { vec4 of[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counter { uint n; };

layout(push_constant) uniform Push { Vertices vertices; Colours colours; Counter counter; };

layout(location = 0) flat out uint triangle;

void main()
{
    triangle = gl_VertexIndex / 3;
    gl_Position = vec4(vertices.at[gl_VertexIndex], 0.5, 1.0);
}
