#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Reads one element of an array of each type of descriptor, and stores to some. Lanes choose different elements. STAGE 0
// is a vertex, 1 a fragment, 2 a compute shader: lane i is vertex i, the pixel of column i, or invocation i. STAGE 3 is
// the vertex shader for the fragment shader.
#if STAGE != 3
layout(set = 0, binding = 0) uniform Uniforms { uvec4 v; } uniforms[];
layout(set = 0, binding = 1) buffer Storage { uint v[]; } storage[];
layout(set = 0, binding = 2) uniform usamplerBuffer texels[];
layout(set = 0, binding = 3, r32ui) uniform uimageBuffer stored_texels[];
layout(set = 0, binding = 4) uniform texture2D images[];
layout(set = 0, binding = 5) uniform sampler samplers[];
layout(set = 0, binding = 6) uniform sampler2D combined[];
layout(set = 0, binding = 7, rgba8) uniform image2D stored[];
layout(set = 1, binding = 0) buffer Index { uint index[16]; };
layout(set = 1, binding = 1) buffer Result { uvec4 result[16][8]; };

void all(uint i)
{
    const uint e = index[i];
    result[i][0] = uniforms[nonuniformEXT(e)].v;
    result[i][1] = uvec4(storage[nonuniformEXT(e)].v[1], storage[nonuniformEXT(e)].v.length(), 0, 0);
    atomicAdd(storage[nonuniformEXT(e)].v[2], 1);
    result[i][2] = texelFetch(texels[nonuniformEXT(e)], 1);
    result[i][3] = imageLoad(stored_texels[nonuniformEXT(e)], 1);
    imageStore(stored_texels[nonuniformEXT(e)], 5, uvec4(i, 0, 0, 0));
    result[i][4] = floatBitsToUint(
        textureLod(sampler2D(images[nonuniformEXT(e)], samplers[nonuniformEXT(e)]), vec2(1.25, 0.5), 0.0));
    result[i][5] = floatBitsToUint(textureLod(combined[nonuniformEXT(e)], vec2(0.25, 0.5), 0.0));
    result[i][6] = uvec4(textureSize(combined[nonuniformEXT(e)], 0), textureQueryLevels(combined[nonuniformEXT(e)]), 0);
    result[i][7] = floatBitsToUint(imageLoad(stored[nonuniformEXT(e)], ivec2(0, 0)));
    imageStore(stored[nonuniformEXT(e)], ivec2(1 + i, 0), vec4(float(i) / 255.0));
}
#endif

#if STAGE == 0
void main()
{
    all(uint(gl_VertexIndex));
    gl_Position = vec4((float(gl_VertexIndex) + 0.5) / 8.0 - 1.0, 0.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
#elif STAGE == 1
layout(location = 0) out vec4 color;
void main()
{
    all(uint(gl_FragCoord.x));
    color = vec4(1.0);
}
#elif STAGE == 2
layout(local_size_x = 16) in;
void main()
{
    all(gl_LocalInvocationID.x);
}
#else
void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
#endif
