#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    for (int i = 0; i < 6; i++)
        if (int(v.x) == i * 2)
            discard;
    o = vec4(0.5);
}
