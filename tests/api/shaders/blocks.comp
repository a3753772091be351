#version 450
#extension GL_EXT_shader_image_load_formatted : enable
// The same, stored.
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform usampler2D from;
layout(set = 0, binding = 1) writeonly uniform uimage2D to;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(to, at, texelFetch(from, at, 0));
}
