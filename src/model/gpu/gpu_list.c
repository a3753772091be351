/* SPDX-License-Identifier: MIT
 *
 * Encoder and decoder of compressed primitive lists [guide p.72-78].
 */
#include <string.h>
#include "model/gpu/gpu_list.h"
#include "util/macros.h"

/* Distance from `from` to `to`, modulo 2^16. */
static int delta(uint16_t from, uint16_t to)
{
    return (int16_t)(uint16_t)(to - from);
}

static bool fits(int d, unsigned bits)
{
    return d >= -(1 << (bits - 1)) && d < 1 << (bits - 1);
}

/* Six signed bits above a 2-bit code. -32 is excluded, because it would produce the reserved bytes 128 to 130. */
static bool fits_coding_0(int d)
{
    return d >= -31 && d <= 31;
}

static int sext(uint32_t value, unsigned bits)
{
    return (int)(value << (32 - bits)) >> (32 - bits);
}

static void put16(uint8_t *out, uint16_t x)
{
    out[0] = (uint8_t)x;
    out[1] = (uint8_t)(x >> 8);
}

static uint16_t get16(const uint8_t *in)
{
    return (uint16_t)(in[0] | in[1] << 8);
}

/* -- triangles -- */

/* One-byte coding: which two of the old vertices become the new v0 and v1. */
static const uint8_t reuse[3][2] = {{2, 1}, {0, 2}, {1, 0}};

static unsigned encode_triangle(const uint16_t old[3], const uint16_t v[3], uint8_t *out)
{
    int d2 = delta(old[2], v[2]);
    for (unsigned i = 0; i < 3 && fits_coding_0(d2); i++) {
        if (v[0] == old[reuse[i][0]] && v[1] == old[reuse[i][1]]) {
            out[0] = (uint8_t)(i | (unsigned)d2 << 2);
            return 1;
        }
    }
    int d0 = delta(old[0], v[0]), d1 = delta(old[1], v[1]);
    if (fits(d0, 4) && fits(d1, 4) && fits(d2, 4)) {
        out[0] = (uint8_t)(3 | (unsigned)d0 << 4);
        out[1] = (uint8_t)((d1 & 15) | (d2 & 15) << 4);
        return 2;
    }
    int e1 = delta(v[0], v[1]), e2 = delta(v[0], v[2]);
    if (fits(e1, 6) && fits(e2, 6)) {
        uint32_t word = 15 | (uint32_t)(e1 & 63) << 4 | (uint32_t)(e2 & 63) << 10;
        put16(out, (uint16_t)word);
        put16(out + 2, v[0]);
        return 4;
    }
    out[0] = GPU_LIST_ABSOLUTE;
    for (unsigned i = 0; i < 3; i++)
        put16(out + 1 + 2 * i, v[i]);
    return 7;
}

static unsigned size_of_triangle(uint8_t first)
{
    if ((first & 3) != 3)
        return first == GPU_LIST_ABSOLUTE ? 7 : 1;
    return (first & 12) != 12 ? 2 : 4;
}

static void decode_triangle(const uint8_t *in, uint16_t v[3])
{
    uint16_t old[3] = {v[0], v[1], v[2]};
    switch (size_of_triangle(in[0])) {
    case 1:
        v[0] = old[reuse[in[0] & 3][0]];
        v[1] = old[reuse[in[0] & 3][1]];
        v[2] = (uint16_t)(old[2] + sext(in[0] >> 2, 6));
        break;
    case 2:
        v[0] = (uint16_t)(old[0] + sext(in[0] >> 4, 4));
        v[1] = (uint16_t)(old[1] + sext(in[1] & 15, 4));
        v[2] = (uint16_t)(old[2] + sext(in[1] >> 4, 4));
        break;
    case 4:
        v[0] = get16(in + 2);
        v[1] = (uint16_t)(v[0] + sext(get16(in) >> 4 & 63, 6));
        v[2] = (uint16_t)(v[0] + sext(get16(in) >> 10, 6));
        break;
    default:
        for (unsigned i = 0; i < 3; i++)
            v[i] = get16(in + 1 + 2 * i);
    }
}

/* -- lines -- */

static unsigned encode_line(const uint16_t old[3], const uint16_t v[3], uint8_t *out)
{
    int d0 = delta(old[0], v[0]), d1 = delta(old[1], v[1]);
    if (fits_coding_0(d1) && (v[0] == old[1] || v[0] == old[0])) {
        out[0] = (uint8_t)((v[0] == old[1] ? 0u : 1u) | (unsigned)d1 << 2);
        return 1;
    }
    if (fits(d0, 4) && fits(d1, 4)) {
        out[0] = (uint8_t)(3 | (unsigned)d0 << 4);
        out[1] = (uint8_t)(d1 & 15);
        return 2;
    }
    int e = delta(v[0], v[1]);
    if (fits_coding_0(e)) {
        out[0] = (uint8_t)(2 | (unsigned)e << 2);
        put16(out + 1, v[0]);
        return 3;
    }
    out[0] = GPU_LIST_ABSOLUTE;
    put16(out + 1, v[0]);
    put16(out + 3, v[1]);
    return 5;
}

static unsigned size_of_line(uint8_t first)
{
    switch (first & 3) {
    case 3:
        return (first & 12) != 12 ? 2 : 0;
    case 2:
        return 3;
    default:
        return first == GPU_LIST_ABSOLUTE ? 5 : 1;
    }
}

static void decode_line(const uint8_t *in, uint16_t v[3])
{
    switch (size_of_line(in[0])) {
    case 1:
        v[0] = in[0] & 1 ? v[0] : v[1];
        v[1] = (uint16_t)(v[1] + sext(in[0] >> 2, 6));
        break;
    case 2:
        v[0] = (uint16_t)(v[0] + sext(in[0] >> 4, 4));
        v[1] = (uint16_t)(v[1] + sext(in[1] & 15, 4));
        break;
    case 3:
        v[0] = get16(in + 1);
        v[1] = (uint16_t)(v[0] + sext(in[0] >> 2, 6));
        break;
    default:
        v[0] = get16(in + 1);
        v[1] = get16(in + 3);
    }
}

/* -- points -- */

static unsigned encode_point(const uint16_t old[3], const uint16_t v[3], uint8_t *out)
{
    int d = delta(old[0], v[0]);
    if (fits_coding_0(d)) {
        out[0] = (uint8_t)((unsigned)d << 2);
        return 1;
    }
    if (fits(d, 14)) {
        put16(out, (uint16_t)(3 | (unsigned)d << 2));
        return 2;
    }
    out[0] = GPU_LIST_ABSOLUTE;
    put16(out + 1, v[0]);
    return 3;
}

static unsigned size_of_point(uint8_t first)
{
    switch (first & 3) {
    case 3:
        return 2;
    case 2:
        return 0; /* coding 2 is not implemented [guide p.78] */
    default:
        return first == GPU_LIST_ABSOLUTE ? 3 : 1;
    }
}

static void decode_point(const uint8_t *in, uint16_t v[3])
{
    switch (size_of_point(in[0])) {
    case 1:
        v[0] = (uint16_t)(v[0] + sext(in[0] >> 2, 6));
        break;
    case 2:
        v[0] = (uint16_t)(v[0] + sext(get16(in) >> 2, 14));
        break;
    default:
        v[0] = get16(in + 1);
    }
}

/* -- all -- */

unsigned gpu_list_encode(enum cl_list_type type, const uint16_t old[3], const uint16_t v[3], uint8_t *out)
{
    switch (type) {
    case CL_LIST_POINTS:
        return encode_point(old, v, out);
    case CL_LIST_LINES:
        return encode_line(old, v, out);
    default:
        return encode_triangle(old, v, out);
    }
}

unsigned gpu_list_coding_size(enum cl_list_type type, uint8_t first)
{
    if (first == GPU_LIST_ESCAPE)
        return 1;
    if (first == GPU_LIST_BRANCH)
        return GPU_LIST_BRANCH_B;
    switch (type) {
    case CL_LIST_POINTS:
        return size_of_point(first);
    case CL_LIST_LINES:
        return size_of_line(first);
    default:
        return size_of_triangle(first);
    }
}

void gpu_list_decode(enum cl_list_type type, const uint8_t *in, uint16_t v[3])
{
    switch (type) {
    case CL_LIST_POINTS:
        decode_point(in, v);
        break;
    case CL_LIST_LINES:
        decode_line(in, v);
        break;
    default:
        decode_triangle(in, v);
    }
}
