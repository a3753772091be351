#version 450
// The ranges that are bound hold quarters; what is read past their ends has to be quarters as well, or nothing.
layout(set = 0, binding = 0) uniform U { vec4 color[4096]; } uniforms;
layout(set = 0, binding = 1) readonly buffer S { vec4 color[]; } storage;
layout(push_constant) uniform P { int step; };
layout(location = 0) out vec4 o_color;
bool good(vec4 c)
{
    bvec4 inside = equal(c, vec4(0.25)), zero = equal(c, vec4(0.0));
    return all(inside) || all(zero) || c == vec4(0.0, 0.0, 0.0, 1.0);
}
void main()
{
    int i = (int(gl_FragCoord.x) - 8) * step;
    bool all_good = good(uniforms.color[i]) && good(uniforms.color[2000]) && good(storage.color[i]) &&
                    good(storage.color[100]) && storage.color.length() == 2;
    o_color = all_good ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);
}
