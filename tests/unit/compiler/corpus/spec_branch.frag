#version 450
// spec 0 0
// out@0 0.0 -4.0 2.0 0.0
// out@3 6.0 -2.5 2.0 2.0
// out@6 12.0 -1.0 2.0 0.0
// out@9 18.0 0.5 2.0 2.0
// out@15 30.0 3.5 2.0 2.0
layout(location = 0) in vec4 v;
layout(constant_id = 0) const bool FAST = true;
layout(location = 0) out vec4 o;
void main()
{
    if (FAST)
        o = v;
    else
        for (int i = 0; i < 3; i++)
            o = v * float(i);
}
