#version 450
// A strip over everything; the colour comes out of an array that is too large for registers.
layout(location = 0) out vec4 color;

void main()
{
    int numbers[80];
    for (int i = 0; i < 80; i++)
        numbers[i] = i * (gl_VertexIndex + 3);
    for (int i = 0; i < 40 + gl_VertexIndex; i++)
        numbers[numbers[i] % 80] += i;
    color = vec4(ivec4(numbers[79], numbers[gl_VertexIndex * 20], numbers[5], numbers[33]) % 256) / 255.0;
    gl_Position = vec4(gl_VertexIndex & 1, gl_VertexIndex >> 1, 0.25, 0.5) * 2.0 - 1.0 + vec4(0, 0, 0.75, 1.0);
}
