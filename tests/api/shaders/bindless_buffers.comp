#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Storage { uint v[]; } storage[];
layout(set = 1, binding = 0) buffer Index { uint index[16]; };
layout(set = 1, binding = 1) buffer Result { uint result[16]; };

void main()
{
    const uint i = gl_LocalInvocationID.x;
    result[i] = storage[nonuniformEXT(index[i])].v[1];
}
