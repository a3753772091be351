// SPDX-License-Identifier: MIT
#version 450
/* Tables of constants of many types, with indices that differ from pixel to pixel. With MANY: so many accesses to one table,
 * 40 or 200. With BEYOND: indices out of range of tables whose words are all the same; the colour is that of these words. */
layout(location = 0) out vec4 color;

#define ROW4(f, i)  f(i), f(i + 1), f(i + 2), f(i + 3)
#define ROW16(f, i) ROW4(f, i), ROW4(f, i + 4), ROW4(f, i + 8), ROW4(f, i + 12)
#define ROW64(f, i) ROW16(f, i), ROW16(f, i + 16), ROW16(f, i + 32), ROW16(f, i + 48)

#define NUMBER(i) (((i) * 37 + (i) * (i) * 11) & 255)
#define VECTOR(i) vec4(float(NUMBER(i)), float(NUMBER((i) + 100)), float(NUMBER((i) * 3)), float(NUMBER((i) * 7))) / 255.0

#if defined(MANY)

const vec4 vectors[256] = vec4[](ROW64(VECTOR, 0), ROW64(VECTOR, 64), ROW64(VECTOR, 128), ROW64(VECTOR, 192));

#define ADD(i) sum += vectors[uint(at.x * (i) + at.y * ((i) + 7)) & 255u]
#define ADD4(i) ADD(i); ADD(i + 1); ADD(i + 2); ADD(i + 3)
#define ADD20(i) ADD4(i); ADD4(i + 4); ADD4(i + 8); ADD4(i + 12); ADD4(i + 16)
#define ADD100(i) ADD20(i); ADD20(i + 20); ADD20(i + 40); ADD20(i + 60); ADD20(i + 80)

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 sum = vec4(0.0);
#if MANY == 200
    ADD100(0);
    ADD100(100);
#else
    ADD20(0);
    ADD20(20);
#endif
    color = sum / float(MANY);
}

#elif defined(BEYOND)

#define HALF(i) 0.5
#define THIRD(i) vec3(0.25, 0.5, 0.75)
const float halves[64] = float[](ROW64(HALF, 0));
const vec3 thirds[16] = vec3[](ROW16(THIRD, 0));
const vec4 vectors[16] = vec4[](ROW16(VECTOR, 0));

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int far = (at.x - 30) * 0x1234567 + at.y * 0x7654321; /* of any size and sign */
    vec4 others = vectors[(at.x + at.y) & 15];
    vec3 third = thirds[far ^ int(others.x * 0.5)];
    color = vec4(third.x, halves[far], halves[at.x * 64 + 4000], third.z);
}

#else

struct light {
    vec2 at;
    bool is_on;
    mat2 turn;
    uint mask;
};
#define LIGHT(i) light(vec2(float(i) * 0.25, 1.0), (i) % 3 == 1, mat2(0.5, float(i) * 0.125, -float(i) * 0.125, 0.5), 0x80000000u >> (i))
#define SMALL(i) vec2(float(NUMBER(i)), float(NUMBER((i) * 3))) / 255.0
#define FLAG(i) ((NUMBER(i) & 4) != 0)
#define TURN(i) mat3(float(i), 1.0, 2.0, 3.0, float(i) * 2.0, 5.0, 6.0, 7.0, float(i) * 0.5)
#define LIST(i) int[](NUMBER(i), NUMBER((i) + 1), NUMBER((i) + 2), NUMBER((i) + 3), NUMBER((i) + 4))
#define SQUARE(i) int[][](LIST(i), LIST((i) + 50), LIST((i) + 90))

const vec2 vectors[32] = vec2[](ROW16(SMALL, 0), ROW16(SMALL, 16));
const light lights[16] = light[](ROW16(LIGHT, 0));
const bool flags[64] = bool[](ROW64(FLAG, 0));
const mat3 turns[16] = mat3[](ROW16(TURN, 0));
const int squares[4][3][5] = int[][][](SQUARE(1), SQUARE(20), SQUARE(33), SQUARE(4));

float brightness(light l, vec2 at)
{
    vec2 turned = l.turn * at + l.at;
    return l.is_on ? turned.x : turned.y;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int i = (at.x * 5 + at.y * 3) & 15;
    vec4 c = vectors[(at.x + at.y * 9) & 31].xyxy;
    c.r += brightness(lights[i], vec2(at & 3)) * 0.125;
    c.g += flags[at.x & 63] ? 0.25 : 0.0;
    c.b += dot(turns[(at.y * 3) & 15][at.x % 3], vec3(0.01, 0.02, 0.03));
    c.a = float(squares[at.x & 3][at.y % 3][(at.x + at.y) % 5]) / 255.0;
    uint masked = lights[at.y & 15].mask >> (31 - i);
    for (int k = 0; k < (at.y & 7); k++)
        c.rgb = mix(c.rgb, vectors[(at.x * k + int(masked)) & 31].yxy, 0.25);
    color = c;
}

#endif
