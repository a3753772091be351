/* SPDX-License-Identifier: MIT
 *
 * Surface states: what a descriptor means to the chip, made once, when a view, a sampler or a buffer descriptor is
 * made. They live on the front of the block pool; binding-table entries name them.
 *
 * The texture unit takes view and sampler in one pair of words, while Vulkan has them apart. So each state holds its
 * own bits of the words, and the pair is combined when uniforms are written (vc4vk_tex_word) and when the variant of a
 * program is chosen (vc4vk_sampling_class).
 */
#ifndef DESCRIPTOR_VC4VK_SURFACE_STATE_H
#define DESCRIPTOR_VC4VK_SURFACE_STATE_H

#include <vulkan/vulkan.h>
#include "hw/layout.h"
#include "hw/tex.h"

struct kmd_bo;
struct vc4vk_image;
struct vc4vk_image_view;

enum vc4vk_state_kind {
    VC4VK_STATE_NULL, /* nothing was written: lookups read zero */
    VC4VK_STATE_VIEW,
    VC4VK_STATE_SAMPLER,
    VC4VK_STATE_BUFFER, /* uniform, storage and texel buffers */
};

#define VC4VK_NO_TEX_TYPE 0xffu

/* Three kinds in one: every state is 128 bytes, so a binding-table entry can be read without knowing its kind. */
struct vc4vk_view_state {
    struct kmd_bo *bo;
    const struct hw_layout *layout; /* the image's, of each of its planes */
    uint32_t p0, p1;                /* the view's bits: place of level 0 of the first layer, type, levels, cube; size */
    uint32_t cube_stride_B;
    uint32_t plane_stride_B;      /* from a word of a texel to the next */
    uint16_t width_px, height_px; /* of the view's base level */
    uint16_t depth;               /* slices of a 3D view's base level */
    uint16_t layers;              /* of an array view; of cube arrays the cubes */
    uint16_t slices;              /* or layers, faces: all that can be addressed */
    uint8_t base_level;           /* the view's first level, counted from the level that P0 names */
    uint8_t levels;
    uint8_t samples;
    uint8_t image_level;       /* the view's first level in the image */
    uint32_t direct_base_B;    /* of the view's last level, the lowest in memory, in the BO */
    uint32_t direct_limit_B;   /* last byte offset from there that a word may be read at */
    uint8_t format;            /* enum hw_format of the texels as sampled */
    uint8_t type;              /* enum hw_tex_type, or VC4VK_NO_TEX_TYPE: fetched raw and decoded in code */
    uint8_t native_swizzle[4]; /* view and format combined, in terms of r4's bytes */
    uint8_t swizzle[4];        /* the same in terms of R, G, B, A of the format */
    uint8_t is_direct;         /* 3D, several layers, larger than 2048, or laid out otherwise than the unit expects */
    uint8_t direct_layout;     /* enum hw_direct_layout */
    uint8_t is_cube;
    uint8_t is_float_depth; /* to the application: in memory it may be of 24 bits */
    const struct vc4vk_image *blocks; /* its texels are blocks, to be decoded when they have been stored to; or NULL */
    uint16_t first_layer;             /* of the view in the image, or slice */
};

/* Of samplers that convert brightness and colour differences. */
struct vc4vk_conversion {
    uint8_t planes; /* 0: none */
    uint8_t bits, model, narrow, shift_x, shift_y, swizzle[4]; /* as vc4c_conversion has them */
};

struct vc4vk_sampler_state {
    uint32_t p1_mip, p1_single; /* filters and wraps for views with several levels, and with one */
    uint32_t p1_wraps;          /* the wraps alone, for lookups with filters of their own */
    float lod_bias, lod_min, lod_max;
    float border[4]; /* colour for float formats, and for integer formats */
    uint32_t border_int[4];
    uint8_t compare; /* 0 none, else 1 + CL_COMPARE_* */
    uint8_t unnormalized, uses_border, min_mag_differ;
    uint8_t filters; /* HW_FILTER_* */
    uint8_t wraps;   /* as in sampling classes */
    uint8_t mirrors; /* HW_SAMPLING_MIRROR_* */
    uint8_t anisotropy; /* 0, or what is asked for, rounded up */
    struct vc4vk_conversion conversion;
};

struct vc4vk_buffer_state {
    struct kmd_bo *bo;
    uint32_t base_B; /* byte offset in the BO */
    uint32_t size_B; /* range */
    uint8_t format;  /* enum hw_format of texel buffers, else HW_FORMAT_NONE */
    uint8_t storage;
    uint32_t texels;
};

struct vc4vk_surface_state {
    uint32_t kind; /* enum vc4vk_state_kind */
    union {
        struct vc4vk_view_state view;
        struct vc4vk_sampler_state sampler;
        struct vc4vk_buffer_state buffer;
    };
};

#define VC4VK_SURFACE_STATE_B 128u
_Static_assert(sizeof(struct vc4vk_surface_state) <= VC4VK_SURFACE_STATE_B, "surface states are buckets of 128 bytes");

/* What of the lookups a class depends on. */
#define VC4VK_LOOKUP_FETCH_ONLY 1u /* no sampler is involved (texelFetch, size queries): `sampler` may be NULL */
#define VC4VK_LOOKUP_OFFSETS    2u /* some have offsets in texels */
#define VC4VK_LOOKUP_CHROMA     4u /* of colour differences: the unit's eight bits of a filtered texel are too few */

/* The class a program must be compiled for to sample `view`, perhaps a texel buffer, through `sampler`; lookups:
 * VC4VK_LOOKUP_*. Zeroed padding: classes are compared as bytes. A null state gives the native RGBA8888 class. */
struct hw_sampling_class vc4vk_sampling_class(const struct vc4vk_surface_state *view,
                                              const struct vc4vk_surface_state *sampler, uint32_t lookups);

#define VC4VK_P1_NEAREST 1u /* nearest filters whatever the sampler says (texel fetch) */
#define VC4VK_P1_LEVELS  2u /* with VC4VK_P1_NEAREST: B is the level; otherwise level 0 is read */

/* The words of a textured lookup, one for one what a compiled program's uniform recipe can ask for. */
enum vc4vk_tex_word {
    VC4VK_TEX_P0,      /* byte offset in the view's BO, and fields: the kernel relocates it; data: word of the texel */
    VC4VK_TEX_P1,      /* data: VC4VK_P1_* */
    VC4VK_TEX_P2_LOD,  /* data: 1 = B is the LOD */
    VC4VK_TEX_BORDER,  /* data: word of the texel */
    VC4VK_TEX_WIDTH_F, /* data: level, counted from the view's base level */
    VC4VK_TEX_HEIGHT_F,
    VC4VK_TEX_DEPTH_F,
    VC4VK_TEX_RCP_WIDTH_F,
    VC4VK_TEX_RCP_HEIGHT_F,
    VC4VK_TEX_RCP_DEPTH_F,
    VC4VK_TEX_WIDTH_I,
    VC4VK_TEX_HEIGHT_I,
    VC4VK_TEX_DEPTH_I, /* depth or layers */
    VC4VK_TEX_LEVELS_I,
    VC4VK_TEX_SAMPLES_I,
    VC4VK_TEX_LOD_BIAS_F,
    VC4VK_TEX_LOD_MIN_F,
    VC4VK_TEX_LOD_MAX_F,
    VC4VK_TEX_BASE_LEVEL_F,
    VC4VK_TEX_LAST_LEVEL_F,
    VC4VK_TEX_MIP_LINEAR_I, /* 1: the sampler takes two levels */
    VC4VK_TEX_DIRECT_LIMIT,
    VC4VK_TEX_DIRECT_BASE,  /* byte offset in the view's BO */
    VC4VK_TEX_DIRECT_LEVEL, /* data: level */
    VC4VK_TEX_DIRECT_PITCH, /* data: level */
    VC4VK_TEX_DIRECT_LAYER,
    VC4VK_TEX_DIRECT_WORD,
    VC4VK_TEX_DIRECT_T_LEVELS,
};
uint32_t vc4vk_tex_word(const struct vc4vk_surface_state *view, const struct vc4vk_surface_state *sampler,
                        enum vc4vk_tex_word word, uint32_t data);

/* The format in which programs read and write the texels of a storage image or texel buffer; HW_FORMAT_NONE: there is
 * none, or nothing is bound. */
enum hw_format vc4vk_stored_format(const struct vc4vk_surface_state *state);

/* The BO that a lookup's handle must name; NULL for a null state (bind any BO and expect zeros). */
struct kmd_bo *vc4vk_surface_state_bo(const struct vc4vk_surface_state *state);

/* The words of a buffer descriptor. */
enum vc4vk_buffer_word {
    VC4VK_BUFFER_BASE,  /* byte offset of the range in its BO */
    VC4VK_BUFFER_LIMIT, /* last byte offset that may be read: range rounded down to 4, minus 4; 0 when empty */
    VC4VK_BUFFER_SIZE,
};
uint32_t vc4vk_buffer_word(const struct vc4vk_surface_state *buffer, enum vc4vk_buffer_word word);

/* Where the range is mapped and how many bytes of it exist; NULL and 0 for a null state. Uniform words are read from
 * there when a job is issued: bytes past the end read as zero. */
const void *vc4vk_buffer_contents(const struct vc4vk_surface_state *buffer, uint32_t *size_B_out);

#endif
