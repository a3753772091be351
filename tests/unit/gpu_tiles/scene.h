/* SPDX-License-Identifier: MIT
 *
 * A small frame drawn by hand-built control lists: a chip with memory, programs, vertices, a binning list that the test
 * fills, and a render list like the kernel's.
 *
 * The programs only copy the vertex data: the coordinate program the clip position and all screen words, the vertex
 * program the screen words and one varying. The fragment program tests depth and writes the varying's value, as an
 * integer, to the colour word.
 */
#ifndef TEST_GPU_SCENE_H
#define TEST_GPU_SCENE_H

#include "hw/cl.h"
#include "model/gpu/gpu.h"

#define SCENE_MEMORY_B    (64u << 20)
#define SCENE_CODE        0x10000u
#define SCENE_UNIFORMS    0x20000u
#define SCENE_RECORD      0x30000u
#define SCENE_BIN_LIST    0x40000u
#define SCENE_RENDER_LIST 0x80000u
#define SCENE_TILE_STATE  0x200000u
#define SCENE_TILE_ALLOC  0x300000u
#define SCENE_TILE_ALLOC_B 0x80000u
#define SCENE_COLOR       0x800000u
#define SCENE_DUMP        0x1200000u /* all samples of a four-sample frame */
#define SCENE_INDICES     0x1400000u
#define SCENE_VERTICES    0x1600000u
#define SCENE_SPILL       0x2000000u /* spill slots up to the end of the memory */
#define SCENE_SLOT_B      0x80000u

#define SCENE_CLEAR_COLOR 0x11223344u

struct scene_vertex {
    float clip[4];
    int16_t xs, ys; /* 12.4, relative to the viewport's centre */
    float zs, rw;
    float value; /* the varying */
};

struct scene {
    struct gpu_memory mem;
    struct gpu *gpu;
    uint32_t width_px, height_px;
    bool ms_4x;  /* four samples: set before scene_begin */
    struct util_stream bin; /* the binning list, between scene_begin and scene_bin */
    unsigned vertex_count;
    uint32_t tile_alloc_B;
    unsigned spill_slots, spill_slots_used;
    uint64_t timeout_ns;
    uint64_t counts[GPU_COUNTS]; /* of all runs */
    struct model_stats *stats;   /* receives the cost of all runs; NULL: cost is not counted */
    const char *message;         /* of the last run */
};

struct scene *scene_create(uint32_t width_px, uint32_t height_px, unsigned threads);
void scene_destroy(struct scene *s);

/* Sets the standard fragment program. Points have two extra varyings before the vertices' own and lines have one, which
 * the program has to read. */
void scene_fragment_program(struct scene *s, unsigned extra_varyings);

/* Sets another fragment program with one varying, in the text form of docs/qpu-text.md. */
void scene_fragment_text(struct scene *s, const char *text);

/* Appends a vertex at pixel (x, y) with depth z in [0, 1] and W = w; returns its index. */
uint16_t scene_vertex(struct scene *s, float x_px, float y_px, float z, float w, float value);
/* The same in clip space; a vertex behind the eye gets no screen position. */
uint16_t scene_clip_vertex(struct scene *s, const float clip[4], float value);

/* Starts the binning list and sets all state: no culling, depth LESS with updates. */
void scene_begin(struct scene *s);
void scene_draw_array(struct scene *s, enum cl_primitive mode, uint32_t first, uint32_t length);
void scene_draw_indexed(struct scene *s, enum cl_primitive mode, const uint16_t *indices, uint32_t length);

/* Writes a program at an address, of one instruction per line. */
void scene_code(struct scene *s, uint32_t address, const char *text);

/* Ends the binning list and writes it, or writes the render list; returns the list's end. */
uint32_t scene_bin_list(struct scene *s);
uint32_t scene_render_list(struct scene *s);

/* Ends the binning list and runs it. */
enum gpu_status scene_bin(struct scene *s);
/* Bins the same list once more. */
enum gpu_status scene_bin_again(struct scene *s);
enum gpu_status scene_render(struct scene *s);
/* Bins and renders; fails the test unless both succeed. */
void scene_run(struct scene *s);

uint32_t scene_pixel(const struct scene *s, uint32_t x, uint32_t y);
uint32_t scene_sample(const struct scene *s, uint32_t x, uint32_t y, unsigned sample);
/* The number of pixels with this colour. */
unsigned scene_count(const struct scene *s, uint32_t color);
/* A hash of the whole frame. */
uint32_t scene_hash(const struct scene *s);

#endif
