#version 450
// out@0 0.1353353
// out@3 0.2865048
// out@6 0.6065307
// out@9 1.2840254
// out@15 5.7546027
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float y = v.y;
    o = vec4(exp(y), 0.0, 0.0, 0.0);
}
