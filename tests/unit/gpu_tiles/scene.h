/* SPDX-License-Identifier: MIT
 *
 * A small picture drawn by hand-built control lists: memory with a chip on it, programs, vertices, a binning list that
 * the test fills, the render list as the kernel would write it.
 *
 * Vertices hold what the programs hand on: the coordinate program copies all of clip position and screen words, the
 * vertex program the screen words and one varying. The fragment program tests depth and writes the varying's value, as
 * an integer, into the colour word.
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
#define SCENE_DUMP        0x1200000u /* all samples, with four of them */
#define SCENE_INDICES     0x1400000u
#define SCENE_VERTICES    0x1600000u
#define SCENE_SPILL       0x2000000u /* to the end, in slots */
#define SCENE_SLOT_B      0x80000u

#define SCENE_CLEAR_COLOR 0x11223344u

struct scene_vertex {
    float clip[4];
    int16_t xs, ys; /* 12.4 from the viewport's centre */
    float zs, rw;
    float value; /* the varying */
};

struct scene {
    struct gpu_memory mem;
    struct gpu *gpu;
    uint32_t width_px, height_px;
    bool ms_4x;  /* four samples: set before scene_begin */
    struct util_stream bin; /* between scene_begin and scene_draw */
    unsigned vertex_count;
    uint32_t tile_alloc_B;
    unsigned spill_slots, spill_slots_used;
    uint64_t timeout_ns;
    uint64_t counts[GPU_COUNTS]; /* of all runs */
    struct model_stats *stats;   /* what they cost is added; NULL: it is not counted */
    const char *message;         /* of the last run */
};

struct scene *scene_create(uint32_t width_px, uint32_t height_px, unsigned threads);
void scene_destroy(struct scene *s);

/* Points have two varyings before the vertices' own, lines one: the program must read them. */
void scene_fragment_program(struct scene *s, unsigned extra_varyings);

/* Another program: one varying, lines of docs/qpu-text.md. */
void scene_fragment_text(struct scene *s, const char *text);

/* Appends a vertex at pixel (x, y), which lies at depth z in [0, 1] and has W = w; returns its index. */
uint16_t scene_vertex(struct scene *s, float x_px, float y_px, float z, float w, float value);
/* The same, given in clip space; what lies behind the eye has no screen position. */
uint16_t scene_clip_vertex(struct scene *s, const float clip[4], float value);

/* Starts the binning list and sets all state: no culling, depth LESS with updates. */
void scene_begin(struct scene *s);
void scene_draw_array(struct scene *s, enum cl_primitive mode, uint32_t first, uint32_t length);
void scene_draw_indexed(struct scene *s, enum cl_primitive mode, const uint16_t *indices, uint32_t length);

/* Ends the list and bins. */
enum gpu_status scene_bin(struct scene *s);
/* Bins the same list once more. */
enum gpu_status scene_bin_again(struct scene *s);
enum gpu_status scene_render(struct scene *s);
/* Both; fails the test unless both succeed. */
void scene_run(struct scene *s);

uint32_t scene_pixel(const struct scene *s, uint32_t x, uint32_t y);
uint32_t scene_sample(const struct scene *s, uint32_t x, uint32_t y, unsigned sample);
/* How many pixels of the frame hold this word. */
unsigned scene_count(const struct scene *s, uint32_t color);
/* Of the whole picture. */
uint32_t scene_hash(const struct scene *s);

#endif
