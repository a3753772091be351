#version 450
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 5) uniform sampler2DArray t;
layout(location = 0) out vec4 o;
void main()
{
    o = textureGrad(t, vec3(uv, 1.0), vec2(0.25, 0.0), vec2(0.0, 0.125));
}
