#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(mix(x.x, y.x, z.x), smoothstep(min(x.y, y.y), max(x.y, y.y), z.y), fma(x.z, y.z, z.z), mod(x.w, y.w));
}
