#version 450
// One access at each place of a box that is larger than the image: from 2 slices before its first one on.
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0, FORMAT) uniform uimage3D image;
layout(binding = 1) uniform usampler3D whole;
layout(std430, binding = 2) buffer Words { uvec4 sizes[2]; uint words[]; };
layout(push_constant) uniform Push { uint mode; };

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID) - ivec3(0, 0, 2);
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uint index = (gl_GlobalInvocationID.z * size.y + gl_GlobalInvocationID.y) * size.x + gl_GlobalInvocationID.x;
    if (mode == 0u) {
        sizes[0] = uvec4(imageSize(image), 0);
        sizes[1] = uvec4(textureSize(whole, 0), 0);
        words[index] = imageLoad(image, at).x;
    } else if (mode == 1u) {
        words[index] = texelFetch(whole, max(at, ivec3(0)), 0).x;
    } else if (mode == 2u) {
        imageStore(image, at, uvec4(1000u + index));
    }
#ifdef ATOMIC
    if (mode == 3u)
        words[index] = imageAtomicAdd(image, at, 5000u);
#endif
}
