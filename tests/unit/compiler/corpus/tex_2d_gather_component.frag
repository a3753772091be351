#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(textureGather(t, uv + 0.03125, 1).xy, textureGather(t, uv + 0.03125, 2).zw);
}
