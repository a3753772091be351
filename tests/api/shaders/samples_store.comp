#version 450
// A value for every sample, beyond the edges, too: those go nowhere.
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(set = 0, binding = 0) writeonly uniform image2DMS image;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int number = int(gl_GlobalInvocationID.z);
    if (imageSamples(image) == 4)
        imageStore(image, at, number, vec4(vec2(at) / 64.0, float(number) / 4.0, 1.0));
}
