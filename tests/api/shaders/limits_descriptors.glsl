#version 450
// Sums up all descriptors of one stage: as many of a kind as limits allow (COUNT). What is read with MODE 0 and with MODE
// 1 would exceed the limit of all kinds together, so each has a program.
#if MODE == 0
layout(set = 0, binding = STAGE) uniform U { uint value; } u[COUNT];
layout(set = 1, binding = STAGE) uniform sampler2D t[COUNT];
#define IMAGES_SET 2
#define IMAGES     4
#else
layout(set = 0, binding = STAGE) buffer B { uint value; } b[COUNT];
#define IMAGES_SET 1
#define IMAGES     COUNT
#endif

uvec3 sums()
{
    uvec3 sum = uvec3(0);
    for (uint i = 0; i < COUNT; i++)
#if MODE == 0
        sum.xy += (i + 1) * uvec2(u[i].value, uint(textureLod(t[i], vec2(0.5), 0.0).r * 255.0 + 0.5));
#else
        sum.z += (i + 1) * b[i].value;
#endif
    return sum % 251;
}

#if STAGE == 0
layout(location = 0) flat out uvec3 v_sums;
void main()
{
    v_sums = sums();
    gl_Position = vec4((gl_VertexIndex & 1) * 2.0 - 1.0, (gl_VertexIndex >> 1) * 2.0 - 1.0, 0.5, 1.0);
}
#elif STAGE == 1
layout(location = 0) flat in uvec3 v_sums;
layout(location = 0) out vec4 color;
void main()
{
    uvec3 own = gl_FragCoord.x < 8.0 ? sums() : v_sums;
    color = vec4(vec3(own) / 255.0, 1.0);
}
#else
layout(local_size_x = 1) in;
layout(set = IMAGES_SET, binding = 0, r32ui) uniform uimage2D images[IMAGES];
void main()
{
    uvec3 own = sums();
    uint sum = 0;
    for (uint i = 0; i < IMAGES; i++)
        sum += (i + 1) * imageLoad(images[i], ivec2(0)).r;
    for (uint i = 4; i < IMAGES; i++)
        imageStore(images[i], ivec2(0), uvec4(i));
    imageStore(images[0], ivec2(0), uvec4(sum % 251));
    for (uint i = 0; i < 3; i++)
        imageStore(images[i + 1], ivec2(0), uvec4(own[i]));
}
#endif
