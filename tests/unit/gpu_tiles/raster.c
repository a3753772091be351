/* SPDX-License-Identifier: MIT
 *
 * model/gpu/gpu_raster.h: draws random primitives and compares the tile buffer with a reference rasteriser that handles
 * one sample at a time, for every vector implementation that this host can run. VKT_SEED sets the seed, VKT_FUZZ=full
 * runs many more scenes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hw/qpu.h"
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_raster.h"
#include "model/gpu/gpu_simd.h"

#define CODE     0x1000u
#define MEMORY_B 0x3000u

static uint8_t memory[MEMORY_B];

static bool is_mapped(const struct gpu_memory *m, uint32_t addr, uint32_t size_B)
{
    return addr >= 0x1000 && addr <= m->size_B && size_B <= m->size_B - addr;
}

static const struct gpu_memory mem = {memory, MEMORY_B, is_mapped, NULL};

/* The state that a scene is drawn with. */
struct setting {
    bool ms_4x, oversample, early_z, z_update, shows_w;
    unsigned depth_function;
    struct gpu_rect window;
};

/* A primitive after the vertex program. */
struct primitive {
    enum cl_list_type type;
    struct gpu_corner corner[3];
    float size_px;
};

static uint32_t random_state, seed_of_scene;

static uint32_t next(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static int32_t between(int32_t low, int32_t high)
{
    return low + (int32_t)(next() % (uint32_t)(high - low + 1));
}

/* Assembles a program that tests depth; its colour is W, or encodes dx and dy. */
static void assemble(bool shows_w)
{
    static const char *const lines[2][10] = {
        {"mov r0, vary", "nop", "mov tlb_z, rb15", "nop", "mov tlb_c, r0", "nop ; nop ; end", "nop",
         "nop ; nop ; unlock_sb"},
        {"mov r1, vary", "mov r0, ra15", "mov tlb_z, rb15", "nop", "mov tlb_c, r0", "nop ; nop ; end", "nop",
         "nop ; nop ; unlock_sb"},
    };
    for (unsigned i = 0; lines[shows_w][i]; i++) {
        struct qpu_instr instr;
        char error[128];
        if (!qpu_parse(lines[shows_w][i], &instr, error, sizeof error))
            fail_msg("%s: %s", lines[shows_w][i], error);
        uint64_t word = qpu_encode(&instr);
        memcpy(memory + CODE + 8 * i, &word, 8);
    }
}

/* -- the reference rasteriser -- */

struct reference {
    uint32_t color[GPU_TLB_WIDTH_PX][GPU_TLB_WIDTH_PX][GPU_SAMPLES], z[GPU_TLB_WIDTH_PX][GPU_TLB_WIDTH_PX][GPU_SAMPLES];
    uint64_t quads;
};

static uint32_t to_z24(double z)
{
    return z >= (double)GPU_Z_MAX ? GPU_Z_MAX : z > 0 ? (uint32_t)z : 0;
}

static bool passes(unsigned function, uint32_t a, uint32_t b)
{
    return function >> (a < b ? 0 : a == b ? 1 : 2) & 1;
}

static bool is_inside(const struct gpu_shape *shape, int32_t x, int32_t y, unsigned sample, bool multisampled)
{
    for (unsigned i = 0; i < shape->edge_count; i++)
        if (gpu_edge_at(&shape->edge[i], x, y) +
                (multisampled ? gpu_edge_to_sample(&shape->edge[i], sample) : 0) < 0)
            return false;
    return true;
}

/* Depth and W are computed at the quad's first pixel and stepped from there. */
static void draw_pixel(struct reference *p, const struct setting *set, const struct gpu_setup *s, int32_t x, int32_t y,
                       unsigned samples)
{
    float dx0 = (float)(x & ~1) + 0.5f - s->reference_x_px, dy0 = (float)(y & ~1) + 0.5f - s->reference_y_px;
    double z = s->z.value + s->z.dx * dx0 + s->z.dy * dy0;
    float rw = (float)(s->rw.value + s->rw.dx * dx0 + s->rw.dy * dy0);
    z = x & 1 ? z + s->z.dx : z;
    z = y & 1 ? z + s->z.dy : z;
    rw = rw + (float)(x & 1) * (float)s->rw.dx + (float)(y & 1) * (float)s->rw.dy;
    float dx = (float)x + 0.5f - s->reference_x_px, dy = (float)y + 0.5f - s->reference_y_px;
    const float w = 1.0f / rw < INFINITY ? 1.0f / rw : INFINITY; /* never NaN */
    uint32_t color = util_fui(set->shows_w ? w : dx + 64.0f * dy), z24 = to_z24(z);
    const unsigned count = set->ms_4x ? GPU_SAMPLES : 1, last = set->ms_4x ? 31 : 63;
    for (unsigned n = 0; n < count; n++) {
        uint32_t *old = &p->z[(unsigned)y & last][(unsigned)x & last][n];
        if (!(samples & BIT(n)) || !passes(set->depth_function, z24, *old))
            continue;
        *old = set->z_update ? z24 : *old;
        p->color[(unsigned)y & last][(unsigned)x & last][n] = color;
    }
}

static void draw_reference(struct reference *p, const struct setting *set, const struct gpu_setup *s,
                        const struct gpu_rect *tile)
{
    const bool multisampled = set->ms_4x && set->oversample;
    struct gpu_rect area = gpu_rect_intersect(multisampled ? &s->shape.outline : &s->shape.bounds, tile);
    area = gpu_rect_intersect(&area, &set->window);
    bool quad[32][32] = {{false}};
    for (int32_t y = area.y0; y < area.y1; y++) {
        for (int32_t x = area.x0; x < area.x1; x++) {
            unsigned samples = 0;
            for (unsigned n = 0; n < GPU_SAMPLES; n++)
                samples |= is_inside(&s->shape, x, y, n, multisampled) ? BIT(n) : 0;
            if (!samples)
                continue;
            p->quads += !quad[(y & 63) / 2][(x & 63) / 2];
            quad[(y & 63) / 2][(x & 63) / 2] = true;
            draw_pixel(p, set, s, x, y, samples);
        }
    }
}

/* -- random scenes -- */

static struct primitive random_primitive(const struct gpu_rect *tile)
{
    struct primitive d = {.type = next() % 8 ? CL_LIST_TRIANGLES : next() % 2 ? CL_LIST_LINES : CL_LIST_POINTS,
                      .size_px = (float)between(0, 200) / 8.0f};
    const unsigned kind = next() % 6;
    static const int32_t reach_12p4[6] = {40, 160, 1200, 20000, 60000, 600};
    int32_t x = between(tile->x0 * 16 - 200, tile->x1 * 16 + 200);
    int32_t y = between(tile->y0 * 16 - 200, tile->y1 * 16 + 200);
    for (unsigned i = 0; i < 3; i++) {
        struct gpu_corner *c = &d.corner[i];
        c->screen.x = x + between(-reach_12p4[kind], reach_12p4[kind]);
        c->screen.y = y + (kind == 5 ? between(-20, 20) : between(-reach_12p4[kind], reach_12p4[kind]));
        if (next() % 3 == 0) /* edges through pixel centres */
            c->screen.x = (c->screen.x & ~15) + 8, c->screen.y = (c->screen.y & ~15) + 8;
        c->zs = (float)between(-100, 1100) / 1000.0f;
        c->rw = (float)between(1, 1000) / 100.0f;
    }
    return d;
}

static struct setting random_setting(const struct gpu_rect *tile)
{
    struct setting s = {.ms_4x = tile->x1 - tile->x0 == GPU_TLB_MS_WIDTH_PX, .oversample = next() % 4 != 0,
                        .z_update = next() % 4 != 0, .shows_w = next() % 2};
    s.early_z = next() % 2;
    s.depth_function = s.early_z ? CL_COMPARE_LESS + 2 * (next() % 2) : next() % 8;
    s.window = (struct gpu_rect){0, 0, 4096, 4096};
    if (next() % 2)
        s.window = (struct gpu_rect){between(tile->x0, tile->x1), between(tile->y0, tile->y1),
                                     between(tile->x0, tile->x1), between(tile->y0, tile->y1)};
    return s;
}

/* A plane as it results from vertices with NaN or infinite coordinates. */
static struct gpu_plane random_special_plane(void)
{
    static const uint64_t words[] = {
        UINT64_C(0x7ff8123456789abc), UINT64_C(0xfffabcdef0123456), UINT64_C(0x7ff0000000000000),
        UINT64_C(0xfff0000000000000), UINT64_C(0x3ff0000000000000), UINT64_C(0x0000000000000000),
    };
    double each[3];
    for (unsigned i = 0; i < 3; i++)
        memcpy(&each[i], &words[next() % ARRAY_SIZE(words)], sizeof each[i]);
    return (struct gpu_plane){each[0], each[1], each[2]};
}

static struct gpu_fep fep;
static struct gpu_tlb tlb;
static struct reference reference;

static void begin(const struct setting *set, const struct gpu_rect *tile, struct gpu_qpu_core *core,
                  const struct gpu_fep_code *code)
{
    const char *message;
    const struct cl_configuration_bits config = {
        .depth_function = set->depth_function, .z_update = set->z_update, .early_z_update = true};
    memset(&fep, 0, sizeof fep);
    memset(&tlb, 0, sizeof tlb);
    gpu_fep_init(&fep, core, &tlb);
    fep.code = code;
    code->serve(&fep.io);
    tlb.ms_4x = set->ms_4x;
    gpu_tlb_clear_color(&tlb, 1);
    gpu_tlb_clear_zs(&tlb, 0x80000000);
    gpu_tlb_configure(&tlb, &config);
    gpu_qpu_begin_job(core);
    fep.program = gpu_qpu_program_get(core, CODE, &message);
    fep.varying_count = 1;
    fep.early_z = set->early_z;
    fep.multisampled = set->ms_4x && set->oversample;
    fep.tile = *tile;
}

static unsigned differences(const struct setting *set, int32_t width_px)
{
    unsigned count = 0;
    for (int32_t y = 0; y < width_px; y++) {
        for (int32_t x = 0; x < width_px; x++) {
            const uint32_t ux = (uint32_t)x, uy = (uint32_t)y;
            const unsigned at = set->ms_4x ? gpu_tlb_ms_index(ux, uy) : gpu_tlb_index(ux, uy);
            for (unsigned n = 0; n < (set->ms_4x ? GPU_SAMPLES : 1u); n++)
                count += tlb.color[at + 4 * n] != reference.color[y][x][n] ||
                         tlb.zs[at + 4 * n] >> 8 != reference.z[y][x][n];
        }
    }
    return count;
}

static void run_scene(struct gpu_qpu_core *core, const struct gpu_fep_code *code)
{
    const bool ms_4x = next() % 3 == 0;
    const int32_t px = ms_4x ? GPU_TLB_MS_WIDTH_PX : GPU_TLB_WIDTH_PX;
    const int32_t x0 = between(0, 30) * px, y0 = between(0, 30) * px;
    const struct gpu_rect tile = {x0, y0, x0 + px, y0 + px};
    const struct setting set = random_setting(&tile);
    struct gpu_state state = {.line_width_px = (float)between(1, 60) / 8.0f};
    const struct gpu_shader shader = {.rec = {.fs_varyings = 1}};
    const uint32_t words[GPU_VERTEX_WORDS + 1] = {0};
    assemble(set.shows_w);
    begin(&set, &tile, core, code);
    memset(&reference, 0, sizeof reference);
    for (int32_t i = 0; i < 64 * 64 * 4; i++) {
        (&reference.color[0][0][0])[i] = 1;
        (&reference.z[0][0][0])[i] = 0x800000;
    }
    for (unsigned n = 0; n < 12; n++) {
        const struct primitive d = random_primitive(&tile);
        struct gpu_setup *s = gpu_fep_setup(&fep);
        struct gpu_setup_in in = {.type = d.type, .state = &state, .shader = &shader, .vertex = {words, words, words}};
        memcpy(in.corner, d.corner, sizeof in.corner);
        state.point_size_px = d.size_px;
        if (!gpu_setup_primitive(s, &in))
            continue;
        s->varying[0] = (struct gpu_varying){.a = 1.0f, .b = 64.0f};
        if (set.shows_w && next() % 4 == 0)
            s->rw = random_special_plane();
        draw_reference(&reference, &set, s, &tile);
        assert_true(gpu_fep_draw(&fep, &set.window));
    }
    assert_true(gpu_fep_flush(&fep));
    if (differences(&set, px))
        fail_msg("%s: differs from the reference, VKT_SEED=0x%x", code->host, seed_of_scene);
    if (!set.early_z)
        assert_int_equal(fep.counts[GPU_COUNT_QUADS], reference.quads);
    assert_int_equal(fep.counts[GPU_COUNT_QUADS] + fep.counts[GPU_COUNT_QUADS_CLIPPED], reference.quads);
}

static void random_primitives_cover_what_a_simple_rasteriser_covers(void **unused)
{
    const char *seed = getenv("VKT_SEED"), *full = getenv("VKT_FUZZ");
    const unsigned scenes = full && !strcmp(full, "full") ? 20000 : 400;
    struct gpu_qpu_core *core;
    assert_int_equal(gpu_qpu_core_create(&mem, &core), 0);
    for (enum gpu_simd_host host = GPU_SIMD_BASE; host < GPU_SIMD_HOSTS; host++) {
        if (!gpu_simd_for(host))
            continue;
        random_state = seed ? (uint32_t)strtoul(seed, NULL, 0) : 1;
        struct gpu_fp_mode mode = gpu_fp_enter();
        for (unsigned i = 0; i < scenes; i++) {
            seed_of_scene = random_state;
            run_scene(core, gpu_fep_code_for(host));
        }
        gpu_fp_leave(mode);
    }
    gpu_qpu_core_destroy(core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_primitives_cover_what_a_simple_rasteriser_covers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
