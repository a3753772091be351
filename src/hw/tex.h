/* SPDX-License-Identifier: MIT
 *
 * Texture types of the texture unit, and sampling classes: how a program has to treat what it samples.
 */
#ifndef HW_TEX_H
#define HW_TEX_H

#include "hw/format.h"

enum hw_tex_type { /* [guide p.44 table 18] */
    HW_TEX_RGBA8888 = 0,
    HW_TEX_RGBX8888 = 1,
    HW_TEX_RGBA4444 = 2,
    HW_TEX_RGBA5551 = 3,
    HW_TEX_RGB565 = 4,
    HW_TEX_LUMINANCE = 5,
    HW_TEX_ALPHA = 6,
    HW_TEX_LUMALPHA = 7,
    HW_TEX_ETC1 = 8,
    HW_TEX_S16F = 9,
    HW_TEX_S8 = 10,
    HW_TEX_S16 = 11,
    HW_TEX_BW1 = 12,
    HW_TEX_A4 = 13,
    HW_TEX_A1 = 14,
    HW_TEX_RGBA64 = 15,
    HW_TEX_RGBA32R = 16,
    HW_TEX_YUYV422R = 17,
};

enum hw_tex_wrap { HW_WRAP_REPEAT, HW_WRAP_CLAMP, HW_WRAP_MIRROR, HW_WRAP_BORDER };
enum hw_tex_min { HW_MIN_LINEAR, HW_MIN_NEAREST, HW_MIN_NEAR_MIP_NEAR, HW_MIN_NEAR_MIP_LIN, HW_MIN_LIN_MIP_NEAR,
                  HW_MIN_LIN_MIP_LIN };

/*
 * Sampling class: what a program must know of a view and its sampler to turn a lookup into code. One small closed set;
 * sizes, strides, LOD bias and clamps, and border words are uniform words and no part of it. Equal bits mean equal
 * code.
 */
enum hw_sampling_method {
    HW_SAMPLE_NATIVE, /* the unit filters; r4 holds four 8-bit channels, to be swizzled, perhaps sRGB-decoded */
    HW_SAMPLE_RAW, /* the unit fetches words with nearest filters; decoded per `format`, filtered per `filters` in code
                    */
    HW_SAMPLE_DIRECT, /* addressed in code through direct lookups (3D, arrays, buffers, > 2048, several samples) */
    HW_SAMPLE_TILE,   /* an input attachment that is the subpass's colour attachment: the tile buffer's word */
};

/* Where texels lie that are addressed in code (HW_SAMPLE_DIRECT). */
enum hw_direct_layout {
    HW_DIRECT_LT,     /* all levels are LT */
    HW_DIRECT_T,      /* large levels are T, those behind them LT */
    HW_DIRECT_RASTER, /* rows; texels of more than a word in planes of words */
    HW_DIRECT_MS,     /* full-resolution dump of four samples */
    HW_DIRECT_RASTER_INTERLEAVED,   /* rows of texels of more than a word, whose words are neighbours */
};

struct hw_sampling_class {
    uint8_t method;     /* enum hw_sampling_method */
    uint8_t format;     /* enum hw_format of the texels, for decoding; sRGB decode is implied by its kind */
    uint8_t swizzle[4]; /* enum hw_swizzle, format and view swizzle combined: R, G, B, A as the shader sees them, in
                         * terms of bytes a, b, c, d of r4 for HW_SAMPLE_NATIVE, of R, G, B, A of `format` otherwise */
    uint8_t compare;    /* 0 none, else 1 + compare function (CL_COMPARE_*) of a shadow sampler */
    uint8_t flags;      /* HW_SAMPLING_* */
    uint8_t filters;    /* HW_FILTER_*, of what is filtered in code; else 0 */
    uint8_t wraps;      /* HW_SAMPLE_DIRECT: enum hw_tex_wrap of s, t, r in two bits each, s lowest */
    uint8_t levels;     /* of what is filtered in code: 1, or how many there may be, rounded up: 4, 8, HW_MAX_LEVELS */
    uint8_t layout;     /* HW_SAMPLE_DIRECT: enum hw_direct_layout */
    uint8_t anisotropy; /* > 1: the most lookups along the longer axis of a pixel */
};
#define HW_SAMPLING_UNNORMALIZED 1u /* coordinates in texels */
#define HW_SAMPLING_BORDER       2u /* some axis wraps to the border: an R parameter with the border word is passed */
#define HW_SAMPLING_LOD_CLAMP    4u /* the LOD must be clamped or biased in code from uniform words */
#define HW_SAMPLING_IN_CODE      8u /* levels and filters are chosen in code, per `filters`; texels come one by one */
#define HW_SAMPLING_MIRROR_S     16u /* the axis is mirrored once at 0, before it wraps */
#define HW_SAMPLING_MIRROR_T     32u
#define HW_SAMPLING_MIRROR_R     64u
#define HW_SAMPLING_FLOAT_DEPTH  128u /* compared: the reference is not clamped to [0, 1] */

#define HW_FILTER_MAG_LINEAR 1u
#define HW_FILTER_MIN_LINEAR 2u
#define HW_FILTER_MIP_LINEAR 4u

/* The texture type that samples `format` natively, or -1; `swizzle_out` in terms of r4's bytes. */
int hw_tex_type_for_format(enum hw_format format, uint8_t swizzle_out[4]);

#endif
