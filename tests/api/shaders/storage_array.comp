#version 450
/* Elements of arrays of descriptors, by an index that differs between subgroups and one that differs between lanes. */
layout(local_size_x = 32) in;
layout(binding = 0, r32ui) uniform uimage2D images[4];
layout(binding = 1) uniform Number { uint number; } uniforms[4];
layout(push_constant) uniform Push { uint first; } push;

void main()
{
    uint i = gl_LocalInvocationID.x, which = (push.first + gl_WorkGroupID.x) & 3u;
    uint was = imageLoad(images[which], ivec2(i, 0)).x;
    imageStore(images[which], ivec2(i, 0), uvec4(was + 10u * uniforms[which ^ 1u].number + i));
}
