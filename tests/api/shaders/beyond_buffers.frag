#version 450
layout(location = 0) flat in uint number;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(float(number) / 255.0);
}
