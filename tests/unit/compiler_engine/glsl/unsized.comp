#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Arrays of descriptors without a size, indexed by lane beyond their end.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Out { uint words[16]; } outs[];
layout(set = 0, binding = 1) readonly buffer In { uint word; } ins[];
void main()
{
    uint i = gl_LocalInvocationIndex;
    outs[0].words[i] = ins[nonuniformEXT(i)].word;
}
