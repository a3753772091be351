#version 450
#extension GL_EXT_nonuniform_qualifier : require
// A heap of resources of several types, and one of samplers, as Direct3D has them.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Storage { uint v[]; } buffers[];
layout(set = 0, binding = 0) uniform Uniforms { uint v; } uniforms[];
layout(set = 0, binding = 0) uniform utextureBuffer texels[];
layout(set = 0, binding = 0) uniform texture2D images[];
layout(set = 0, binding = 0, rgba8) uniform image2D stored[];
layout(set = 1, binding = 0) uniform sampler samplers[];
layout(push_constant) uniform Push { uint out_index; };

uint word(vec4 color)
{
    return packUnorm4x8(color);
}

void main()
{
    const uint i = gl_LocalInvocationID.x, at = buffers[out_index].v[i], kind = buffers[out_index].v[16 + i];
    uint got = 0;
    switch (kind) {
    case 0: got = buffers[nonuniformEXT(at)].v[1]; break;
    case 1: got = uniforms[nonuniformEXT(at)].v; break;
    case 2: got = texelFetch(texels[nonuniformEXT(at)], 1).x; break;
    case 3: got = word(textureLod(sampler2D(images[nonuniformEXT(at)], samplers[nonuniformEXT(i * 100)]), vec2(1.25, 0.5), 0.0)); break;
    case 4: got = word(imageLoad(stored[nonuniformEXT(at)], ivec2(0, 0))); break;
    }
    buffers[out_index].v[32 + i] = got;
}
