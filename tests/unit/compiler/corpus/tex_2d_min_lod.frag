#version 450
#extension GL_ARB_sparse_texture_clamp : require
// differs because the reference has no shaderResourceMinLod
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    o = textureClampARB(t, uv, 1.5) + textureClampARB(t, uv.yx, uv.x, -1.0);
    o += textureGradClampARB(t, uv, uv, uv.yx, 0.5);
}
