/* SPDX-License-Identifier: MIT
 *
 * The texture types of the texture unit, and sampling classes, which tell the compiler how a program must fetch, decode
 * and filter the texels of a view.
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
 * Sampling class: all properties of a view and its sampler that change the code of a lookup. The set is small and
 * closed. Sizes, strides, LOD bias and clamps, and border words are uniform words, not part of the class. Equal bits
 * mean equal code.
 */
enum hw_sampling_method {
    HW_SAMPLE_NATIVE, /* the unit filters; code swizzles the four 8-bit channels of r4 and may decode sRGB */
    HW_SAMPLE_RAW,    /* the unit fetches words (nearest); code decodes per `format` and filters per `filters` */
    HW_SAMPLE_DIRECT, /* code computes addresses for direct lookups (3D, arrays, buffers, > 2048, several samples) */
    HW_SAMPLE_TILE,   /* an input attachment that is the subpass's colour attachment: read from the tile buffer */
};

/* Memory layout of texels that are addressed in code (HW_SAMPLE_DIRECT). */
enum hw_direct_layout {
    HW_DIRECT_LT,     /* all levels are LT */
    HW_DIRECT_T,      /* large levels are T, the smaller ones LT */
    HW_DIRECT_RASTER, /* rows; a texel of several words has each word in a plane of its own */
    HW_DIRECT_MS,     /* full-resolution dump of four samples */
    HW_DIRECT_RASTER_INTERLEAVED,   /* rows; the words of a texel are adjacent */
};

struct hw_sampling_class {
    uint8_t method;     /* enum hw_sampling_method */
    uint8_t format;     /* enum hw_format of the texels, for decoding; its kind implies sRGB decoding */
    uint8_t swizzle[4]; /* enum hw_swizzle of R, G, B, A as the shader sees them: format and view swizzle combined.
                         * Selects bytes a, b, c, d of r4 for HW_SAMPLE_NATIVE, else R, G, B, A of `format` */
    uint8_t compare;    /* 0 none, else 1 + compare function (CL_COMPARE_*) of a shadow sampler */
    uint8_t flags;      /* HW_SAMPLING_* */
    uint8_t filters;    /* HW_FILTER_* when code filters, else 0 */
    uint8_t wraps; /* HW_SAMPLE_DIRECT: enum hw_tex_wrap of s, t, r in two bits each, s lowest; HW_WRAPS_PER_FACE */
    uint8_t levels;     /* when code filters: 1, or the maximum level count rounded up to 4, 8, 12 or HW_MAX_LEVELS */
    uint8_t layout;     /* HW_SAMPLE_DIRECT: enum hw_direct_layout */
    uint8_t anisotropy; /* > 1: maximum number of lookups along the longer axis of a pixel's footprint */
};
#define HW_SAMPLING_UNNORMALIZED 1u /* coordinates in texels */
#define HW_SAMPLING_BORDER       2u /* some axis wraps to the border: code passes the border word as parameter R */
#define HW_SAMPLING_LOD_CLAMP    4u /* code clamps or biases the LOD by uniform words */
#define HW_SAMPLING_IN_CODE      8u /* code selects levels and filters per `filters` and fetches single texels */
#define HW_SAMPLING_MIRROR_S     16u /* the axis is mirrored once at 0 before it wraps */
#define HW_SAMPLING_MIRROR_T     32u
#define HW_SAMPLING_MIRROR_R     64u
#define HW_SAMPLING_FLOAT_DEPTH  128u /* comparison does not clamp the reference to [0, 1] */

#define HW_WRAPS_PER_FACE 64u /* cubes: each face wraps as an image, instead of reading adjacent faces at its edges */

#define HW_FILTER_MAG_LINEAR 1u
#define HW_FILTER_MIN_LINEAR 2u
#define HW_FILTER_MIP_LINEAR 4u
/* Instead of their weighted mean, a filter yields the least or the greatest of the texels that have a weight. */
#define HW_FILTER_LEAST    8u
#define HW_FILTER_GREATEST 16u

/* The texture type that samples `format` natively, or -1. `swizzle_out` selects bytes of r4. */
int hw_tex_type_for_format(enum hw_format format, uint8_t swizzle_out[4]);

#endif
