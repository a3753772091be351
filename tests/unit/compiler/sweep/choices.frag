#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(min(x.x, y.x), max(x.y, y.y), clamp(x.z, min(y.z, z.z), max(y.z, z.z)), step(x.w, y.w));
}
