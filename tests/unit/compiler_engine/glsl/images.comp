#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform image2D unorm;
layout(set = 0, binding = 1, rgba32f) uniform readonly image2D wide;
layout(set = 0, binding = 2, r32ui) uniform uimage2DArray counts;
layout(set = 0, binding = 3, rgba16f) uniform writeonly image3D halves;
layout(set = 0, binding = 4, rg16i) uniform iimageBuffer texels;
layout(set = 0, binding = 5, r8ui) uniform uimage2D bytes;
layout(set = 0, binding = 6) buffer Out { ivec2 size; ivec3 size3; int texel_count; };
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec4 w = imageLoad(wide, p);
    imageStore(unorm, p, w);
    vec4 back = imageLoad(unorm, p);
    imageStore(halves, ivec3(p, 1), back * 2.0);
    imageAtomicAdd(counts, ivec3(p.x & 3, p.y & 1, 1), 1u);
    if (p.y == 0) {
        ivec4 t = imageLoad(texels, p.x);
        imageStore(texels, p.x, ivec4(t.y - 1, -t.x, 0, 0));
    }
    imageStore(bytes, p, uvec4(imageLoad(bytes, p).x + uint(p.x + 16 * p.y)));
    if (p == ivec2(0)) {
        size = imageSize(unorm);
        size3 = imageSize(halves);
        texel_count = imageSize(texels);
    }
}
