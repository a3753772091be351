/* SPDX-License-Identifier: MIT
 *
 * Tile buffer (TLB): colour, depth and stencil of one tile, the depth and stencil test, colour access of fragment
 * programs, clearing, and loading from and storing to surfaces in memory.
 */
#ifndef GPU_TLB_H
#define GPU_TLB_H

#include "hw/cl_gen.h"
#include "hw/qpu.h"
#include "model/gpu/gpu.h"

/* 64 x 64 pixels of one sample; with four samples the same memory holds 32 x 32 pixels. */
#define GPU_TLB_WIDTH_PX 64
#define GPU_TLB_MS_WIDTH_PX 32
#define GPU_TLB_SAMPLES  (GPU_TLB_WIDTH_PX * GPU_TLB_WIDTH_PX)
#define GPU_TLB_QUADS    (GPU_TLB_SAMPLES / 4)

#define GPU_Z_MAX 0xffffffu

/* Values that the buffer is filled with after a clearing store. */
struct gpu_tlb_clear {
    uint32_t color;
    uint32_t zs; /* as in memory: Z in 31:8, stencil in 7:0 */
};

/* Stencil words of one face [guide p.49-50 tables 27, 28]. */
struct gpu_stencil_face {
    uint8_t function, ref, mask, write_mask;
    uint8_t op_fail, op_z_fail, op_z_pass;
};

enum { GPU_FACE_FRONT, GPU_FACE_BACK, GPU_FACES };

struct gpu_tlb {
    /* Stored quad by quad, four pixels each. With four samples: sample 0 of all four pixels, then sample 1, and so on,
     * which is also the layout of a dump of all samples in memory. */
    _Alignas(64) uint32_t color[GPU_TLB_SAMPLES];
    uint32_t zs[GPU_TLB_SAMPLES];
    uint32_t early_z[GPU_TLB_QUADS]; /* early-Z shadow: an upper bound of the depths in the quad */
    bool ms_4x;                      /* four samples: fixed for a frame */
    /* Deferred clears, see gpu_tlb_defer_clear(). */
    bool color_pending, zs_pending;
    struct gpu_tlb_clear pending;

    /* stencil state of the running fragment program */
    bool stencil_enabled;
    struct gpu_stencil_face stencil[GPU_FACES];
    /* from the configuration bits */
    uint8_t depth_function;
    bool z_update, early_z_update;
};

/* Distance in words from one sample of a pixel to the next. */
#define GPU_TLB_SAMPLE_STEP 4

/* Pixels along a tile's side. */
static inline uint32_t gpu_tlb_tile_px(const struct gpu_tlb *tlb)
{
    return tlb->ms_4x ? GPU_TLB_MS_WIDTH_PX : GPU_TLB_WIDTH_PX;
}

/* Number of a pixel's quad. Frame coordinates may be passed. */
static inline unsigned gpu_tlb_quad(uint32_t x_px, uint32_t y_px)
{
    return (y_px & (GPU_TLB_WIDTH_PX - 1)) / 2 * (GPU_TLB_WIDTH_PX / 2) + (x_px & (GPU_TLB_WIDTH_PX - 1)) / 2;
}

/* Index of the pixel's sample. */
static inline unsigned gpu_tlb_index(uint32_t x_px, uint32_t y_px)
{
    return gpu_tlb_quad(x_px, y_px) * 4 + (y_px & 1) * 2 + (x_px & 1);
}

/* The same with four samples per pixel; the index is that of sample 0. */
static inline unsigned gpu_tlb_ms_quad(uint32_t x_px, uint32_t y_px)
{
    return (y_px & (GPU_TLB_MS_WIDTH_PX - 1)) / 2 * (GPU_TLB_MS_WIDTH_PX / 2) + (x_px & (GPU_TLB_MS_WIDTH_PX - 1)) / 2;
}

static inline unsigned gpu_tlb_ms_index(uint32_t x_px, uint32_t y_px)
{
    return gpu_tlb_ms_quad(x_px, y_px) * 16 + (y_px & 1) * 2 + (x_px & 1);
}

void gpu_tlb_clear_color(struct gpu_tlb *tlb, uint32_t color);
void gpu_tlb_clear_zs(struct gpu_tlb *tlb, uint32_t zs);

/* Deferred clears: done when the buffer is first accessed, or never, because many tiles are never drawn to. Loads and
 * stores apply the clear of the buffer that they access; drawing code must apply both. */
void gpu_tlb_defer_clear(struct gpu_tlb *tlb, const struct gpu_tlb_clear *clear, bool color, bool zs);
void gpu_tlb_apply_color_clear(struct gpu_tlb *tlb);
void gpu_tlb_apply_zs_clear(struct gpu_tlb *tlb);

void gpu_tlb_configure(struct gpu_tlb *tlb, const struct cl_configuration_bits *config);

/* -- fragment programs -- */

/* Resets the per-program state: the stencil test is off when a program starts. */
void gpu_tlb_begin_program(struct gpu_tlb *tlb);
void gpu_tlb_stencil_setup(struct gpu_tlb *tlb, uint32_t word);

/* Positions of the quads of a batch: gpu_tlb_quad() or gpu_tlb_ms_quad(). */
struct gpu_tlb_lanes {
    uint16_t quad[QPU_LANES / 4];
};

/* Index of a quad's first sample. */
static inline unsigned gpu_tlb_quad_index(const struct gpu_tlb *tlb, unsigned quad)
{
    return tlb->ms_4x ? quad * 16 : quad * 4;
}

/* Depth and stencil test with update for the lanes of the mask; samples that fail lose their coverage. All samples of a
 * pixel have the pixel's depth: whether the chip adds the slope within the pixel is not documented (unverified). */
void gpu_tlb_z_test(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                    const uint32_t rev_flag[QPU_LANES], uint32_t lanes, uint32_t ms_flags[QPU_LANES]);

/* -- gpu_tlb_mem.c: surfaces -- */

enum gpu_color_format { GPU_COLOR_RGBA8888, GPU_COLOR_BGR565_DITHERED, GPU_COLOR_BGR565 }; /* as in records 28, 29 */

/* A surface in memory. The size is that of the frame; the stride follows from its width. */
struct gpu_surface {
    uint32_t address;
    uint32_t width_px, height_px;
    uint32_t layout; /* enum cl_layout */
    uint32_t format; /* enum gpu_color_format; depth is always 32 bits */
    bool resolve;    /* 4x colour stores: true: store the mean of the samples; false: sample 0 */
};

/* Copy tile (column, row) between buffer and surface. With four samples per pixel, loads set all of them to the pixel's
 * value, and stores of depth take sample 0, which is not documented (unverified). False if the surface is not entirely
 * mapped. */
bool gpu_tlb_load_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t column,
                        uint32_t row);
bool gpu_tlb_store_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s,
                         uint32_t column, uint32_t row);
bool gpu_tlb_load_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s, uint32_t column,
                     uint32_t row);
bool gpu_tlb_store_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, const struct gpu_surface *s,
                      uint32_t column, uint32_t row);

/* Copy all samples unchanged, 16 KiB at the tile's own address. With one sample per pixel the order, row by row, is the
 * model's own (unverified). */
#define GPU_TLB_DUMP_B (GPU_TLB_SAMPLES * 4)
bool gpu_tlb_load_all_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, uint32_t address);
bool gpu_tlb_load_all_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, uint32_t address);
bool gpu_tlb_store_all_color(struct gpu_tlb *tlb, const struct gpu_memory *mem, uint32_t address);
bool gpu_tlb_store_all_zs(struct gpu_tlb *tlb, const struct gpu_memory *mem, uint32_t address);

/* Conversion of one pixel, as loads and stores do it. */
uint32_t gpu_color_from_565(uint16_t p);
uint16_t gpu_color_to_565(uint32_t rgba);

#endif
