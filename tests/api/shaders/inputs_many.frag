// SPDX-License-Identifier: MIT
// Sums up as many input attachments as a stage may have.
#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput inputs[64];
layout(location = 0) out vec4 color;
#define ONE(i)   sum += uint(i + 1) * uint(subpassLoad(inputs[i]).r * 255.0 + 0.5);
#define FOUR(i)  ONE(i) ONE(i + 1) ONE(i + 2) ONE(i + 3)
#define MANY(i)  FOUR(i) FOUR(i + 4) FOUR(i + 8) FOUR(i + 12)
void main()
{
    uint sum = 0;
    MANY(0) MANY(16) MANY(32) MANY(48)
    color = vec4(float(sum % 251) / 255.0, float(sum / 251 % 251) / 255.0, 0, 1);
}
