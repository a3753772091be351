#version 450
// out@0 0.0 -0.9092974 0.2623749
// out@3 0.14112 -0.9489846 0.6636339
// out@6 -0.2794155 -0.4794255 -0.9893582
// out@9 0.4121185 0.247404 0.420167
// out@15 0.6502878 0.9839859 -0.9997552
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(sin(x), sin(y), sin(x * 7.0 - 50.0), 0.0);
}
