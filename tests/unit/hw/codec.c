/* SPDX-License-Identifier: MIT
 *
 * Tests the decoders of compressed texel blocks: some blocks are decoded by hand, and random blocks are compared by
 * checksums of texels on which other decoders agree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hw/codec.h"

enum { MAX_DECODED_B = HW_CODEC_MAX_TEXELS * 8 };

static void decode(enum hw_format format, const uint8_t *block, uint8_t *texels)
{
    memset(texels, 0xcd, MAX_DECODED_B);
    hw_codec_decode(format, block, texels);
}

static void expect_texel(const uint8_t *texels, unsigned i, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    const uint8_t expected[4] = {r, g, b, a};
    assert_memory_equal(texels + 4 * (size_t)i, expected, 4);
}

static void etc2_colors(void **state)
{
    uint8_t texels[MAX_DECODED_B];
    /* Individual: left half of 0x8, 0x4, 0x0, right half of 0xf; the smallest modifiers; every index 0 (+2). */
    decode(HW_FORMAT_ETC2_R8G8B8_UNORM, (uint8_t[]){0x8f, 0x4f, 0x0f, 0, 0, 0, 0, 0}, texels);
    expect_texel(texels, 0, 0x8a, 0x46, 0x02, 255);
    expect_texel(texels, 3, 255, 255, 255, 255);
    /* Planar mode, selected by blue overflowing its range: one colour everywhere if all three colours are equal. */
    decode(HW_FORMAT_ETC2_R8G8B8_UNORM, (uint8_t[]){0, 0, 0x04, 0x02, 0, 0, 0, 0}, texels);
    expect_texel(texels, 15, 0, 0, 0, 255);
    /* Punch-through with the opaque bit clear: index 2 (only the high index bit set) is transparent. */
    decode(HW_FORMAT_ETC2_R8G8B8A1_UNORM, (uint8_t[]){0x80, 0x80, 0x80, 0x00, 0, 1, 0, 0}, texels);
    expect_texel(texels, 0, 0, 0, 0, 0);
    expect_texel(texels, 1, 0x84, 0x84, 0x84, 255);
}

static void bc_colors(void **state)
{
    uint8_t texels[MAX_DECODED_B];
    /* Red before blue: four colours; indices 0, 1, 2, 3 in the first row. */
    const uint8_t four[8] = {0x00, 0xf8, 0x1f, 0x00, 0xe4, 0, 0, 0};
    decode(HW_FORMAT_BC1_RGBA_UNORM, four, texels);
    expect_texel(texels, 0, 255, 0, 0, 255);
    expect_texel(texels, 1, 0, 0, 255, 255);
    expect_texel(texels, 2, 170, 0, 85, 255);
    expect_texel(texels, 3, 85, 0, 170, 255);
    /* Blue before red: three colours and black. Black is transparent in the formats with alpha. */
    const uint8_t three[8] = {0x1f, 0x00, 0x00, 0xf8, 0xe4, 0, 0, 0};
    decode(HW_FORMAT_BC1_RGBA_UNORM, three, texels);
    expect_texel(texels, 2, 128, 0, 128, 255);
    expect_texel(texels, 3, 0, 0, 0, 0);
    decode(HW_FORMAT_BC1_RGB_UNORM, three, texels);
    expect_texel(texels, 3, 0, 0, 0, 255);
}

static void single_channels(void **state)
{
    uint16_t texels[MAX_DECODED_B / 2];
    /* 255 and 0: index 2 is six sevenths. */
    decode(HW_FORMAT_BC4_UNORM, (uint8_t[]){255, 0, 0x02, 0, 0, 0, 0, 0}, (uint8_t *)texels);
    assert_int_equal(texels[0], 56173); /* 65535 * 6 / 7 */
    assert_int_equal(texels[1], 65535);
    /* -128 counts as -127: the end of the range. */
    decode(HW_FORMAT_BC4_SNORM, (uint8_t[]){0x80, 0x80, 0, 0, 0, 0, 0, 0}, (uint8_t *)texels);
    assert_int_equal((int16_t)texels[0], -32767);
    /* Base 255 plus the largest positive step exceeds the 11-bit range and is clamped. */
    decode(HW_FORMAT_EAC_R11_UNORM, (uint8_t[]){255, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, (uint8_t *)texels);
    assert_int_equal(texels[5], 65535);
    /* A multiplier of 0 means steps of one eighth: 0 * 8 + 4 + 14. */
    decode(HW_FORMAT_EAC_R11_UNORM, (uint8_t[]){0, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, (uint8_t *)texels);
    assert_int_equal(texels[5], (18 * 65535 + 1023) / 2047);
}

static void bptc(void **state)
{
    uint8_t texels[MAX_DECODED_B];
    const uint8_t reserved[16] = {0};
    decode(HW_FORMAT_BC7_UNORM, reserved, texels);
    expect_texel(texels, 7, 0, 0, 0, 0);
    /* Mode 6, all bits set: end points of 255, whatever the indices. */
    uint8_t white[16];
    memset(white, 0xff, sizeof white);
    white[0] = 0xc0;
    decode(HW_FORMAT_BC7_UNORM, white, texels);
    expect_texel(texels, 7, 255, 255, 255, 255);
    /* A reserved mode of BC6H is opaque black. */
    decode(HW_FORMAT_BC6H_UFLOAT, (uint8_t[16]){0x13}, texels);
    assert_memory_equal(texels + 8 * 7, ((uint8_t[]){0, 0, 0, 0, 0, 0, 0x00, 0x3c}), 8);
}

static void astc(void **state)
{
    static const uint8_t magenta[4] = {255, 0, 255, 255};
    uint8_t texels[MAX_DECODED_B];
    /* A grid of 4 x 4 weights of two bits, one partition of luminances 0x10 and 0xf0. The first weight is 64, the
     * second 21, so the second texel is 89.5 before it is rounded. All others are 0. */
    const uint8_t luminance[16] = {0x42, 0, 0x20, 0xe0, 1, [15] = 0xe0};
    decode(HW_FORMAT_ASTC_4x4_UNORM, luminance, texels);
    expect_texel(texels, 0, 0xf0, 0xf0, 0xf0, 255);
    expect_texel(texels, 1, 89, 89, 89, 255);
    expect_texel(texels, 15, 0x10, 0x10, 0x10, 255);
    decode(HW_FORMAT_ASTC_4x4_SRGB, luminance, texels);
    expect_texel(texels, 1, 90, 90, 90, 255);
    /* On 12 x 12 texels the weights are interpolated: the first is reached at the corner only. */
    decode(HW_FORMAT_ASTC_12x12_UNORM, luminance, texels);
    expect_texel(texels, 0, 0xf0, 0xf0, 0xf0, 255);
    expect_texel(texels, 143, 0x10, 0x10, 0x10, 255);
    assert_in_range(texels[4 * 12], 0xa0, 0xef);
    /* A void extent without bounds, and with an empty one; one of high dynamic range; a reserved mode. */
    const uint8_t constant[16] = {0xfc, 0xfd, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0x80, 0, 0, 0xff, 0xff};
    decode(HW_FORMAT_ASTC_8x5_UNORM, constant, texels);
    expect_texel(texels, 39, 255, 128, 0, 255);
    uint8_t wrong[16];
    memcpy(wrong, constant, sizeof wrong);
    wrong[7] = 0;
    decode(HW_FORMAT_ASTC_8x5_UNORM, wrong, texels);
    assert_memory_equal(texels + 4 * 39, magenta, 4);
    memcpy(wrong, constant, sizeof wrong);
    wrong[1] = 0xff;
    decode(HW_FORMAT_ASTC_8x5_SRGB, wrong, texels);
    assert_memory_equal(texels, magenta, 4);
    decode(HW_FORMAT_ASTC_10x6_UNORM, (uint8_t[16]){0}, texels);
    assert_memory_equal(texels + 4 * 59, magenta, 4);
}

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 24;
}

static uint32_t decoded_B(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(format);
    return (uint32_t)info->block_w * info->block_h * hw_format_info(hw_codec_decoded(format))->block_B;
}

static uint32_t sum_of(enum hw_format format)
{
    uint8_t block[16], texels[MAX_DECODED_B];
    const uint32_t size_B = decoded_B(format);
    uint32_t seed = 1, sum = 2166136261u;
    for (unsigned b = 0; b < 16384; b++) {
        for (unsigned i = 0; i < sizeof block; i++)
            block[i] = (uint8_t)next(&seed);
        if (format == HW_FORMAT_BC7_UNORM) /* every mode equally often */
            block[0] = (uint8_t)((block[0] & ~((2u << b % 8) - 1)) | 1u << b % 8);
        decode(format, block, texels);
        for (unsigned i = 0; i < size_B; i++)
            sum = (sum ^ texels[i]) * 16777619u;
    }
    return sum;
}

/* [measured: 4,096 random blocks of each of these formats decode to the same texels, bit for bit, in SwiftShader, and
 * those of BC6H and BC7 in lavapipe too; the checksums were taken from this decoder at that time] */
static void random_blocks(void **state)
{
    static const struct {
        enum hw_format format;
        uint32_t sum;
    } known[] = {
        {HW_FORMAT_ETC2_R8G8B8_UNORM, 0xadedf2b5},   {HW_FORMAT_ETC2_R8G8B8A1_UNORM, 0x19733004},
        {HW_FORMAT_ETC2_R8G8B8A8_UNORM, 0x1ac5f07f}, {HW_FORMAT_BC6H_UFLOAT, 0xa28f5f85},
        {HW_FORMAT_BC6H_SFLOAT, 0xc9f28faf},         {HW_FORMAT_BC7_UNORM, 0x2a47cab6},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const uint32_t sum = sum_of(known[i].format);
        if (sum != known[i].sum)
            fail_msg("%s: checksum 0x%08x, expected 0x%08x", hw_format_info(known[i].format)->name, sum, known[i].sum);
    }
}

static bool is_illegal(const uint8_t *texels, uint32_t size_B)
{
    static const uint8_t magenta[4] = {255, 0, 255, 255};
    for (uint32_t i = 0; i < size_B; i += 4)
        if (memcmp(texels + i, magenta, 4))
            return false;
    return true;
}

/* Most random blocks are illegal: each has some more tries, and a few have none. Decodes into memory of just the size
 * that is due. */
static uint32_t astc_sum_of(enum hw_format format)
{
    const uint32_t size_B = decoded_B(format);
    uint8_t *block = malloc(16), *texels = malloc(size_B);
    uint32_t seed = 1, sum = 2166136261u;
    assert_true(block && texels);
    for (unsigned b = 0; b < 2048; b++) {
        unsigned tries = b % 16 ? 32 : 1;
        do {
            for (unsigned i = 0; i < 16; i++)
                block[i] = (uint8_t)next(&seed);
            hw_codec_decode(format, block, texels);
        } while (--tries && is_illegal(texels, size_B));
        for (uint32_t i = 0; i < size_B; i++)
            sum = (sum ^ texels[i]) * 16777619u;
    }
    free(texels);
    free(block);
    return sum;
}

/* [measured: 65,536 random blocks of each format, of which four fifths or more are legal, decode to the same texels,
 * bit for bit, in astcenc 4.2, but for two differences: its magenta for end points of high dynamic range is 254 in
 * linear formats, and the alpha of sRGB formats, which it expands as their colours, is off by at most one; the
 * checksums were taken from this decoder at that time] */
static void random_astc_blocks(void **state)
{
    static const uint32_t sums[][2] = {
        /* UNORM, SRGB */
        {0x230885e1, 0xcf4e3074}, {0x397e2e87, 0x4f8cfa45}, {0x71a287b4, 0xb1121e8a}, {0xc4e410b7, 0x3647fa9d},
        {0x95768be8, 0x5e520586}, {0x9d3c9270, 0xa8fb8579}, {0x8603bbc5, 0xe6d61340}, {0x6ea90afd, 0x0e287e6c},
        {0xa77a3a1a, 0x46b015ca}, {0x869d4412, 0x6fea8a0a}, {0x0f858a28, 0x58ac6a22}, {0x345a9038, 0x008e8831},
        {0xe8d340c3, 0x8a290e69}, {0x9bc6664e, 0xf4d86e6c},
    };
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        for (int k = 0; k < 2; k++) {
            const enum hw_format format = (enum hw_format)(HW_FORMAT_ASTC_4x4_UNORM + 2 * (int)i + k);
            const uint32_t sum = astc_sum_of(format);
            if (sum != sums[i][k])
                fail_msg("%s: checksum 0x%08x, expected 0x%08x", hw_format_info(format)->name, sum, sums[i][k]);
        }
}

static void every_compressed_format_decodes(void **state)
{
    for (int f = 1; f < HW_FORMAT_COUNT; f++) {
        const struct hw_format_info *info = hw_format_info((enum hw_format)f);
        const enum hw_format decoded = hw_codec_decoded((enum hw_format)f);
        assert_int_equal(decoded != HW_FORMAT_NONE, info->block_w > 1 && f != HW_FORMAT_ETC1);
        if (decoded) {
            assert_int_equal(hw_format_info(decoded)->block_w, 1);
            assert_true(hw_format_is_srgb(decoded) == hw_format_is_srgb((enum hw_format)f));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(etc2_colors),
        cmocka_unit_test(bc_colors),
        cmocka_unit_test(single_channels),
        cmocka_unit_test(bptc),
        cmocka_unit_test(astc),
        cmocka_unit_test(random_blocks),
        cmocka_unit_test(random_astc_blocks),
        cmocka_unit_test(every_compressed_format_decodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
