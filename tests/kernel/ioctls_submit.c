/* SPDX-License-Identifier: MIT
 *
 * SUBMIT_CL: jobs that obey all rules (clears without a binning list, triangles, textures), and such jobs with one or
 * two damages. Most damages break one rule; some are harmless.
 *
 * What a kernel accepts runs, so no damage may make a job that reads or writes memory of others, or that runs for long.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "ioctls.h"

enum { BASE_CLEAR, BASE_ARRAY, BASE_INDEXED, BASE_TEXTURE, BASE_TEXTURE_4, BASE_DIRECT, BASE_THREADED, BASE_COUNT };

static const char *const base_names[] = {"clear", "array", "indexed", "texture", "texture-4", "direct", "threaded"};

struct job {
    struct file *file;
    uint32_t base;
    struct drm_vc4_submit_cl args;
    uint32_t handles[16];
    uint8_t list[256];
    uint32_t list_B;
    uint8_t record[256]; /* indices of buffers, then the record */
    uint32_t record_B;
    uint32_t uniforms[16];
    uint32_t uniform_words;
    uint32_t draw_at, config_at; /* offsets of the packets in the list */
    bool stores_nothing;         /* certain to be refused */
};

/* -- packets -- */

static void put(uint8_t *to, uint32_t *at, uint64_t value, uint32_t size_B)
{
    memcpy(to + *at, &value, size_B);
    *at += size_B;
}

static void u8(struct job *job, uint32_t value)
{
    put(job->list, &job->list_B, value, 1);
}

static void u16(struct job *job, uint32_t value)
{
    put(job->list, &job->list_B, value, 2);
}

static void u32(struct job *job, uint32_t value)
{
    put(job->list, &job->list_B, value, 4);
}

static void f32(struct job *job, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    u32(job, bits);
}

static void write_state(struct job *job)
{
    job->config_at = job->list_B;
    u8(job, 112); /* tile binning mode config: the kernel fills in the addresses */
    u32(job, 0);
    u32(job, 0);
    u32(job, 0);
    u8(job, 1);
    u8(job, 1);
    u8(job, 0);
    u8(job, 6);  /* start tile binning */
    u8(job, 56); /* primitive list format: triangles, 16-bit indices */
    u8(job, 0x12);
    u8(job, 102); /* clip window */
    u16(job, 0);
    u16(job, 0);
    u16(job, 64);
    u16(job, 64);
    u8(job, 96); /* configuration bits: both faces, depth always passes */
    u16(job, 0x7003);
    u8(job, 0);
    u8(job, 105); /* clipper XY scaling, in 1/16 px */
    f32(job, 512);
    f32(job, 512);
    u8(job, 106); /* clipper Z scale and offset */
    f32(job, 0.5f);
    f32(job, 0.5f);
    u8(job, 103); /* viewport offset, 12.4 */
    u16(job, 32 * 16);
    u16(job, 32 * 16);
}

static void write_draw(struct job *job)
{
    u8(job, 64); /* GL shader state: one attribute */
    u32(job, 1);
    if (job->base == BASE_INDEXED) {
        u8(job, 254); /* GEM handles */
        u32(job, JOB_INDICES);
        u32(job, 0);
        job->draw_at = job->list_B;
        u8(job, 32); /* indexed primitives: triangles, 16-bit indices */
        u8(job, 0x14);
        u32(job, 6);
        u32(job, 0);
        u32(job, 2);
    } else {
        job->draw_at = job->list_B;
        u8(job, 33); /* vertex array primitives: triangles */
        u8(job, 4);
        u32(job, 3);
        u32(job, 0);
    }
}

static void write_record(struct job *job)
{
    static const uint32_t bos[] = {JOB_FS, JOB_VS, JOB_CS, JOB_VERTICES};
    uint8_t *r = job->record;
    uint32_t *at = &job->record_B;
    for (size_t i = 0; i < COUNT_OF(bos); i++)
        put(r, at, bos[i], 4);
    put(r, at, job->base == BASE_THREADED ? 0 : 1, 2); /* flags: the fragment program is single-threaded */
    put(r, at, 0, 2);                                  /* uniforms, varyings */
    put(r, at, 0, 8);                                  /* code, uniforms' address */
    for (int i = 0; i < 2; i++) {                      /* vertex and coordinate program */
        put(r, at, 0, 2);
        put(r, at, 1, 1);  /* attributes */
        put(r, at, 12, 1); /* bytes */
        put(r, at, 0, 8);
    }
    put(r, at, 0, 4);  /* the attribute's offset */
    put(r, at, 11, 1); /* size - 1 */
    put(r, at, 12, 1); /* stride */
    put(r, at, 0, 2);  /* VPM offsets */
    job->args.shader_rec_count = 1;
}

/* Texture of 64 x 64 texels, 32 bits each, after the small levels. */
#define P0_OFFSET (16u * 1024)
#define P1_64X64  (64u << 20 | 64u << 8 | 1u << 7 | 1u << 4)

static void write_uniforms(struct job *job)
{
    uint32_t *u = job->uniforms, n = 0;
    switch (job->base) {
    case BASE_TEXTURE:
    case BASE_TEXTURE_4:
        u[n++] = JOB_TEXTURE;
        u[n++] = P0_OFFSET;
        u[n++] = P1_64X64;
        if (job->base == BASE_TEXTURE_4) {
            u[n++] = 0;
            u[n++] = 0;
        }
        break;
    case BASE_DIRECT: /* the clamp, then the base: index of the buffer first */
        u[n++] = JOB_TEXTURE;
        u[n++] = TEXTURE_B - 4;
        u[n++] = 0;
        break;
    default:
        u[n++] = 0xff00c0ff; /* colour */
    }
    job->uniform_words = n;
}

static void init_job(struct job *job, struct file *file, uint32_t base)
{
    static const uint8_t fragment_programs[] = {JOB_FS,           JOB_FS,        JOB_FS,         JOB_FS_TEXTURE,
                                                JOB_FS_TEXTURE_4, JOB_FS_DIRECT, JOB_FS_THREADED};
    const struct drm_vc4_submit_rcl_surface absent = {.hindex = UINT32_MAX};
    memset(job, 0, sizeof *job);
    job->file = file;
    job->base = base;
    memcpy(job->handles, file->job, JOB_BO_COUNT * sizeof job->handles[0]);
    job->handles[JOB_FS] = file->job[fragment_programs[base]];
    job->args = (struct drm_vc4_submit_cl){
        .bo_handle_count = JOB_BO_COUNT,
        .width = 64,
        .height = 64,
        .color_read = absent,
        .zs_read = absent,
        .zs_write = absent,
        .msaa_color_write = absent,
        .msaa_zs_write = absent,
        .color_write = {.hindex = JOB_COLOR, .bits = 1 << 2}, /* RGBA8888 in rows */
        .flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR,
        .clear_color = {0xff202020, 0xff202020},
        .clear_z = 0xffffff,
    };
    if (base == BASE_CLEAR)
        return;
    write_state(job);
    write_draw(job);
    u8(job, 7); /* increment semaphore */
    u8(job, 4); /* flush */
    write_record(job);
    write_uniforms(job);
}

/* -- variants that obey the rules -- */

/* With several tiles nothing is loaded, as the order of one tile's loads and another tile's stores is nobody's choice.
 */
static void vary_surfaces(struct job *job, bool may_have_tiles)
{
    static const uint16_t sizes[] = {16, 33, 64, 64, 100, 128};
    struct drm_vc4_submit_cl *a = &job->args;
    a->clear_color[0] = a->clear_color[1] = rnd32();
    a->clear_z = rnd32() & 0xffffff;
    a->clear_s = (uint8_t)rnd(256);
    if (job->base == BASE_CLEAR) {
        a->width = sizes[rnd(may_have_tiles ? COUNT_OF(sizes) : 4)];
        a->height = sizes[rnd(may_have_tiles ? COUNT_OF(sizes) : 4)];
        a->max_x_tile = (uint8_t)((a->width - 1) / 64);
        a->max_y_tile = (uint8_t)((a->height - 1) / 64);
        a->flags |= rnd(8) << 1;
    }
    const uint32_t format = rnd(3), layout = rnd(3), read_format = rnd(3), read_layout = rnd(3);
    a->color_write.bits = (uint16_t)(format << 2 | layout << 6);
    if (chance(30))
        a->zs_write = (struct drm_vc4_submit_rcl_surface){.hindex = JOB_ZS, .bits = (uint16_t)(2 | rnd(3) << 4)};
    if (chance(15) && !may_have_tiles)
        a->color_read = (struct drm_vc4_submit_rcl_surface){
            .hindex = JOB_COLOR, .bits = (uint16_t)(1 | read_layout << 4 | read_format << 8)};
    if (chance(10) && !may_have_tiles)
        a->zs_read = (struct drm_vc4_submit_rcl_surface){.hindex = JOB_ZS, .bits = (uint16_t)(2 | rnd(3) << 4)};
    if (chance(10))
        a->color_write.offset = 16 * rnd(64);
    if (chance(5)) {
        a->zs_write.hindex = JOB_ZS;
        a->zs_write.bits = 2;
        a->color_write.hindex = UINT32_MAX;
    }
}

/* -- damages -- */

static const char *damage_handles(struct job *job)
{
    static const uint32_t bad[] = {0, 9999, 0x80000000, 0xffffffff};
    const char *address;
    uint32_t at = rnd(JOB_BO_COUNT);
    switch (rnd(7)) {
    case 0:
        job->handles[at] = PICK(bad);
        return "handle-bad";
    case 1: /* HAZARD: not fewer, so that no index of a program is the count: kernels read past the table */
        job->args.bo_handle_count = JOB_VERTICES + 1 + rnd(5);
        return "handles-fewer";
    case 2:
        job->args.bo_handle_count += 1 + rnd(4);
        return "handles-more";
    case 3:
        job->args.bo_handle_count = 0;
        return "handles-none";
    case 4: {
        uint32_t from = JOB_VERTICES + rnd(JOB_BO_COUNT - JOB_VERTICES), to = JOB_VERTICES + rnd(5);
        job->handles[from] = job->handles[to]; /* kernels lock each buffer once */
        return from == to ? "handle-same" : "handle-twice";
    }
    case 5: { /* unused by the job: any ordinary buffer of the file, of a state nobody knows */
        job->handles[JOB_BO_COUNT] = job->file->bos[rnd(BO_SLOTS)].handle;
        job->args.bo_handle_count = JOB_BO_COUNT + 1;
        return "handle-slot";
    }
    default:
        job->args.bo_handles = (uintptr_t)bad_address(&address);
        return address;
    }
}

static const char *damage_flags(struct job *job)
{
    switch (rnd(4)) {
    case 0:
        job->args.flags |= 16u << rnd(28);
        return "flags";
    case 1:
        job->args.pad2 = 1u << rnd(32);
        return "pad2";
    case 2:
        job->args.perfmonid = chance(50) ? 9999 : 0xffffffff;
        return "perfmon-bad";
    default:
        job->args.in_sync = chance(50) ? 9999 : 0xffffffff;
        return "in-sync-bad";
    }
}

/* HAZARD: kernels keep the buffers' locks when out_sync is found bad, and the next job with one of them waits for ever.
 * So the job must be refused before that. */
static const char *damage_out_sync(struct job *job)
{
    job->args.out_sync = 9999;
    job->stores_nothing = true;
    return "out-sync-bad,store-nothing";
}

/* After the last damage. */
static void store_nothing(struct job *job)
{
    struct drm_vc4_submit_cl *a = &job->args;
    a->color_write.hindex = a->zs_write.hindex = a->msaa_color_write.hindex = a->msaa_zs_write.hindex = UINT32_MAX;
}

static const char *damage_surface(struct job *job)
{
    /* Not the vertices and indices: kernels trust the indices. */
    static const uint32_t indices[] = {JOB_FS, JOB_COLOR, JOB_ZS, JOB_TEXTURE, JOB_BO_COUNT, 100, 0xfffffffe};
    static const uint32_t offsets[] = {8, 16, 4096, 49152, SURFACE_B - 16, SURFACE_B, SURFACE_B + 16, 0xfffffff0};
    struct drm_vc4_submit_rcl_surface *all[] = {&job->args.color_write, &job->args.color_write, &job->args.color_read,
                                                &job->args.zs_read, &job->args.zs_write};
    struct drm_vc4_submit_rcl_surface *s = PICK(all);
    bool is_depth = s == &job->args.zs_read || s == &job->args.zs_write;
    if (s->hindex == UINT32_MAX && chance(70)) {
        s->hindex = is_depth ? JOB_ZS : JOB_COLOR;
        s->bits = is_depth ? 2 : 1;
    }
    switch (rnd(4)) {
    case 0:
        s->hindex = PICK(indices);
        return "surface-index";
    case 1:
        s->bits ^= (uint16_t)(1u << rnd(16));
        if (s == &job->args.color_write && (s->bits & 1u << 4))
            s->bits |= 1; /* HAZARD: the model hangs when it decimates other than four samples */
        return "surface-bits";
    case 2:
        s->offset = PICK(offsets);
        return "surface-offset";
    default:
        /* HAZARD: full resolution is checked with one tile too few, so it stays on the large buffer. */
        s->flags = (uint16_t)(chance(50) ? 1 : 1u << rnd(16));
        if (s->flags == 1) {
            s->hindex = chance(50) ? JOB_COLOR : JOB_ZS;
            s->offset = chance(70) ? 0 : SURFACE_B + 16;
            s->bits = (uint16_t)(chance(70) ? 0 : 1);
            job->args.width = job->args.height = 64;
            job->args.max_x_tile = job->args.max_y_tile = job->args.min_x_tile = job->args.min_y_tile = 0;
        }
        return "surface-flags";
    }
}

static const char *damage_msaa(struct job *job)
{
    static const uint32_t offsets[] = {0, 0, 16384, 8, SURFACE_B + 16};
    struct drm_vc4_submit_rcl_surface *s = chance(50) ? &job->args.msaa_color_write : &job->args.msaa_zs_write;
    job->args.width = job->args.height = 64;
    job->args.max_x_tile = job->args.max_y_tile = job->args.min_x_tile = job->args.min_y_tile = 0;
    s->hindex = s == &job->args.msaa_color_write ? JOB_COLOR : JOB_ZS;
    s->offset = PICK(offsets); /* HAZARD: a tile too few is checked here, too */
    if (chance(20))
        s->bits = (uint16_t)(1u << rnd(16));
    if (chance(20))
        s->flags = (uint16_t)(1u << rnd(16));
    if (chance(15))
        s->hindex = chance(50) ? JOB_FS : 100;
    return "msaa-surface";
}

static const char *damage_tiles(struct job *job)
{
    struct drm_vc4_submit_cl *a = &job->args;
    switch (rnd(4)) {
    case 0:
        a->min_x_tile = (uint8_t)(a->max_x_tile + 1);
        return "tiles-backwards";
    case 1:
        a->min_y_tile = (uint8_t)(a->max_y_tile + 1);
        return "tiles-backwards";
    case 2:
        /* HAZARD: one tile too many is accepted, and its list is whatever is in memory. */
        if (job->base == BASE_CLEAR)
            return "tiles-kept";
        a->max_x_tile = (uint8_t)(2 + rnd(100));
        return "tiles-outside";
    default:
        a->width = chance(50) ? 4097 : 4096;
        return "wide";
    }
}

static const char *damage_sizes(struct job *job)
{
    struct drm_vc4_submit_cl *a = &job->args;
    const char *address;
    switch (rnd(9)) {
    case 0:
        a->bin_cl_size = job->list_B - 1 - rnd(job->list_B - 1);
        return "list-cut";
    case 1:
        a->bin_cl_size = job->list_B + 1 + rnd(4); /* zeros: halt */
        return "list-longer";
    case 2: {
        static const uint32_t huge[] = {0xffffffff, 0xfffffff0, 0xfffffff1};
        a->bin_cl_size = PICK(huge);
        return "list-overflow";
    }
    case 3:
        a->shader_rec_size = job->record_B - 1 - rnd(job->record_B);
        return "record-cut";
    case 4: {
        static const uint32_t counts[] = {0, 2, 7, 0x1fffffff, 0x20000000, 0xffffffff};
        a->shader_rec_count = PICK(counts);
        return "record-count";
    }
    case 5:
        a->uniforms_size = rnd(4 * job->uniform_words);
        return "uniforms-cut";
    case 6:
        a->uniforms_size = 0xffffffff - rnd(64);
        return "uniforms-overflow";
    case 7:
        a->shader_rec_size = 0xffffffff - rnd(64);
        return "records-overflow";
    default:
        switch (rnd(3)) {
        case 0:
            a->bin_cl = (uintptr_t)bad_address(&address);
            return "list-address";
        case 1:
            a->shader_rec = (uintptr_t)bad_address(&address);
            return "record-address";
        default:
            a->uniforms = (uintptr_t)bad_address(&address);
            return "uniforms-address";
        }
    }
}

static void set_u32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static const char *damage_list(struct job *job)
{
    static const uint8_t ids[] = {0,  1,   2,   5,   8,   16,  24,  28,  34,  48,  65,  66,  97, 98,
                                  99, 100, 101, 104, 107, 110, 113, 114, 115, 121, 200, 254, 255};
    static const uint32_t lengths[] = {0, 1, 2, 4, 6, 300, 341, 342, 400, 2048, 2049, 0xfffffffe, 0xffffffff};
    uint32_t at = rnd(job->list_B), dimension = rnd(2);
    if (at == job->config_at + 17 || at == job->config_at + 18)
        at = job->draw_at; /* HAZARD: the chip hangs for other formats of lists */
    switch (rnd(8)) {
    case 0:
        job->list[at] = PICK(ids);
        return "list-byte";
    case 1:
    case 2:
        job->list[at] ^= (uint8_t)(1u << rnd(8));
        return "list-bit";
    case 3:
        set_u32(job->list + job->draw_at + 2, PICK(lengths));
        return "draw-length";
    case 4:
        set_u32(job->list + job->draw_at + 6, PICK(lengths));
        return "draw-first";
    case 5:
        if (job->base != BASE_INDEXED)
            return "list-kept";
        set_u32(job->list + job->draw_at + 10, PICK(lengths));
        return "draw-max-index";
    case 6:
        job->list[job->config_at + 13 + dimension] = (uint8_t)(chance(30) ? 0 : rnd(64));
        return "config-tiles";
    default:
        job->list[job->config_at + 15] = (uint8_t)rnd(256);
        return "config-flags";
    }
}

static const char *damage_record(struct job *job)
{
    static const uint32_t offsets[] = {1, 4, 4080, 4084, 4085, 4096, 4097, 0x80000000, 0xfffffff0};
    uint8_t *r = job->record;
    uint32_t stage = rnd(3), at = rnd(16);
    switch (rnd(9)) {
    case 0: /* HAZARD: kernels accept the count itself as index of a program, and read past the table */
        set_u32(r + 4 * stage, chance(50) ? 100 : 0xffffffff);
        return "program-index";
    case 1: {
        static const uint32_t indices[] = {JOB_FS, JOB_CS, JOB_COLOR, JOB_TEXTURE, JOB_BO_COUNT, 100, 0xffffffff};
        set_u32(r + 12, PICK(indices));
        return "attribute-index";
    }
    case 2:
        r[16] ^= 1;
        return "thread-flag";
    case 3: {
        static const uint8_t code_at[] = {16 + 4, 16 + 16, 16 + 28};
        set_u32(r + code_at[stage], chance(50) ? 8 : rnd32());
        return "code-offset";
    }
    case 4:
        set_u32(r + 16 + 36, PICK(offsets));
        return "attribute-offset";
    case 5:
        r[16 + 40] = (uint8_t)rnd(256);
        return "attribute-size";
    case 6:
        r[16 + 41] = (uint8_t)(chance(40) ? 0 : rnd(256));
        return "attribute-stride";
    case 7: /* the coordinate program in the vertex program's place */
        set_u32(r + 4, JOB_CS);
        return "program-swap";
    default:
        r[16 + at] ^= (uint8_t)(1u << rnd(8));
        return "record-bit";
    }
}

static const char *damage_texture(struct job *job)
{
    static const uint32_t indices[] = {JOB_FS, JOB_COLOR, JOB_VERTICES, JOB_BO_COUNT, 100, 0xffffffff};
    uint32_t *u = job->uniforms;
    uint32_t word = rnd(2), width = rnd(100), filter = rnd(6), mag = rnd(2);
    switch (rnd(8)) {
    case 0:
        u[0] = PICK(indices);
        return "texture-index";
    case 1:
        u[1] = (u[1] & ~0xf0u) | rnd(16) << 4;
        u[2] = (u[2] & ~0x80000000u) | rnd(2) << 31;
        return "texture-type";
    case 2:
        u[1] = (u[1] & ~0xfu) | rnd(16);
        return "texture-levels";
    case 3:
        u[1] = (u[1] & 0xfff) | rnd(10) << 12;
        return "texture-offset";
    case 4:
        u[2] = (u[2] & ~(0x7ffu << 20 | 0x7ffu << 8)) | rnd(2048) << 20 | width << 8;
        return "texture-size";
    case 5:
        u[1] |= 1u << 9; /* a cube map */
        if (job->base == BASE_TEXTURE_4)
            u[3 + word] = 1u << 30 | rnd(4) << 12;
        return "texture-cube";
    case 6:
        u[2] = (u[2] & ~0xffu) | mag << 7 | filter << 4 | rnd(16); /* filters and wraps */
        return "texture-filter";
    default:
        u[1 + word] ^= 1u << rnd(32);
        if ((u[2] >> 4 & 7) > 5) /* reserved filters */
            u[2] &= ~(7u << 4);
        return "texture-bit";
    }
}

/* Of a direct lookup: the base and the clamp. */
static const char *damage_direct(struct job *job)
{
    static const uint32_t values[] = {0, 4, 5, TEXTURE_B - 8, TEXTURE_B - 4, TEXTURE_B - 3, TEXTURE_B, 0xfffffffc};
    static const uint32_t indices[] = {JOB_FS, JOB_COLOR, JOB_VERTICES, JOB_BO_COUNT, 0xffffffff};
    if (chance(30)) {
        job->uniforms[0] = PICK(indices);
        return "direct-index";
    }
    job->uniforms[1] = PICK(values);
    job->uniforms[2] = PICK(values);
    return "direct-range";
}

/* HAZARD: vertices without a stride may be drawn in any number, which would take for ever; a mode that the chip does
 * not know is a hang; and kernels until 2026 accept more tiles than the binner's memory holds. */
static void limit_list(struct job *job)
{
    uint8_t *draw = job->list + job->draw_at, *tiles = job->list + job->config_at + 13;
    uint32_t length;
    memcpy(&length, draw + 2, sizeof length);
    if (!job->record[16 + 41] && length > 400)
        set_u32(draw + 2, 300);
    if ((draw[0] == 33 && draw[1] > 6) || (draw[0] == 32 && ((draw[1] & 15) > 6 || draw[1] >> 4 > 1)))
        draw[1] = 4;
    if (tiles[0] * tiles[1] > 1024)
        tiles[0] = 3;
}

static void damage(struct job *job)
{
    static const char *(*const any[])(struct job *) = {damage_handles, damage_flags, damage_out_sync, damage_surface,
                                                       damage_surface, damage_msaa,  damage_tiles};
    static const char *(*const binning[])(struct job *) = {damage_sizes, damage_list, damage_list, damage_record};
    const char *what;
    if (job->base == BASE_CLEAR || chance(35))
        what = PICK(any)(job);
    else if (job->base == BASE_DIRECT && chance(60))
        what = damage_direct(job);
    else if ((job->base == BASE_TEXTURE || job->base == BASE_TEXTURE_4) && chance(70))
        what = damage_texture(job);
    else
        what = PICK(binning)(job);
    line_kind(what);
    if (job->base != BASE_CLEAR)
        limit_list(job);
}

/* -- calls -- */

static void print_surface(const char *name, const struct drm_vc4_submit_rcl_surface *s)
{
    if (s->hindex != UINT32_MAX || s->bits || s->flags)
        line_arg("%s=%d:%x:%x:%x", name, (int)s->hindex, s->offset, s->bits, s->flags);
}

static void print_job(const struct job *job)
{
    const struct drm_vc4_submit_cl *a = &job->args;
    line_arg("file=%d size=%ux%u tiles=%u,%u-%u,%u flags=%x pad2=%x handles=%u", (int)(job->file - st.files), a->width,
             a->height, a->min_x_tile, a->min_y_tile, a->max_x_tile, a->max_y_tile, a->flags, a->pad2,
             a->bo_handle_count);
    print_surface("color_write", &a->color_write);
    print_surface("color_read", &a->color_read);
    print_surface("zs_write", &a->zs_write);
    print_surface("zs_read", &a->zs_read);
    print_surface("msaa_color_write", &a->msaa_color_write);
    print_surface("msaa_zs_write", &a->msaa_zs_write);
    if (job->base != BASE_CLEAR)
        line_arg("list=%u:%08x records=%u*%u:%08x uniforms=%u:%x,%x,%x,%x,%x", a->bin_cl_size,
                 digest(job->list, sizeof job->list), a->shader_rec_count, a->shader_rec_size,
                 digest(job->record, sizeof job->record), a->uniforms_size, job->uniforms[0], job->uniforms[1],
                 job->uniforms[2], job->uniforms[3], job->uniforms[4]);
    line_arg("perfmon=%u in=%u out=%u", a->perfmonid, a->in_sync, a->out_sync);
}

static void point_to_data(struct job *job)
{
    struct drm_vc4_submit_cl *a = &job->args;
    a->bo_handles = (uintptr_t)job->handles;
    if (job->base == BASE_CLEAR)
        return;
    a->bin_cl = (uintptr_t)job->list;
    a->shader_rec = (uintptr_t)job->record;
    a->uniforms = (uintptr_t)job->uniforms;
    a->bin_cl_size = job->list_B;
    a->shader_rec_size = job->record_B;
    a->uniforms_size = 4 * job->uniform_words;
}

static int submit(struct job *job)
{
    struct drm_vc4_submit_cl *a = &job->args;
    print_job(job);
    int err = call(job->file->fd, DRM_IOCTL_VC4_SUBMIT_CL, a);
    line_result(err);
    if (!err) {
        if (st.has_seqno)
            line_out("seqno=last+%llu", (unsigned long long)(a->seqno - st.last_seqno));
        st.last_seqno = a->seqno;
        st.has_seqno = st.is_busy = true;
    } else {
        line_out("seqno=%llu", (unsigned long long)a->seqno);
    }
    line_end();
    return err;
}

static void print_surfaces(struct file *file)
{
    quiesce();
    line_begin("contents", "surfaces");
    line_arg("file=%d", (int)(file - st.files));
    line_result(0);
    for (int i = JOB_COLOR; i <= JOB_ZS; i++) {
        void *at = map_quietly(file, file->job[i], SURFACE_B);
        line_out("%s=%08x", i == JOB_COLOR ? "color" : "zs", at ? digest(at, SURFACE_B) : 0);
        if (at)
            munmap(at, SURFACE_B);
    }
    line_end();
}

void submit_valid(struct file *file)
{
    struct job job;
    uint32_t base = rnd(BASE_COUNT);
    line_begin("SUBMIT_CL", base_names[base]);
    init_job(&job, file, base);
    vary_surfaces(&job, true);
    point_to_data(&job);
    submit(&job);
}

/* Monitors and syncobjs of slots. HAZARD: out_sync must exist, see damage_out_sync(). */
static void add_objects(struct job *job)
{
    if (chance(20)) {
        job->args.perfmonid = job->file->perfmons[rnd(PERFMON_SLOTS)];
        line_kind(job->args.perfmonid ? "perfmon" : "no-perfmon");
    }
    if (chance(20)) {
        job->args.in_sync = job->file->syncs[rnd(SYNC_SLOTS)];
        line_kind(job->args.in_sync ? "in-sync" : "no-in-sync");
    }
    if (chance(40) && !job->stores_nothing) { /* a bad one stays */
        job->args.out_sync = job->file->syncs[rnd(SYNC_SLOTS)];
        line_kind(job->args.out_sync ? "out-sync" : "no-out-sync");
    }
}

void random_submit_call(void)
{
    struct job job;
    struct file *file = any_file();
    uint32_t base = rnd(BASE_COUNT), damages = chance(30) ? 0 : 1 + rnd(2);
    line_begin("SUBMIT_CL", base_names[base]);
    init_job(&job, file, base);
    if (chance(70))
        vary_surfaces(&job, !damages && chance(50));
    point_to_data(&job);
    for (uint32_t i = 0; i < damages; i++)
        damage(&job);
    if (job.stores_nothing)
        store_nothing(&job);
    add_objects(&job);
    bool looks = chance(50);
    if (submit(&job))
        return;
    if (job.args.perfmonid) /* HAZARD: kernels warn when a monitor's file is closed while it counts */
        quiesce();
    if (looks)
        print_surfaces(file);
}
