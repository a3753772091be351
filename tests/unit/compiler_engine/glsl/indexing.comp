#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Arrays of descriptors, indexed by lane.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; } outs[3];
layout(set = 0, binding = 1) readonly buffer In { uint words[]; } ins[4];
layout(set = 0, binding = 2) uniform Params { uvec4 words[4]; } params[2];
void main()
{
    uint i = gl_LocalInvocationIndex;
    uint x = ins[nonuniformEXT(i & 3u)].words[i] + params[nonuniformEXT(i & 1u)].words[i >> 2][i & 3u];
    outs[nonuniformEXT(i % 3u)].words[i] = x + uint(ins[nonuniformEXT(i & 3u)].words.length());
}
