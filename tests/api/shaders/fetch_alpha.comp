#version 450
// Fetches one texel for each workgroup.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) writeonly buffer B { vec4 texels[]; };
void main()
{
    texels[gl_WorkGroupID.x] = texelFetch(image, ivec2(gl_WorkGroupID.x, 0), 0);
}
