#version 450
/* Writes every texel of the planes of a planar image, through a view of each. */
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) writeonly uniform image2D planes[3];
layout(push_constant) uniform Push { int count; } push;

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    for (int i = 0; i < push.count; i++) {
        const ivec2 size = imageSize(planes[i]);
        if (any(greaterThanEqual(at, size)))
            continue;
        const int k = at.y * size.x + at.x;
        imageStore(planes[i], at, vec4(k * 37 + i * 91 & 255, k * 53 + i * 91 + 7 & 255, 0, 255) / 255);
    }
}
