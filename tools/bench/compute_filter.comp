#version 450
// The mean of 3 x 3 texels.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 2, rgba8) readonly uniform image2D from;
layout(binding = 3, rgba8) writeonly uniform image2D to;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 sum = vec4(0.0);
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += imageLoad(from, clamp(at + ivec2(x, y), ivec2(0), imageSize(from) - 1));
    imageStore(to, at, sum / 9.0);
}
