#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 c;
void main()
{
    const vec2 corners[4] = vec2[4](vec2(-1.0), vec2(1.0, -1.0), vec2(-1.0, 1.0), vec2(1.0));
    gl_Position = vec4(corners[gl_VertexIndex & 3], 0.5, 1.0);
    c = a;
}
