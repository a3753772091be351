#version 450
// out@0 0.3162278 -0.9486833 0.4472136 -1.0
// out@3 0.9778024 -0.2095291 0.2940858 -1.0
// out@6 1.0 0.0 0.1638464 -1.0
// out@9 0.9968981 0.0787025 0.1103895 -1.0
// out@15 0.9896277 0.1436556 0.0660728 -1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(normalize(v.xy + 0.5), normalize(v.xyz).z, normalize(-3.0));
}
