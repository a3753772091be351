#version 450
// out@0 -1.4056476 0.0
// out@3 -1.3101939 1.2490458
// out@6 -0.9827937 1.4056476
// out@9 0.6435011 1.4601391
// out@15 1.3825748 1.5042282
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x, y = v.y;
    o = vec4(atan(y * 3.0), atan(x), 0.0, 0.0);
}
