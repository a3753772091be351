#version 450
// A loop that only its own vertex's data ends: lanes without a vertex must not keep the others waiting.
layout(location = 0) in vec2 position;
layout(location = 1) in uint count;
layout(location = 0) out vec4 v_color;
void main()
{
    uint i = 0, sum = 0;
    while (i != count) {
        i++;
        sum += i;
    }
    v_color = vec4(float(sum) / 255.0, float(i) / 255.0, 0.0, 1.0);
    gl_Position = vec4(position, 0.5, 1.0);
}
