#version 450
// out@0 1.0
// out@3 2.0
// out@6 3.0
// out@9 4.0
// out@15 4.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    int i;
    for (i = 0; i < 20; i++)
        if (i * i > int(v.x))
            break;
    o = vec4(float(i));
}
