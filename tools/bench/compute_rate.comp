#version 450
// Eight independent chains of multiplications and additions.
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Out { float words[]; };
void main()
{
    float x = float(gl_GlobalInvocationID.x) * 0.001;
    vec4 a = vec4(x, x + 1.0, x + 2.0, x + 3.0), b = a + 4.0;
    for (int i = 0; i < 64; i++) {
        a = a * 0.999 + 0.5;
        b = b * 0.998 + 0.25;
    }
    words[gl_GlobalInvocationID.x] = dot(a, b);
}
