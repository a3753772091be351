/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hw/layout.h"
#include "hw/qpu.h"
#include "scene.h"
#include "util/thread.h"

#define FS_OFFSET 0x0000u
#define VS_OFFSET 0x1000u
#define CS_OFFSET 0x2000u

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    return addr >= 0x1000 && addr <= mem->size_B && size_B <= mem->size_B - addr;
}

void scene_code(struct scene *s, uint32_t address, const char *text)
{
    char *copy = strdup(text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        struct qpu_instr instr;
        char error[128];
        if (!line[strspn(line, " \t")])
            continue;
        if (!qpu_parse(line, &instr, error, sizeof error))
            fail_msg("\"%s\": %s", line, error);
        uint64_t word = qpu_encode(&instr);
        memcpy(s->mem.base + address, &word, 8);
        address += 8;
    }
    free(copy);
}

static void copy_program(struct scene *s, uint32_t address, unsigned rows)
{
    char text[1024];
    int n =
        snprintf(text, sizeof text, "ldi vpm_rd_setup, 0x%x ; ldi nop\nldi vpm_wr_setup, 0x1a00 ; ldi nop\nnop\nnop\n",
                 0x1a00 | rows << 20);
    for (unsigned i = 0; i < rows; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "mov r0, vpm\nmov vpm, r0\n");
    snprintf(text + n, sizeof text - (size_t)n, "nop ; nop ; end\nnop\nnop\n");
    scene_code(s, address, text);
}

void scene_fragment_program(struct scene *s, unsigned extra_varyings)
{
    char text[1024];
    int n = 0;
    for (unsigned i = 0; i < extra_varyings; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "mov r1, vary\n");
    snprintf(text + n, sizeof text - (size_t)n,
             "nop ; fmul r0, vary_b, ra15\n"
             "fadd r0, r0, r5\n"
             "ftoi r0, r0\n"
             "mov tlb_z, rb15\n"
             "nop\n"
             "mov tlb_c, r0\n"
             "nop ; nop ; end\n"
             "nop\n"
             "nop ; nop ; unlock_sb\n");
    scene_code(s, SCENE_CODE + FS_OFFSET, text);
}

void scene_fragment_text(struct scene *s, const char *text)
{
    scene_code(s, SCENE_CODE + FS_OFFSET, text);
}

static void write_programs(struct scene *s)
{
    copy_program(s, SCENE_CODE + CS_OFFSET, 7);
    copy_program(s, SCENE_CODE + VS_OFFSET, 4);
    scene_fragment_program(s, 0);

    uint8_t *at = s->mem.base + SCENE_RECORD;
    cl_gl_shader_record_pack(at, &(struct cl_gl_shader_record){
                                     .fs_single_threaded = true,
                                     .clipping = true,
                                     .fs_varyings = 1,
                                     .fs_code = SCENE_CODE + FS_OFFSET,
                                     .fs_uniforms_address = SCENE_UNIFORMS,
                                     .vs_attributes = 2,
                                     .vs_size_B = 16,
                                     .vs_code = SCENE_CODE + VS_OFFSET,
                                     .vs_uniforms_address = SCENE_UNIFORMS,
                                     .cs_attributes = 1,
                                     .cs_size_B = 28,
                                     .cs_code = SCENE_CODE + CS_OFFSET,
                                     .cs_uniforms_address = SCENE_UNIFORMS,
                                 });
    for (unsigned i = 0; i < 2; i++) /* 0: clip and screen words; 1: screen words, varying */
        cl_attribute_record_pack(at + CL_GL_SHADER_RECORD_SIZE_B + i * CL_ATTRIBUTE_RECORD_SIZE_B,
                                 &(struct cl_attribute_record){
                                     .address = SCENE_VERTICES + (i ? 16 : 0),
                                     .size_minus_1_B = i ? 15 : 27,
                                     .stride_B = sizeof(struct scene_vertex),
                                 });
}

struct scene *scene_create(uint32_t width_px, uint32_t height_px, unsigned threads)
{
    struct scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->mem = (struct gpu_memory){calloc(1, SCENE_MEMORY_B), SCENE_MEMORY_B, is_mapped};
    assert_non_null(s->mem.base);
    s->width_px = width_px;
    s->height_px = height_px;
    s->tile_alloc_B = SCENE_TILE_ALLOC_B;
    s->timeout_ns = UINT64_C(60000000000);
    s->spill_slots = (SCENE_MEMORY_B - SCENE_SPILL) / SCENE_SLOT_B;
    assert_int_equal(gpu_create(&s->mem, threads, &s->gpu), 0);
    util_stream_init(&s->bin, 4096, NULL);
    write_programs(s);
    return s;
}

void scene_destroy(struct scene *s)
{
    gpu_destroy(s->gpu);
    util_stream_finish(&s->bin);
    free(s->mem.base);
    free(s);
}

static uint16_t add_vertex(struct scene *s, const struct scene_vertex *v)
{
    memcpy(s->mem.base + SCENE_VERTICES + s->vertex_count * sizeof *v, v, sizeof *v);
    return (uint16_t)s->vertex_count++;
}

uint16_t scene_vertex(struct scene *s, float x_px, float y_px, float z, float w, float value)
{
    float half_w = (float)s->width_px / 2, half_h = (float)s->height_px / 2;
    float x = (x_px - half_w) / half_w, y = (y_px - half_h) / half_h;
    return add_vertex(s, &(struct scene_vertex){
                             .clip = {x * w, y * w, (2 * z - 1) * w, w},
                             .xs = (int16_t)((x_px - half_w) * 16),
                             .ys = (int16_t)((y_px - half_h) * 16),
                             .zs = z,
                             .rw = 1 / w,
                             .value = value,
                         });
}

uint16_t scene_clip_vertex(struct scene *s, const float clip[4], float value)
{
    struct scene_vertex v = {.clip = {clip[0], clip[1], clip[2], clip[3]}, .value = value};
    if (clip[3] > 0) {
        v.xs = (int16_t)(int)(clip[0] / clip[3] * (float)(s->width_px * 8));
        v.ys = (int16_t)(int)(clip[1] / clip[3] * (float)(s->height_px * 8));
        v.zs = clip[2] / clip[3] * 0.5f + 0.5f;
        v.rw = 1 / clip[3];
    }
    return add_vertex(s, &v);
}

static uint32_t tile_px(const struct scene *s)
{
    return s->ms_4x ? 32 : 64;
}

void scene_begin(struct scene *s)
{
    struct util_stream *b = &s->bin;
    util_stream_reset(b);
    cl_emit(b, TILE_BINNING_MODE_CONFIG, tile_binning_mode_config, p) {
        p.tile_alloc_address = SCENE_TILE_ALLOC;
        p.tile_alloc_size_B = s->tile_alloc_B;
        p.tile_state_address = SCENE_TILE_STATE;
        p.ms_4x = s->ms_4x;
        p.width_tl = util_div_round_up(s->width_px, tile_px(s));
        p.height_tl = util_div_round_up(s->height_px, tile_px(s));
        p.auto_init = true;
        p.block = 2;
    }
    cl_emit(b, START_TILE_BINNING, start_tile_binning, p) {}
    cl_emit(b, PRIMITIVE_LIST_FORMAT, primitive_list_format, p) {
        p.type = CL_LIST_TRIANGLES;
        p.data = 1;
    }
    cl_emit(b, CLIP_WINDOW, clip_window, p) {
        p.width_px = s->width_px;
        p.height_px = s->height_px;
    }
    cl_emit(b, CONFIGURATION_BITS, configuration_bits, p) {
        p.enable_front = p.enable_back = true;
        p.depth_function = CL_COMPARE_LESS;
        p.z_update = p.early_z_update = true;
        p.early_z = !s->ms_4x; /* HW-2905 */
        p.oversample = s->ms_4x;
    }
    cl_emit(b, POINT_SIZE, point_size, p) {
        p.size_px = 1;
    }
    cl_emit(b, LINE_WIDTH, line_width, p) {
        p.width_px = 1;
    }
    cl_emit(b, CLIPPER_XY_SCALING, clipper_xy_scaling, p) {
        p.half_width_16 = (float)(s->width_px * 8);
        p.half_height_16 = (float)(s->height_px * 8);
    }
    cl_emit(b, CLIPPER_Z_SCALE_OFFSET, clipper_z_scale_offset, p) {
        p.scale = 0.5f;
        p.offset = 0.5f;
    }
    cl_emit(b, VIEWPORT_OFFSET, viewport_offset, p) {
        p.centre_x = (float)s->width_px / 2;
        p.centre_y = (float)s->height_px / 2;
    }
    cl_emit(b, FLAT_SHADE_FLAGS, flat_shade_flags, p) {}
    cl_emit(b, GL_SHADER_STATE, gl_shader_state, p) {
        p.attribute_count = 2;
        p.address = SCENE_RECORD;
    }
}

void scene_draw_array(struct scene *s, enum cl_primitive mode, uint32_t first, uint32_t length)
{
    cl_emit(&s->bin, ARRAY_PRIMITIVES, array_primitives, p) {
        p.mode = mode;
        p.length = length;
        p.first = first;
    }
}

void scene_draw_indexed(struct scene *s, enum cl_primitive mode, const uint16_t *indices, uint32_t length)
{
    memcpy(s->mem.base + SCENE_INDICES, indices, length * sizeof *indices);
    cl_emit(&s->bin, INDEXED_PRIMITIVES, indexed_primitives, p) {
        p.mode = mode;
        p.index_type = 1;
        p.length = length;
        p.address = SCENE_INDICES;
        p.max_index = 0xffff;
    }
}

static bool spill(void *data, uint32_t *addr_out, uint32_t *size_B_out)
{
    struct scene *s = data;
    if (s->spill_slots_used == s->spill_slots)
        return false;
    *addr_out = SCENE_SPILL + s->spill_slots_used++ * SCENE_SLOT_B;
    *size_B_out = SCENE_SLOT_B;
    return true;
}

uint32_t scene_bin_list(struct scene *s)
{
    cl_emit(&s->bin, INCREMENT_SEMAPHORE, increment_semaphore, p) {}
    cl_emit(&s->bin, FLUSH, flush, p) {}
    assert_true(s->bin.size_B < SCENE_RENDER_LIST - SCENE_BIN_LIST);
    util_stream_gather(&s->bin, s->mem.base + SCENE_BIN_LIST);
    return SCENE_BIN_LIST + s->bin.size_B;
}

enum gpu_status scene_bin(struct scene *s)
{
    scene_bin_list(s);
    return scene_bin_again(s);
}

enum gpu_status scene_bin_again(struct scene *s)
{
    s->spill_slots_used = 0;
    struct gpu_bin_job job = {
        .ct0ca = SCENE_BIN_LIST,
        .ct0ea = SCENE_BIN_LIST + s->bin.size_B,
        .overspill = {s, spill},
        .limit_ns = s->timeout_ns,
        .counts = s->counts,
        .stats = s->stats,
    };
    s->message = NULL;
    return gpu_run_bin(s->gpu, &job, &s->message);
}

uint32_t scene_render_list(struct scene *s)
{
    uint32_t columns = util_div_round_up(s->width_px, tile_px(s)), rows = util_div_round_up(s->height_px, tile_px(s));
    struct util_stream r;
    util_stream_init(&r, 4096, NULL);
    cl_emit(&r, CLEAR_COLORS, clear_colors, p) {
        p.color0 = p.color1 = SCENE_CLEAR_COLOR;
        p.z = 0xffffff;
    }
    cl_emit(&r, TILE_COORDINATES, tile_coordinates, p) {}
    cl_emit(&r, STORE_GENERAL, store_general, p) {}
    cl_emit(&r, TILE_RENDERING_MODE_CONFIG, tile_rendering_mode_config, p) {
        p.address = SCENE_COLOR;
        p.width_px = s->width_px;
        p.height_px = s->height_px;
        p.format = 1;
        p.ms_4x = s->ms_4x;
        p.decimate = s->ms_4x ? 1 : 0;
    }
    for (uint32_t i = 0; i < columns * rows; i++) {
        cl_emit(&r, TILE_COORDINATES, tile_coordinates, p) {
            p.column = i % columns;
            p.row = i / columns;
        }
        if (i == 0)
            cl_emit(&r, WAIT_ON_SEMAPHORE, wait_on_semaphore, p) {}
        cl_emit(&r, BRANCH_TO_SUB_LIST, branch_to_sub_list, p) {
            p.address = SCENE_TILE_ALLOC + 32 * i;
        }
        if (s->ms_4x) {
            cl_emit(&r, STORE_FULL, store_full, p) {
                p.disable_zs = p.disable_clear = true;
                p.address = SCENE_DUMP + 16384 * i;
            }
            cl_emit(&r, TILE_COORDINATES, tile_coordinates, p) {
                p.column = i % columns;
                p.row = i / columns;
            }
        }
        if (i + 1 < columns * rows)
            cl_emit(&r, STORE_MS_RESOLVED, store_ms_resolved, p) {}
        else
            cl_emit(&r, STORE_MS_RESOLVED_END, store_ms_resolved_end, p) {}
    }
    util_stream_gather(&r, s->mem.base + SCENE_RENDER_LIST);
    const uint32_t end = SCENE_RENDER_LIST + r.size_B;
    util_stream_finish(&r);
    return end;
}

enum gpu_status scene_render(struct scene *s)
{
    struct gpu_render_job job = {
        .ct1ca = SCENE_RENDER_LIST,
        .ct1ea = scene_render_list(s),
        .limit_ns = s->timeout_ns,
        .counts = s->counts,
        .stats = s->stats,
    };
    s->message = NULL;
    return gpu_run_render(s->gpu, &job, &s->message);
}

void scene_run(struct scene *s)
{
    enum gpu_status status = scene_bin(s);
    if (status != GPU_OK)
        fail_msg("binning: %d, %s", status, s->message);
    status = scene_render(s);
    if (status != GPU_OK)
        fail_msg("rendering: %d, %s", status, s->message);
}

/* -- the frame -- */

static const uint8_t *pixel_at(const struct scene *s, uint32_t x, uint32_t y)
{
    return s->mem.base + SCENE_COLOR + y * util_align(s->width_px, 4) * 4 + x * 4;
}

uint32_t scene_pixel(const struct scene *s, uint32_t x, uint32_t y)
{
    uint32_t word;
    memcpy(&word, pixel_at(s, x, y), 4);
    return word;
}

uint32_t scene_sample(const struct scene *s, uint32_t x, uint32_t y, unsigned sample)
{
    uint32_t word;
    memcpy(&word, s->mem.base + SCENE_DUMP + hw_ms_offset_B(s->width_px, x, y, sample), 4);
    return word;
}

unsigned scene_count(const struct scene *s, uint32_t color)
{
    unsigned n = 0;
    for (uint32_t y = 0; y < s->height_px; y++)
        for (uint32_t x = 0; x < s->width_px; x++)
            n += scene_pixel(s, x, y) == color;
    return n;
}

uint32_t scene_hash(const struct scene *s)
{
    uint32_t hash = 2166136261u;
    for (uint32_t y = 0; y < s->height_px; y++)
        for (uint32_t x = 0; x < s->width_px; x++)
            hash = (hash ^ scene_pixel(s, x, y)) * 16777619u;
    return hash;
}
