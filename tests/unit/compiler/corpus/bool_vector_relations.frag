#version 450
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    bvec4 a = lessThan(v, vec4(4.0, 0.0, 2.0, 0.5)), b = greaterThanEqual(v, vec4(2.0, -1.0, 1.0, 1.0));
    o = vec4(float(any(a)), float(all(a)), float(all(b)), float(any(not(b))));
}
