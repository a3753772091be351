/* SPDX-License-Identifier: MIT
 *
 * Tests hw/format.h: the table is consistent, all values of 8- and 16-bit formats round-trip, and clamping, rounding
 * and component order are right for chosen values. Tests hw/tex.h: the swizzles of the texture unit name the same
 * components as the format table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>
#include "hw/tex.h"

static bool is_texel_format(enum hw_format f)
{
    return f != HW_FORMAT_NONE && hw_format_info(f)->block_w == 1;
}

/* Each channel is in the upper bits of 16. */
static bool is_padded(const struct hw_format_info *info)
{
    return strchr(info->name, 'X') && strchr("RGBA", info->name[0]);
}

static void channels_fill_the_block(void **state)
{
    for (int f = 1; f < HW_FORMAT_COUNT; f++) {
        const struct hw_format_info *info = hw_format_info((enum hw_format)f);
        if (!info->name || !info->block_B)
            fail_msg("format %d has no row in the format table", f);
        if (!is_texel_format((enum hw_format)f) || f == HW_FORMAT_R9G9B9E5_UFLOAT || f == HW_FORMAT_Z24X8_LOW)
            continue;
        uint32_t used = 0;
        for (unsigned i = 0; i < info->channels; i++) {
            const struct hw_channel *c = &info->channel[i];
            assert_int_not_equal(c->kind, HW_KIND_NONE);
            used += is_padded(info) ? 16u - c->bits : 0;
            assert_int_equal(c->shift, used); /* lowest bits first, no gaps */
            assert_int_equal(c->shift / 32, (c->shift + c->bits - 1) / 32);
            used += c->bits;
        }
        bool in_word = f >= HW_FORMAT_R8_UNORM_WORD && f <= HW_FORMAT_A8_UNORM_WORD;
        if (in_word ? used > 16 || info->block_B != 4 : used != info->block_B * 8u)
            fail_msg("%s: the channels use %u of %u bits", info->name, used, info->block_B * 8u);
    }
}

/* The name spells the components from the lowest bits up. */
static void names_agree_with_rows(void **state)
{
    for (int f = 1; f < HW_FORMAT_COUNT; f++) {
        const struct hw_format_info *info = hw_format_info((enum hw_format)f);
        const char *name = info->name;
        if (!is_texel_format((enum hw_format)f) || !strchr("RGBA", name[0]))
            continue;
        for (unsigned i = 0; i < info->channels; i++) {
            const char *component = strchr("RGBA", *name);
            assert_non_null(component);
            assert_int_equal(info->swizzle[component - strchr("RGBA", 'R')], i);
            assert_int_equal(strtoul(name + 1, (char **)(uintptr_t)&name, 10), info->channel[i].bits);
            if (*name == 'X')
                assert_int_equal(strtoul(name + 1, (char **)(uintptr_t)&name, 10), 16 - info->channel[i].bits);
        }
    }
}

/* A _WORD format (a small texel in a 32-bit word) has the name and the channels of the small format. */
static void words_hold_small_texels(void **state)
{
    uint32_t found = 0;
    for (int f = 1; f < HW_FORMAT_COUNT; f++) {
        const struct hw_format_info *small = hw_format_info((enum hw_format)f);
        const struct hw_format_info *word = hw_format_info(hw_format_in_word((enum hw_format)f));
        if (word == small)
            continue;
        found++;
        assert_int_equal(strncmp(word->name, small->name, strlen(small->name)), 0);
        assert_string_equal(word->name + strlen(small->name), "_WORD");
        assert_true(small->block_B < 4 && word->block_B == 4 && word->channels == small->channels);
        assert_memory_equal(word->channel, small->channel, sizeof word->channel);
        assert_memory_equal(word->swizzle, small->swizzle, sizeof word->swizzle);
    }
    assert_int_equal(found, HW_FORMAT_A8_UNORM_WORD - HW_FORMAT_R8_UNORM_WORD + 1);
}

/* True for texels that decode to the same value as another encoding: the lowest SNORM code, NaNs, and bits that mean
 * nothing. */
static bool is_redundant_encoding(const struct hw_format_info *info, uint32_t word)
{
    uint32_t unused = word;
    for (unsigned i = 0; i < info->channels; i++) {
        const struct hw_channel *c = &info->channel[i];
        unused &= ~(((1u << c->bits) - 1) << c->shift);
        uint32_t bits = word >> c->shift & ((1u << c->bits) - 1);
        if (c->kind == HW_KIND_SNORM && bits == 1u << (c->bits - 1))
            return true;
        if (c->kind == HW_KIND_FLOAT && (bits & 0x7fff) > 0x7c00)
            return true;
    }
    return unused != 0;
}

static void small_formats_round_trip(void **state)
{
    int formats = 0;
    for (int f = 1; f < HW_FORMAT_COUNT; f++) {
        const struct hw_format_info *info = hw_format_info((enum hw_format)f);
        if (!is_texel_format((enum hw_format)f) || info->block_B > 2)
            continue;
        for (uint32_t word = 0; word < 1u << (info->block_B * 8); word++) {
            union hw_texel texel;
            uint32_t in = word, out = 0;
            hw_format_unpack((enum hw_format)f, &in, &texel);
            hw_format_pack((enum hw_format)f, &texel, &out);
            if (in != out && !is_redundant_encoding(info, word))
                fail_msg("%s: 0x%x came back as 0x%x", info->name, in, out);
        }
        formats++;
    }
    assert_true(formats > 30);
}

static void large_formats_round_trip(void **state)
{
    srand(2);
    for (int f = 1; f < HW_FORMAT_COUNT; f++) {
        const struct hw_format_info *info = hw_format_info((enum hw_format)f);
        if (!is_texel_format((enum hw_format)f) || info->block_B <= 2)
            continue;
        for (int n = 0; n < 2000; n++) {
            uint8_t in[16] = {0}, once[16] = {0}, twice[16] = {0};
            union hw_texel a, b;
            for (unsigned i = 0; i < info->block_B; i++)
                in[i] = (uint8_t)rand();
            hw_format_unpack((enum hw_format)f, in, &a);
            hw_format_pack((enum hw_format)f, &a, once);
            hw_format_unpack((enum hw_format)f, once, &b);
            hw_format_pack((enum hw_format)f, &b, twice);
            assert_memory_equal(once, twice, sizeof once);
        }
    }
}

static void half_floats_are_exact(void **state)
{
    for (uint32_t h = 0; h < 65536; h++) {
        float f = hw_half_to_float((uint16_t)h);
        if ((h & 0x7fff) > 0x7c00)
            assert_true(isnan(f) && isnan(hw_half_to_float(hw_float_to_half(f))));
        else
            assert_int_equal(hw_float_to_half(f), h);
    }
    assert_true(hw_half_to_float(0x3c00) == 1.0f);
    assert_true(hw_half_to_float(0xc000) == -2.0f);
    assert_true(hw_half_to_float(0x0001) == ldexpf(1, -24));
    assert_true(hw_half_to_float(0x7bff) == 65504.0f);
    /* Ties round to even. From the last tie upwards values round to infinity. */
    assert_int_equal(hw_float_to_half(1.0f + ldexpf(1, -11)), 0x3c00);
    assert_int_equal(hw_float_to_half(1.0f + 3 * ldexpf(1, -11)), 0x3c02);
    assert_int_equal(hw_float_to_half(65519.0f), 0x7bff);
    assert_int_equal(hw_float_to_half(65520.0f), 0x7c00);
    assert_int_equal(hw_float_to_half(ldexpf(1, -25)), 0);
    assert_int_equal(hw_float_to_half(ldexpf(1.5f, -25)), 1);
    assert_int_equal(hw_float_to_half(-INFINITY), 0xfc00);
}

static uint32_t pack1(enum hw_format f, float r, float g, float b, float a)
{
    union hw_texel t = {{r, g, b, a}};
    uint32_t out[4] = {0};
    hw_format_pack(f, &t, out);
    return out[0];
}

static void packs_as_vulkan_says(void **state)
{
    assert_int_equal(pack1(HW_FORMAT_R8G8B8A8_UNORM, 1, 0.5f, -3, 7), 0xff0080ff);
    assert_int_equal(pack1(HW_FORMAT_B8G8R8A8_UNORM, 1, 0.5f, 0, 1), 0xffff8000);
    assert_int_equal(pack1(HW_FORMAT_B5G6R5_UNORM, 1, 0, 0, 1), 0xf800);
    assert_int_equal(pack1(HW_FORMAT_R5G6B5_UNORM, 1, 0, 0, 1), 0x001f);
    assert_int_equal(pack1(HW_FORMAT_A1R5G5B5_UNORM, 1, 0, 0, 0), 0x003e);
    assert_int_equal(pack1(HW_FORMAT_R8_UNORM, NAN, 0, 0, 0), 0);
    assert_int_equal(pack1(HW_FORMAT_R8_SNORM, -2, 0, 0, 0), 0x81);
    assert_int_equal(pack1(HW_FORMAT_R8_SSCALED, -200, 0, 0, 0), 0x80);
    assert_int_equal(pack1(HW_FORMAT_Z24S8, 1, 0, 0, 0), 0xffffff00);
    assert_int_equal(pack1(HW_FORMAT_Z24X8_LOW, 1, 0, 0, 0), 0x00ffffff);
    assert_int_equal(pack1(HW_FORMAT_R8_SRGB, 0.5f, 0, 0, 0), 188);
    assert_int_equal(pack1(HW_FORMAT_R8G8B8A8_SRGB, 0, 0, 0, 0.5f), 0x80000000);
    assert_int_equal(pack1(HW_FORMAT_R11G11B10_UFLOAT, 1, -1, 1e9f, 0), 0x3c0 | 0x3dfu << 22);
    assert_int_equal(pack1(HW_FORMAT_R11G11B10_UFLOAT, INFINITY, -INFINITY, 0, 0), 0x7c0);
    assert_int_equal(pack1(HW_FORMAT_R9G9B9E5_UFLOAT, 1, 0.5f, 0, 0), 16u << 27 | 128u << 9 | 256);
    union hw_texel t = {.u = {300, 5, 0, 0}};
    uint32_t word = 0;
    hw_format_pack(HW_FORMAT_R8G8_UINT, &t, &word);
    assert_int_equal(word, 0x05ff);
    t.i[0] = -300;
    t.i[1] = 127;
    hw_format_pack(HW_FORMAT_R8G8_SINT, &t, &word);
    assert_int_equal(word & 0xffff, 0x7f80);
}

static void missing_components_are_0_and_1(void **state)
{
    union hw_texel t;
    const uint32_t word = 0xffffffff;
    hw_format_unpack(HW_FORMAT_R8_UNORM, &word, &t);
    assert_true(t.f[0] == 1 && t.f[1] == 0 && t.f[2] == 0 && t.f[3] == 1);
    hw_format_unpack(HW_FORMAT_R8_UINT, &word, &t);
    assert_true(t.u[0] == 255 && t.u[1] == 0 && t.u[2] == 0 && t.u[3] == 1);
    hw_format_unpack(HW_FORMAT_R8_SNORM, "\x80", &t);
    assert_true(t.f[0] == -1.0f);
    hw_format_unpack(HW_FORMAT_Z24S8, "\x12\xff\xff\xff", &t);
    assert_true(t.f[0] == 1.0f && t.u[1] == 0x12);
}

static void srgb_is_the_curve(void **state)
{
    for (int i = 0; i < 256; i++)
        assert_int_equal(lrintf(hw_linear_to_srgb(hw_srgb_to_linear((float)i / 255)) * 255), i);
    assert_true(fabsf(hw_srgb_to_linear(0.5f) - 0.2140411f) < 1e-6f);
    assert_true(hw_linear_to_srgb(2) == 1 && hw_linear_to_srgb(NAN) == 0);
    assert_true(hw_format_is_srgb(HW_FORMAT_B8G8R8A8_SRGB) && !hw_format_is_srgb(HW_FORMAT_B8G8R8A8_UNORM));
}

/* Derives from the format table in which byte the texture unit returns each component, and compares the swizzle. */
static void unit_bytes_name_the_same_components(void **state)
{
    int native = 0;
    for (int f = 1; f < HW_FORMAT_COUNT; f++) {
        uint8_t swizzle[4];
        int type = hw_tex_type_for_format((enum hw_format)f, swizzle);
        if (type < 0)
            continue;
        native++;
        const struct hw_format_info *info = hw_format_info((enum hw_format)f);
        for (unsigned i = 0; i < 4 && type != HW_TEX_ETC1; i++) {
            if (info->swizzle[i] > HW_SWIZZLE_W) {
                assert_int_equal(swizzle[i], info->swizzle[i]);
                continue;
            }
            unsigned channel = info->swizzle[i], shift = info->channel[channel].shift;
            unsigned byte = type == HW_TEX_RGBA8888 ? shift / 8
                            : type == HW_TEX_ALPHA ? 3
                            : type == HW_TEX_LUMALPHA ? (shift ? 3 : 0)
                                                      : info->channels - 1 - channel;
            assert_int_equal(swizzle[i], byte);
        }
    }
    assert_true(native > 10);
}

/* ---------------------------------------------------------------- rows */

enum { ROW = 509 };

/* Row functions give the same result as the functions for single texels. Unpacks random bytes. Packs values between
 * two codes, values out of range, and NaNs. */
static void rows_are_texels_side_by_side(void **state)
{
    static uint8_t blocks[ROW * 16], packed[ROW * 16], one[16];
    static union hw_texel row[ROW], texel;
    uint32_t seed = 1;
    for (uint32_t f = 1; f < HW_FORMAT_COUNT; f++) {
        const struct hw_format_info *info = hw_format_info((enum hw_format)f);
        if (info->block_w != 1 || !info->block_B)
            continue;
        for (uint32_t i = 0; i < sizeof blocks; i++)
            blocks[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
        hw_format_unpack_row((enum hw_format)f, blocks, ROW, row);
        for (uint32_t i = 0; i < ROW; i++) {
            hw_format_unpack((enum hw_format)f, blocks + (size_t)i * info->block_B, &texel);
            if (memcmp(&texel, &row[i], sizeof texel))
                fail_msg("%s: texel %u: hw_format_unpack_row and hw_format_unpack differ", info->name, i);
        }
        for (uint32_t i = 0; i < ROW && hw_format_kind((enum hw_format)f) != HW_KIND_UINT; i++)
            for (uint32_t c = 0; c < 4; c++) {
                seed = seed * 1664525 + 1013904223;
                row[i].u[c] = i % 3 ? util_fui((float)(seed >> 8) / (1 << 23) - 0.5f) : seed;
            }
        hw_format_pack_row((enum hw_format)f, row, ROW, packed);
        for (uint32_t i = 0; i < ROW; i++) {
            hw_format_pack((enum hw_format)f, &row[i], one);
            if (memcmp(one, packed + (size_t)i * info->block_B, info->block_B))
                fail_msg("%s: texel %u: hw_format_pack_row and hw_format_pack differ", info->name, i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_texels_side_by_side),
        cmocka_unit_test(channels_fill_the_block),
        cmocka_unit_test(names_agree_with_rows),
        cmocka_unit_test(words_hold_small_texels),
        cmocka_unit_test(small_formats_round_trip),
        cmocka_unit_test(large_formats_round_trip),
        cmocka_unit_test(half_floats_are_exact),
        cmocka_unit_test(packs_as_vulkan_says),
        cmocka_unit_test(missing_components_are_0_and_1),
        cmocka_unit_test(srgb_is_the_curve),
        cmocka_unit_test(unit_bytes_name_the_same_components),
    };
    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
