// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Tables of constants of numbers of every width, and indices that may be out of range: those of `far`, between tables of
 * other words. */
layout(local_size_x = 64) in;

struct row {
    int bytes, shorts, words;
    uint unsigned_bytes, unsigned_shorts;
    float half_float, single;
    uint pad;
    int64_t long_int;
    double wide;
    uint far[2];
};
layout(set = 0, binding = 0, std430) readonly buffer In { int indices[64]; } index;
layout(set = 0, binding = 1, std430) writeonly buffer Out { row rows[64]; };

#define ROW4(f, i)  f(i), f(i + 1), f(i + 2), f(i + 3)
#define ROW16(f, i) ROW4(f, i), ROW4(f, i + 4), ROW4(f, i + 8), ROW4(f, i + 12)
#define ROW64(f, i) ROW16(f, i), ROW16(f, i + 16), ROW16(f, i + 32), ROW16(f, i + 48)

#define BYTE(i) int8_t((i) * 4 - 128)
#define UBYTE(i) uint8_t((i) * 4 + 3)
#define SHORT(i) int16_t((i) * 1000 - 32000)
#define USHORT(i) uint16_t((i) * 1040)
#define WORD(i) ((i) * 0x1234567)
#define LONG(i) (int64_t(i) * 0x123456789abl - 77l)
#define HALF(i) float16_t(float(i) * 0.25 - 8.0)
#define SINGLE(i) (float(i) * 1.5)
#define WIDE(i) (double(i) * 0.1lf)
#define BEFORE(i) (1000u + uint(i))
#define INSIDE(i) (2000u + uint(i))
#define AFTER(i) (3000u + uint(i))

const int8_t bytes[64] = int8_t[](ROW64(BYTE, 0));
const uint8_t ubytes[64] = uint8_t[](ROW64(UBYTE, 0));
const int16_t shorts[64] = int16_t[](ROW64(SHORT, 0));
const uint16_t ushorts[64] = uint16_t[](ROW64(USHORT, 0));
const int words[64] = int[](ROW64(WORD, 0));
const int64_t longs[64] = int64_t[](ROW64(LONG, 0));
const float16_t halves[64] = float16_t[](ROW64(HALF, 0));
const float singles[64] = float[](ROW64(SINGLE, 0));
const double wides[64] = double[](ROW64(WIDE, 0));
const uint before[64] = uint[](ROW64(BEFORE, 0));
const uint inside[64] = uint[](ROW64(INSIDE, 0));
const uint after[64] = uint[](ROW64(AFTER, 0));

void main()
{
    uint i = gl_LocalInvocationIndex;
    uint turned = (i * 5u) & 63u;
    rows[i].bytes = int(bytes[turned]);
    rows[i].unsigned_bytes = uint(ubytes[turned]);
    rows[i].shorts = int(shorts[turned]);
    rows[i].unsigned_shorts = uint(ushorts[turned]);
    rows[i].words = words[turned];
    rows[i].long_int = longs[turned];
    rows[i].half_float = float(halves[turned]);
    rows[i].single = singles[turned];
    rows[i].wide = wides[turned];
    rows[i].pad = before[turned] + after[turned];
    rows[i].far[0] = inside[index.indices[i]];
    rows[i].far[1] = inside[uint(index.indices[i])];
}
