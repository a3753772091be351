#version 450
// out@0 -28.6478898
// out@3 -17.9049311
// out@6 -7.1619724
// out@9 3.5809862
// out@15 25.0669035
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(degrees(y * 0.25), 0.0, 0.0, 0.0);
}
