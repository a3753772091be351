#version 450
layout(location = 0) in vec4 a;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 c;
void main()
{
    gl_Position = vec4(a.xy * 0.0625, 0.5, 1.0);
    c = textureLod(t, a.xy * 0.0625, 1.0);
}
