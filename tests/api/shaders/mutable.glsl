#version 450
#extension GL_EXT_samplerless_texture_functions : require
// One array of mutable descriptors, each element of which is of another type. STAGE 0 is a vertex, 1 a fragment, 2 a
// compute shader.
layout(set = 0, binding = 0) uniform U { uint value; } uniforms[8];
layout(set = 0, binding = 0) uniform utexture2D textures[8];
layout(set = 0, binding = 0) uniform utextureBuffer texels[8];
layout(set = 0, binding = 0) uniform usampler2D combined[8];
layout(set = 0, binding = 0) uniform sampler samplers[8];
#if STAGE == 2
#define ACCESS
#else
#define ACCESS readonly
#endif
layout(set = 0, binding = 0) ACCESS buffer S { uint value; } storages[8];
layout(set = 0, binding = 0, r32ui) ACCESS uniform uimage2D images[8];
layout(set = 0, binding = 0, r32ui) ACCESS uniform uimageBuffer stored[8];

uint value_of(uint kind)
{
    switch (kind) {
    case 0: return uniforms[0].value;
    case 1: return storages[1].value;
    case 2: return imageLoad(images[2], ivec2(0)).x;
    case 3: return texelFetch(textures[3], ivec2(0), 0).x;
    case 4: return texelFetch(texels[4], 0).x;
    case 5: return imageLoad(stored[5], 0).x;
    case 6: return textureLod(combined[6], vec2(0.5), 0.0).x;
    default: return textureLod(usampler2D(textures[3], samplers[7]), vec2(0.5), 0.0).x;
    }
}

#if STAGE == 0
// A point for each element and stage: the lower row has what this shader reads, the upper one what the fragment shader
// reads.
layout(location = 0) flat out uint read_here;
layout(location = 1) flat out uint kind;
void main()
{
    kind = uint(gl_VertexIndex) & 7u;
    read_here = gl_VertexIndex < 8 ? value_of(kind) : 0u;
    gl_Position = vec4((float(kind) + 0.5) / 4.0 - 1.0, gl_VertexIndex < 8 ? 0.5 : -0.5, 0.0, 1.0);
    gl_PointSize = 1.0;
}
#elif STAGE == 1
layout(location = 0) flat in uint read_before;
layout(location = 1) flat in uint kind;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(float(gl_FragCoord.y < 1.0 ? value_of(kind) : read_before) / 255.0);
}
#else
layout(local_size_x = 1) in;
layout(set = 0, binding = 1) writeonly buffer O { uint seen[8]; };
void main()
{
    for (uint i = 0; i < 8; i++)
        seen[i] = value_of(i);
    storages[1].value = 201;
    imageStore(images[2], ivec2(0), uvec4(202));
    imageStore(stored[5], 0, uvec4(205));
}
#endif
