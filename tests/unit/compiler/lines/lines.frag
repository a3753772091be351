#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 c;
layout(set = 0, binding = 0) uniform sampler2D t;

float raised(float x)
{
    return inversesqrt(x); // line 8: the only inverse root
}

void main()
{
    vec4 texel = texture(t, v.xy); // line 13: the only lookup
    float sum = 0.0;
    if (v.z > 0.5)
        sum = raised(v.w);
    for (int i = 0; i < int(v.x); i++)
        sum +=
            1.0 / (v.y + float(i)); // line 19: the only reciprocal
    c = texel * sum;
}
