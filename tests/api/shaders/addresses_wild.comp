#version 450
#extension GL_EXT_buffer_reference : require
// Loads from and stores to an address that may be nowhere: results.w[i] is what the load gave, plus one.
layout(local_size_x = 16) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w[]; };

layout(push_constant) uniform Push { Words anywhere, results; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    anywhere.w[i] = 0x55555555;
    results.w[i] = anywhere.w[i] + 1;
}
