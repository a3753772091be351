// SPDX-License-Identifier: MIT
// Each block of the array is captured in a buffer of its own. Numbers of 64 bits lie at multiples of 8 bytes.
#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
struct pair {
    float x;
    double y;
};
struct nested {
    vec3 a;
    dvec2 b;
    pair c[2];
    float d;
};
layout(location = 0, xfb_buffer = 0, xfb_stride = 96) out block_
{
    layout(xfb_offset = 0) flat nested values;
    layout(xfb_offset = 84) vec3 color;
} blocks[2];
void main()
{
    gl_Position = position;
    gl_PointSize = 1.0;
    for (int i = 0; i < 2; i++) {
        blocks[i].values.a = position.xyz + float(i);
        blocks[i].values.b = dvec2(color.xy) / 3.0;
        for (int k = 0; k < 2; k++) {
            blocks[i].values.c[k].x = color.z + float(k);
            blocks[i].values.c[k].y = double(gl_VertexIndex + k) / 7.0;
        }
        blocks[i].values.d = color.w;
        blocks[i].color = color.rgb * float(i + 1);
    }
}
