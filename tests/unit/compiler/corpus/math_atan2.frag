#version 450
// out@0 -2.8934792 -1.8189098
// out@3 -2.8913921 -1.8209969
// out@6 -2.8809903 -1.8313987
// out@9 0.2292319 1.3415644
// out@15 0.241839 1.3289574
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(atan(y + 0.1, x - 7.5), atan(x - 7.5, y + 0.1), 0.0, 0.0);
}
