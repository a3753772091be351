#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(pow(x.x, y.x), sqrt(x.y), inversesqrt(x.z), x.w / y.w);
}
