#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(length(x), distance(x.xyz, y.xyz), normalize(x.xyz).z, dot(x, y));
}
