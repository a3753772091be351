#version 450
#extension GL_EXT_buffer_reference : require
// The colour of the triangle, from the address in the push constants. With COUNTS, also counts its fragments.
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Vertices { vec2 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Colours { vec4 of[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counter { uint n; };

layout(push_constant) uniform Push { Vertices vertices; Colours colours; Counter counter; };

layout(location = 0) flat in uint triangle;
layout(location = 0) out vec4 colour;

void main()
{
    colour = colours.of[triangle];
#ifdef COUNTS
    atomicAdd(counter.n, 1);
#endif
}
