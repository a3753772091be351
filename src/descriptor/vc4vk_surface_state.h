/* SPDX-License-Identifier: MIT
 *
 * Surface states: descriptors in the chip's terms. A surface state is computed once, when a view or a sampler is
 * created or a buffer descriptor is written. It is stored on the front of the block pool; binding-table entries refer
 * to it.
 *
 * The texture unit takes view and sampler combined in one pair of words, while Vulkan separates them. Each state
 * therefore holds its own bits of the words. They are combined when uniforms are written (vc4vk_tex_word) and when the
 * variant of a program is chosen (vc4vk_sampling_class).
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
    VC4VK_STATE_NULL, /* unwritten descriptor: lookups read zero */
    VC4VK_STATE_VIEW,
    VC4VK_STATE_SAMPLER,
    VC4VK_STATE_BUFFER, /* uniform, storage and texel buffers */
};

#define VC4VK_NO_TEX_TYPE 0xffu

/* All kinds of surface state have the same size (128 bytes), so binding-table entries need not know the kind. */
struct vc4vk_view_state {
    struct kmd_bo *bo;
    const struct hw_layout *layout; /* of the image; all its planes have the same */
    uint32_t p0, p1;                /* the view's bits: offset, type, levels and cube in P0, size in P1 */
    uint32_t cube_stride_B;
    uint32_t plane_stride_B;      /* from a word of a texel to the next word */
    uint16_t width_px, height_px; /* of the view's base level */
    uint16_t depth;               /* slices of a 3D view's base level */
    uint16_t layers;              /* of an array view; number of cubes for cube arrays */
    uint16_t slices;              /* all addressable slices, layers or faces */
    uint8_t base_level;           /* the view's first level, counted from the level that P0 names */
    uint8_t levels;
    uint8_t samples;
    uint8_t image_level;       /* the view's first level in the image */
    uint32_t direct_base_B;    /* offset in the BO of the view's last level, which is the lowest in memory */
    uint32_t direct_limit_B;   /* last byte offset from direct_base_B at which a word may be read */
    uint8_t format;            /* enum hw_format of the texels as sampled */
    uint8_t type;              /* enum hw_tex_type, or VC4VK_NO_TEX_TYPE: fetched raw, decoded by the program */
    uint8_t native_swizzle[4]; /* view and format combined, in terms of r4's bytes */
    uint8_t swizzle[4];        /* the same in terms of R, G, B, A of the format */
    uint8_t is_direct;         /* addressed by the program: 3D, several layers, above 2048 px, unsuitable layout */
    uint8_t direct_layout;     /* enum hw_direct_layout */
    uint8_t is_cube;
    uint8_t is_float_depth;           /* the Vulkan format is float depth; memory may hold 24-bit depth */
    const struct vc4vk_image *blocks; /* texels are compressed blocks: decoded after stores to them; else NULL */
    uint16_t first_layer;             /* first layer or slice of the view in the image */
};

/* A sampler's YCbCr conversion. */
struct vc4vk_conversion {
    uint8_t planes; /* 0: none */
    uint8_t bits, model, narrow, shift_x, shift_y, swizzle[4]; /* as in struct vc4c_conversion */
};

struct vc4vk_sampler_state {
    uint32_t p1_mip, p1_single; /* filters and wraps for views with several levels, and with one */
    uint32_t p1_wraps;          /* wraps only, for lookups that ignore the sampler's filters */
    float lod_bias, lod_min, lod_max;
    float border[4]; /* colour for float formats, and for integer formats */
    uint32_t border_int[4];
    uint8_t compare; /* 0 none, else 1 + CL_COMPARE_* */
    uint8_t unnormalized, uses_border, min_mag_differ;
    uint8_t filters; /* HW_FILTER_* */
    uint8_t wraps;   /* as in sampling classes */
    uint8_t mirrors; /* HW_SAMPLING_MIRROR_* */
    uint8_t anisotropy; /* maxAnisotropy rounded up; 0: off */
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

/* Properties of a program's lookups that the sampling class depends on. */
#define VC4VK_LOOKUP_FETCH_ONLY 1u /* no sampler is involved (texelFetch, size queries): `sampler` may be NULL */
#define VC4VK_LOOKUP_OFFSETS    2u /* some lookups have texel offsets */
#define VC4VK_LOOKUP_CHROMA     4u /* lookups of chroma planes: the unit's 8 bits per filtered texel are too few */

/* The class for which a program must be compiled to sample `view` (or a texel buffer) through `sampler`. `lookups`:
 * VC4VK_LOOKUP_*. Padding is zeroed because classes are compared as bytes. A null state gives the native RGBA8888
 * class. */
struct hw_sampling_class vc4vk_sampling_class(const struct vc4vk_surface_state *view,
                                              const struct vc4vk_surface_state *sampler, uint32_t lookups);

#define VC4VK_P1_NEAREST 1u /* nearest filters; ignores the sampler (texel fetch) */
#define VC4VK_P1_LEVELS  2u /* with VC4VK_P1_NEAREST: B is the level; otherwise level 0 is read */

/* The uniform words of a texture lookup: exactly those that a compiled program's uniform recipe can ask for. */
enum vc4vk_tex_word {
    VC4VK_TEX_P0,      /* byte offset in the view's BO, and fields; the kernel relocates it; data: word of the texel */
    VC4VK_TEX_P1,      /* data: VC4VK_P1_* */
    VC4VK_TEX_P2_LOD,  /* data: 1 = B is the LOD */
    VC4VK_TEX_BORDER,  /* data: word of the texel */
    VC4VK_TEX_WIDTH_F, /* data: level, relative to the view's base level */
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
    VC4VK_TEX_MIP_LINEAR_I, /* 1: the sampler blends two levels */
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

/* The format in which programs read and write the texels of a storage image or texel buffer. HW_FORMAT_NONE when
 * nothing is bound or the state has no format. */
enum hw_format vc4vk_stored_format(const struct vc4vk_surface_state *state);

/* The BO that a lookup's handle must name; NULL for a null state (bind any BO and expect zeros). */
struct kmd_bo *vc4vk_surface_state_bo(const struct vc4vk_surface_state *state);

/* The words of a buffer descriptor. */
enum vc4vk_buffer_word {
    VC4VK_BUFFER_BASE,  /* byte offset of the range in its BO */
    VC4VK_BUFFER_LIMIT, /* last byte offset that may be read: that of the last word; 0 when empty */
    VC4VK_BUFFER_SIZE,
};
/* The last byte offset at which a word of a range may be read. */
uint32_t vc4vk_last_word_B(uint32_t size_B);
uint32_t vc4vk_buffer_word(const struct vc4vk_surface_state *buffer, enum vc4vk_buffer_word word);

/* The CPU mapping of the range and its size in bytes; NULL and 0 for a null state. Uniform words are read from it when
 * a job is issued; the reader must return zero past the end. */
const void *vc4vk_buffer_contents(const struct vc4vk_surface_state *buffer, uint32_t *size_B_out);

#endif
