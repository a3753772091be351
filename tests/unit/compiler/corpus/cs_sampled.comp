#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 5, std430) buffer W { uint w[64]; };
layout(set = 1, binding = 1) uniform sampler2D t;
void main()
{
    w[gl_LocalInvocationIndex] = packUnorm4x8(textureLod(t, vec2(float(gl_LocalInvocationIndex) / 16.0, 0.5), 0.0));
}
