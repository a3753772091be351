// SPDX-License-Identifier: MIT
#version 450
/* Quads whose positions and colours are in tables of constants, for triangle lists without vertex buffers. */
layout(location = 0) out vec4 v_color;

#define PLACE(i) vec2(float((i) % 5) * 0.4 - 0.9, float((i) / 5) * 0.4 - 0.95)
#define TINT(i) vec3(float(((i) * 7) % 5) * 0.25, float(((i) * 3) % 5) * 0.25, float((i) % 4) / 3.0)
#define ROW5(f, i) f(i), f(i + 1), f(i + 2), f(i + 3), f(i + 4)
#define ROW25(f) ROW5(f, 0), ROW5(f, 5), ROW5(f, 10), ROW5(f, 15), ROW5(f, 20)

const vec2 places[25] = vec2[](ROW25(PLACE));
const struct { vec3 tint; uint bits; } tints[25] = { { TINT(0), 1u }, { TINT(1), 2u }, { TINT(2), 3u }, { TINT(3), 0u }, { TINT(4), 1u },
    { TINT(5), 2u }, { TINT(6), 3u }, { TINT(7), 0u }, { TINT(8), 1u }, { TINT(9), 2u }, { TINT(10), 3u }, { TINT(11), 0u },
    { TINT(12), 1u }, { TINT(13), 2u }, { TINT(14), 3u }, { TINT(15), 0u }, { TINT(16), 1u }, { TINT(17), 2u }, { TINT(18), 3u },
    { TINT(19), 0u }, { TINT(20), 1u }, { TINT(21), 2u }, { TINT(22), 3u }, { TINT(23), 0u }, { TINT(24), 1u } };
const vec2 corners[9] = vec2[](vec2(0.0), vec2(0.3, 0.0), vec2(0.0, 0.3), vec2(0.3, 0.0), vec2(0.3, 0.3), vec2(0.0, 0.3), vec2(9.0), vec2(9.0), vec2(9.0));

void main()
{
    int quad = gl_VertexIndex / 6, corner = gl_VertexIndex % 6;
    gl_Position = vec4(places[quad] + corners[corner], 0.5, 1.0);
    v_color = vec4(tints[quad].tint, float(tints[24 - quad].bits) / 3.0);
}
