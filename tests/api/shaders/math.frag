#version 450
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;
void main()
{
    vec2 p = v_uv * 4.0 + 0.1;
    vec4 a = vec4(sin(p.x), cos(p.y), exp2(-p.x), log2(p.y + 1.0) * 0.25);
    vec4 b = vec4(sqrt(p.x) * 0.4, inversesqrt(p.y) * 0.3, pow(v_uv.x, 2.2), p.x / (p.y + 1.0) * 0.2);
    vec4 c = vec4(fract(p.x), floor(p.y) * 0.2, atan(p.y, p.x), normalize(p).x);
    int row = int(v_uv.y * 3.0);
    o_color = row == 0 ? a * 0.5 + 0.5 : row == 1 ? b : c;
}
