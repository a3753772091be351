#version 450
// buffer 0.0 0.7 0.3 1.0 0.6 0.2 0.9 0.5 0.1 0.8 0.4 0.0 0.7 0.3 1.0 0.6 0.2 0.9 0.5 0.1 0.8 0.4 0.0 0.7 0.3 1.0 0.6 0.2 0.9 0.5 0.1 0.8 0.4 0.0 0.7 0.3 1.0 0.6 0.2 0.9 0.5 0.1 0.8 0.4 0.0 0.7 0.3 1.0 0.6 0.2 0.9 0.5 0.1 0.8 0.4 0.0 0.7 0.3 1.0 0.6 0.2 0.9 0.5 0.1
layout(location = 0) in vec4 a;
layout(location = 1) in uvec4 bones;
layout(location = 2) in vec4 weights;
layout(set = 0, binding = 0) uniform U { mat4 m[4]; };
layout(location = 0) out vec4 c;
void main()
{
    vec4 p = vec4(0.0);
    for (int i = 0; i < 4; i++)
        p += m[bones[i] & 3u] * a * weights[i];
    gl_Position = p;
    c = p;
}
