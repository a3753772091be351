#version 450
#extension GL_EXT_shader_image_load_formatted : enable
/* One image into another, mirrored along x. More invocations run than there are texels: what lies outside reads zero and
 * is not stored. IMAGE, TEXEL, FORMAT (may be left out): the kind; LINE, FLAT, ...: what coordinates it takes. */
layout(local_size_x = 4, local_size_y = 4, local_size_z = 2) in;
#ifdef FORMAT
layout(binding = 0, FORMAT) readonly uniform IMAGE from;
layout(binding = 1, FORMAT) writeonly uniform IMAGE to;
#else
layout(binding = 0) readonly uniform IMAGE from;
layout(binding = 1) writeonly uniform IMAGE to;
#endif
layout(std430, binding = 2) buffer Out { int width, height, depth; uint outside, nonzero; } result;

#if defined LINE
#define PLACE(p) (p).x
#define SIZE(s) ivec3(s, 1, 1)
#elif defined FLAT
#define PLACE(p) (p).xy
#define SIZE(s) ivec3(s, 1)
#elif defined CUBE
#define PLACE(p) (p)
#define SIZE(s) ivec3(s, 6)
#elif defined CUBES
#define PLACE(p) (p)
#define SIZE(s) ivec3((s).xy, 6 * (s).z)
#else
#define PLACE(p) (p)
#define SIZE(s) ivec3(s)
#endif

void main()
{
    ivec3 p = ivec3(gl_GlobalInvocationID), size = SIZE(imageSize(from));
    ivec3 mirrored = ivec3(size.x - 1 - p.x, p.yz);
    TEXEL texel = imageLoad(from, PLACE(p));
    imageStore(to, PLACE(mirrored), texel);
    if (p.x >= size.x) {
        atomicAdd(result.outside, 1u);
        if (texel.x != 0)
            atomicAdd(result.nonzero, 1u);
    }
    if (p == ivec3(0)) {
        result.width = size.x;
        result.height = size.y;
        result.depth = size.z;
    }
}
