#version 450
// out@0 -1.0
// out@3 102.75
// out@6 6.5
// out@9 110.25
// out@15 117.75
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
float total = 1.0;
void add(float x) { total += x; }

void main()
{
    add(v.x);
    add(v.y);
    if (v.w > 0.5)
        add(100.0);
    o = vec4(total);
}
