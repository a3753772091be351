#version 450
// out@0 0.0 0.0
// out@3 1.7320508 0.1732051
// out@6 2.4494897 0.244949
// out@9 3.0 0.3
// out@15 3.8729833 0.3872983
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    float x = v.x;
    o = vec4(sqrt(x), sqrt(x * 0.01), 0.0, 0.0);
}
