#version 450
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;
void main()
{
    vec2 q = v_uv * v_uv;
    o_color = vec4(dFdx(q.x) * 16.0, dFdy(q.y) * 16.0, fwidth(v_uv.x) * 16.0, 1.0);
}
