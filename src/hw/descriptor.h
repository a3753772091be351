/* SPDX-License-Identifier: MIT
 *
 * Descriptors in memory, as programs of the CPU engine read them (docs/cpu-engine.md), and the lookups of sampled
 * images that the engine itself performs for programs that know a view and a sampler by the addresses of their
 * descriptors only. The driver writes descriptors, programs pass their addresses on, and the engine reads them: all
 * must agree on this.
 */
#ifndef HW_DESCRIPTOR_H
#define HW_DESCRIPTOR_H

#include "hw/layout.h"
#include "hw/tex.h"

/* A buffer, a storage image or a storage texel buffer, word for word. A null descriptor is all zero: reads give zero,
 * and stores have no effect. */
struct hw_engine_descriptor {
    uint32_t address; /* address of the range or of the first texel */
    union {
        uint32_t limit_B;        /* buffers: bytes from `address` on that may be accessed, a multiple of 4 */
        uint32_t texel_stride_B; /* storage images and texel buffers: bytes between texels */
    };
    union {
        uint32_t size_B;        /* buffers: size of the range */
        uint32_t word_stride_B; /* storage images and texel buffers: bytes between the words of a texel */
    };
    uint32_t width, height, depth; /* storage images: in texels; depth: slices, layers or 6 * cubes. Texel buffers:
                                    * width only */
    uint32_t row_stride_B, layer_stride_B; /* storage images are in raster order, or dumps of four samples, whose rows
                                            * contain all samples */
    uint32_t format, texel_B;              /* storage images and texel buffers: enum hw_format, bytes per texel */
};

/* A sampled image or a uniform texel buffer. Without an address it is null: lookups and queries give zero. */
struct hw_view_descriptor {
    uint32_t address;  /* of the view's last level, which is lowest in memory; of the range of a texel buffer */
    uint32_t limit_B;  /* offset of the last word that may be read */
    uint32_t width_px; /* of the base level; the texels of a texel buffer */
    uint16_t height_px, depth_px, slices; /* slices: all addressable slices, layers or faces */
    uint8_t levels, samples;
    uint8_t format;     /* enum hw_format */
    uint8_t layout;     /* enum hw_direct_layout */
    uint8_t t_levels;   /* HW_DIRECT_T: that many levels are T, the others LT */
    uint8_t flags;      /* HW_VIEW_* */
    uint8_t swizzle[4]; /* of R, G, B, A of the format */
    uint32_t layer_stride_B;
    uint32_t word_stride_B;                  /* between the words of a texel that are in planes; 0: they are adjacent */
    uint32_t cpp;                            /* bytes of an element of the layout */
    uint32_t level_offset_B[HW_MAX_LEVELS];  /* from `address` */
    uint16_t level_stride_dw[HW_MAX_LEVELS]; /* words from one row of elements to the next; not of MS */
};
#define HW_VIEW_BUFFER      1u
#define HW_VIEW_CUBE        2u
#define HW_VIEW_FLOAT_DEPTH 4u /* comparison does not clamp the reference to [0, 1] */

/* The texels of an MS view are in blocks of four samples; each sample of a pixel is one word. */

struct hw_sampler_descriptor {
    float lod_bias, lod_min, lod_max;
    uint8_t compare; /* 0 none, else 1 + compare function (CL_COMPARE_*) */
    uint8_t filters; /* HW_FILTER_* */
    uint8_t wraps;   /* enum hw_tex_wrap of s, t, r in two bits each, s lowest; HW_WRAPS_PER_FACE */
    uint8_t mirrors; /* HW_SAMPLING_MIRROR_* */
    uint8_t unnormalized;
    uint8_t anisotropy; /* > 1: the maximum number of lookups along the longer axis of a footprint */
    uint8_t zero[2];
    float border[4];        /* R, G, B, A; of depth R */
    uint32_t border_int[4]; /* for lookups of integers; of stencil R */
};

/* An element of an array of descriptors that can hold a view and a sampler has the sampler at this offset. One that can
 * hold anything has a struct hw_engine_descriptor behind both. */
#define HW_SAMPLER_OFFSET_B ((uint32_t)sizeof(struct hw_view_descriptor))
#define HW_ENGINE_OFFSET_B  (HW_SAMPLER_OFFSET_B + (uint32_t)sizeof(struct hw_sampler_descriptor))

_Static_assert(sizeof(struct hw_engine_descriptor) == 40 && sizeof(struct hw_view_descriptor) == 132 &&
                   sizeof(struct hw_sampler_descriptor) == 52,
               "descriptors are arrays of words");

/* ---------------------------------------------------------------- lookups by the engine */

/* A program stores the arguments of a lookup in consecutive slots of its scratch memory, each a word for every lane,
 * and then the address of its lane's first argument to the lane's word of the row at HW_LOOKUP_ADDR, 0 in lanes without
 * a lookup. The engine performs the lookups before that store has arrived, and stores the results in four more slots.
 */
#define HW_LOOKUP_ADDR 2112u /* 16 words in the page that is never mapped */

enum hw_lookup_slot {
    HW_LOOKUP_WHAT,    /* HW_LOOKUP_* */
    HW_LOOKUP_VIEW,    /* address of a struct hw_view_descriptor */
    HW_LOOKUP_SAMPLER, /* address of a struct hw_sampler_descriptor; not read by fetches and most queries */
    HW_LOOKUP_S,       /* coordinates: floats, integers of fetches */
    HW_LOOKUP_T,
    HW_LOOKUP_R,
    HW_LOOKUP_LAYER,
    HW_LOOKUP_REFERENCE, /* of comparisons */
    HW_LOOKUP_LOD,       /* with HAS_LOD: float, integer of fetches and queries; with HAS_STEPS: a bias */
    HW_LOOKUP_DX,        /* with HAS_STEPS: derivatives of s, t, r */
    HW_LOOKUP_DY = HW_LOOKUP_DX + 3,
    HW_LOOKUP_OFFSET = HW_LOOKUP_DY + 3, /* with HAS_OFFSET: in texels, of s, t, r */
    HW_LOOKUP_SAMPLE = HW_LOOKUP_OFFSET + 3,
    HW_LOOKUP_RESULT,
    HW_LOOKUP_SLOTS = HW_LOOKUP_RESULT + 4
};

enum hw_lookup_kind {
    HW_LOOKUP_FILTERED,
    HW_LOOKUP_FETCH,
    HW_LOOKUP_GATHER,
    HW_LOOKUP_QUERY_SIZE,
    HW_LOOKUP_QUERY_LEVELS,
    HW_LOOKUP_QUERY_SAMPLES,
    HW_LOOKUP_QUERY_LOD,
    HW_LOOKUP_KINDS
};

/* The argument HW_LOOKUP_WHAT. Dimensions are those of the shader's type; a view of another one is no error. */
enum hw_lookup_dim { HW_LOOKUP_1D, HW_LOOKUP_2D, HW_LOOKUP_3D, HW_LOOKUP_CUBE, HW_LOOKUP_BUFFER };
#define HW_LOOKUP_KIND(what)      ((what)&7)
#define HW_LOOKUP_DIM(what)       ((what) >> 3 & 7)
#define HW_LOOKUP_IS_ARRAY        BIT(6)
#define HW_LOOKUP_COMPARES        BIT(7)
#define HW_LOOKUP_IS_INTEGER      BIT(8) /* the result; of depth and stencil it selects the stencil */
#define HW_LOOKUP_HAS_LOD         BIT(9)
#define HW_LOOKUP_HAS_STEPS       BIT(10)
#define HW_LOOKUP_HAS_OFFSET      BIT(11)
#define HW_LOOKUP_HAS_SAMPLE      BIT(12)
#define HW_LOOKUP_COMPONENT(what) ((what) >> 13 & 3) /* of gathers */

#endif
