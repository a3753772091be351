/* SPDX-License-Identifier: MIT
 *
 * Feeds damaged control lists, shaders, memory and ioctl sequences to the model. The model must refuse or run them
 * without crashing or hanging. Meant for AddressSanitizer. The seed of each round is a hash of VKT_SEED (default: 1)
 * and the round's number. Both are printed with a failure, and before each round when VKT_FUZZ_VERBOSE is set.
 * VKT_FUZZ=full runs 2,000 jobs, 1,000 programs and 10,000 sequences.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/tex.h"
#include "krn_test.h"
#include "util/log.h"
#include "util/thread.h"

#define JOB_TIMEOUT_NS UINT64_C(50000000)
/* Allows for a job that times out twice (binning and rendering) on a busy machine. */
#define ROUND_LIMIT_NS UINT64_C(20000000000)

static uint64_t random_state;
static bool is_full, is_verbose;
static uint64_t base_seed = 1;

static uint32_t rnd(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

static uint32_t below(uint32_t n)
{
    return rnd() % n;
}

static void begin_round(const char *what, unsigned round)
{
    random_state = (base_seed * UINT64_C(0x9e3779b97f4a7c15) + round) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
    if (is_verbose)
        printf("# %s: VKT_SEED=%llu round %u\n", what, (unsigned long long)base_seed, round);
}

static void end_round(const char *what, unsigned round, uint64_t started_ns)
{
    uint64_t took_ns = util_now_ns() - started_ns;
    if (took_ns > ROUND_LIMIT_NS)
        fail_msg("%s: VKT_SEED=%llu round %u took %.1f s", what, (unsigned long long)base_seed, round,
                 (double)took_ns * 1e-9);
}

/* A random byte, or one at the ends of the range. */
static uint8_t some_byte(void)
{
    static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
    return below(2) ? (uint8_t)rnd() : edges[below(ARRAY_SIZE(edges))];
}

static void damage(uint8_t *bytes, uint32_t size_B)
{
    for (uint32_t n = 1 + below(4); n; n--) {
        uint32_t at = below(size_B);
        if (below(2))
            bytes[at] ^= (uint8_t)BIT(below(8));
        else
            bytes[at] = some_byte();
    }
}

/* -- jobs ---------------------------------------------------------------------------------------------------------- */

#define READ_VERTEX "ldi vpm_rd_setup, 0x301a00\nldi vpm_wr_setup, 0x1a00\nnop\nmov r0, vpm\nmov r1, vpm\nmov r2, vpm\n"
#define END         "nop ; end\nnop\nnop ; unlock_sb"
#define FS                                                                                                             \
    "nop\nnop\nmov r0, unif\nmov tmu0_t, r0\nmov tmu0_s, r0\nnop\nnop ; nop ; load_tmu0\nmov tlb_z, rb15\n"            \
    "mov r1, r4\nmov tlb_c, r1\n" END
#define VS READ_VERTEX "mov vpm, r2\nmov vpm, 1/2\nmov vpm, 1.0\nnop ; end\nnop\nnop"
#define CS                                                                                                             \
    READ_VERTEX "mov vpm, r0\nmov vpm, r1\nmov vpm, 0\nmov vpm, 1.0\nmov vpm, r2\nmov vpm, 1/2\n"                      \
                "mov vpm, 1.0\nnop ; end\nnop\nnop"

struct vertex {
    float x, y;
    int16_t xs, ys;
};

/* Sets up a valid job that uses most features: state packets, a texture, depth, clipping, random primitives. */
static void fill_job(struct test_job *job, bool ms_4x)
{
    job_set_program(job, BO_FS, FS);
    job_set_program(job, BO_VS, VS);
    job_set_program(job, BO_CS, CS);
    job->attribute[0] = (struct cl_attribute_record){.size_minus_1_B = 11, .stride_B = sizeof(struct vertex)};
    job->record.clipping = true;
    job->record.vs_attributes = job->record.cs_attributes = 1;
    job->record.vs_size_B = job->record.cs_size_B = 12;
    job->uniforms[0] = BO_TEXTURE;
    job->uniforms[1] = 0x3f000000;
    cl_tex_p0_pack((uint8_t *)&job->uniforms[2], &(struct cl_tex_p0){.base = 4096, .type_low = below(12)});
    cl_tex_p1_pack((uint8_t *)&job->uniforms[3], &(struct cl_tex_p1){.width = 1 + below(64), .height = 1 + below(64)});
    job->uniform_words = 4;

    struct util_stream s;
    util_stream_init(&s, 64, NULL);
    cl_emit(&s, PRIMITIVE_LIST_FORMAT, primitive_list_format, p)
    {
        p.type = CL_LIST_TRIANGLES;
        p.data = 1;
    }
    cl_emit(&s, CLIP_WINDOW, clip_window, p)
    {
        p.width_px = p.height_px = 64;
    }
    cl_emit(&s, CONFIGURATION_BITS, configuration_bits, p)
    {
        p.enable_front = p.enable_back = true;
        p.oversample = ms_4x;
        p.depth_function = CL_COMPARE_LESS;
        p.z_update = p.early_z = p.early_z_update = true;
    }
    cl_emit(&s, CLIPPER_XY_SCALING, clipper_xy_scaling, p)
    {
        p.half_width_16 = p.half_height_16 = 512;
    }
    cl_emit(&s, VIEWPORT_OFFSET, viewport_offset, p)
    {
        p.centre_x = p.centre_y = 32;
    }
    job->extra_B = s.size_B;
    util_stream_gather(&s, job->extra);
    util_stream_finish(&s);

    struct vertex *v = model_bo_map(job->file, job->handles[BO_VERTICES], NULL);
    for (unsigned i = 0; i < 64; i++) {
        float x = (float)(int32_t)(below(97) - 48) / 32, y = (float)(int32_t)(below(97) - 48) / 32;
        v[i] = (struct vertex){x, y, (int16_t)(x * 512), (int16_t)(y * 512)};
    }
    uint16_t *index = model_bo_map(job->file, job->handles[BO_INDICES], NULL);
    for (unsigned i = 0; i < 64; i++)
        index[i] = (uint16_t)below(64);
    job->indexed = below(2);
    job->indexed_prim =
        (struct cl_indexed_primitives){.mode = below(7), .index_type = 1, .length = 3 + below(40), .max_index = 63};
    job->array_prim = (struct cl_array_primitives){.mode = below(7), .length = 3 + below(40)};
    if (!ms_4x)
        return;
    job->config.ms_4x = true;
    job->config.width_tl = job->config.height_tl = 1;
    job->args.color_write.bits |= 1 | 1 << 4;
    job->args.msaa_color_write.hindex = BO_TEXTURE;
    job->args.zs_read =
        (struct drm_vc4_submit_rcl_surface){.hindex = BO_ZS, .flags = VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES};
}

static void damage_uniforms(struct test_job *job)
{
    damage((uint8_t *)job->uniforms, 4 * job->uniform_words);
}

static void damage_args(struct test_job *job)
{
    struct drm_vc4_submit_rcl_surface *surfaces[] = {&job->args.color_read,       &job->args.color_write,
                                                     &job->args.zs_read,          &job->args.zs_write,
                                                     &job->args.msaa_color_write, &job->args.msaa_zs_write};
    struct drm_vc4_submit_rcl_surface *surface = surfaces[below(ARRAY_SIZE(surfaces))];
    switch (below(6)) {
    case 0:
        job->args.width = (uint16_t)(rnd() >> below(16));
        break;
    case 1:
        job->args.height = (uint16_t)(rnd() >> below(16));
        break;
    case 2:
        job->args.max_x_tile = some_byte() & 7;
        job->args.max_y_tile = some_byte() & 7;
        break;
    case 3:
        surface->hindex = BO_VERTICES + below(6);
        break;
    case 4:
        surface->bits ^= (uint16_t)BIT(below(10));
        break;
    default:
        surface->offset = rnd() >> below(32);
        break;
    }
}

/* Replaces a program by a damaged copy if the kernel accepts it. */
static bool damage_program(struct test_job *job, unsigned *accepted)
{
    static const char *const texts[3] = {FS, VS, CS};
    unsigned which = below(3);
    uint64_t words[64];
    uint32_t count = assemble(texts[which], words, ARRAY_SIZE(words));
    damage((uint8_t *)words, 8 * count);
    struct drm_vc4_create_shader_bo args = {.size = 8 * count, .data = (uintptr_t)words};
    if (model_ioctl(job->file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args))
        return false;
    ++*accepted;
    close_bo(job->file, job->handles[BO_FS + which]);
    job->handles[BO_FS + which] = args.handle;
    return true;
}

/* Damages tile lists between binning and rendering. The two stages share nothing but this memory. */
static void damage_tile_lists(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots)
{
    bool *wanted = data;
    if (*wanted)
        damage(tile_alloc, MIN2(size_B, 512));
}

static void ignore_log(void *data, enum util_log_level level, const char *line)
{
}

static void damaged_jobs(void **state)
{
    const struct model_options options = {.threads = 2, .job_timeout_ns = JOB_TIMEOUT_NS};
    unsigned rounds = is_full ? 2000 : 60, run = 0, refused = 0, programs = 0;
    for (unsigned round = 0; round < rounds; round++) {
        begin_round("job", round);
        uint64_t started_ns = util_now_ns();
        bool tile_lists = round % 5 == 4;
        struct test_job job;
        job_init_with(&job, &options);
        fill_job(&job, below(2));
        model_set_bin_done_hook(job.dev, damage_tile_lists, &tile_lists);
        if (round % 5 == 0)
            job.mangle = damage;
        else if (round % 5 == 1)
            damage_program(&job, &programs);
        else if (round % 5 == 2)
            damage_uniforms(&job);
        else if (round % 5 == 3)
            damage_args(&job);
        int err = job_submit(&job);
        if (err && err != -EINVAL && err != -ENOMEM)
            fail_msg("VKT_SEED=%llu round %u: %d", (unsigned long long)base_seed, round, err);
        run += !err;
        refused += err != 0;
        job_finish(&job);
        end_round("job", round, started_ns);
    }
    printf("# %u jobs run, %u refused, %u damaged programs accepted\n", run, refused, programs);
    assert_true(run > rounds / 8 && refused > rounds / 16);
}

/* Jobs with randomly damaged programs, most of which are refused. */
static void random_programs(void **state)
{
    const struct model_options options = {.threads = 1, .job_timeout_ns = JOB_TIMEOUT_NS};
    unsigned rounds = is_full ? 1000 : 30, accepted = 0;
    for (unsigned round = 0; round < rounds; round++) {
        begin_round("program", round);
        uint64_t started_ns = util_now_ns();
        struct test_job job;
        job_init_with(&job, &options);
        fill_job(&job, false);
        for (unsigned n = 0; n < 40; n++)
            damage_program(&job, &accepted);
        int err = job_submit(&job);
        assert_true(err == 0 || err == -EINVAL || err == -ENOMEM);
        job_finish(&job);
        end_round("program", round, started_ns);
    }
    assert_true(accepted > 0);
}

/* -- ioctls -------------------------------------------------------------------------------------------------------- */

#define ARENA_B (256u * 1024) /* all pointers in ioctl arguments point into this memory */

static const unsigned long requests[] = {
    DRM_IOCTL_VC4_SUBMIT_CL,
    DRM_IOCTL_VC4_WAIT_SEQNO,
    DRM_IOCTL_VC4_WAIT_BO,
    DRM_IOCTL_VC4_CREATE_BO,
    DRM_IOCTL_VC4_MMAP_BO,
    DRM_IOCTL_VC4_CREATE_SHADER_BO,
    DRM_IOCTL_VC4_GET_HANG_STATE,
    DRM_IOCTL_VC4_GET_PARAM,
    DRM_IOCTL_VC4_SET_TILING,
    DRM_IOCTL_VC4_GET_TILING,
    DRM_IOCTL_VC4_LABEL_BO,
    DRM_IOCTL_VC4_GEM_MADVISE,
    DRM_IOCTL_VC4_PERFMON_CREATE,
    DRM_IOCTL_VC4_PERFMON_DESTROY,
    DRM_IOCTL_VC4_PERFMON_GET_VALUES,
    DRM_IOCTL_GEM_CLOSE,
    0xdeadbeef,
};

/* A size that fits the arena, or one that fits no memory. */
static uint32_t some_size(void)
{
    return below(16) ? below(ARENA_B / 4) >> below(14) : UINT32_MAX - below(8);
}

static uint32_t some_handle(void)
{
    return below(8) ? below(12) : rnd();
}

static struct drm_vc4_submit_rcl_surface some_surface(void)
{
    struct drm_vc4_submit_rcl_surface s = {.hindex = UINT32_MAX};
    if (below(2))
        s = (struct drm_vc4_submit_rcl_surface){
            .hindex = below(8),
            .offset = below(4) ? below(64) * 16 : rnd(),
            .bits = below(2) ? (uint16_t)(1 << 2 | below(3) << 6) : (uint16_t)rnd(),
            .flags = below(6) ? 0 : (uint16_t)below(3),
        };
    return s;
}

union any_args {
    struct drm_vc4_submit_cl submit;
    struct drm_vc4_wait_seqno wait_seqno;
    struct drm_vc4_wait_bo wait_bo;
    struct drm_vc4_create_bo create;
    struct drm_vc4_create_shader_bo shader;
    struct drm_vc4_label_bo label;
    struct drm_vc4_perfmon_get_values values;
    struct drm_vc4_get_hang_state hang;
    uint32_t words[64];
};

static void some_submit(struct drm_vc4_submit_cl *s, uint8_t *arena)
{
    uint32_t *handles = (uint32_t *)arena;
    *s = (struct drm_vc4_submit_cl){
        .bo_handles = below(16) ? (uintptr_t)handles : 0,
        .bo_handle_count = below(8),
        .bin_cl = (uintptr_t)(arena + 64),
        .bin_cl_size = below(3) ? 0 : some_size(),
        .shader_rec = (uintptr_t)(arena + 4096),
        .shader_rec_size = some_size(),
        .shader_rec_count = below(3),
        .uniforms = (uintptr_t)(arena + 8192),
        .uniforms_size = some_size(),
        .width = (uint16_t)(below(4) ? below(128) : rnd()),
        .height = (uint16_t)(below(4) ? below(128) : rnd()),
        .max_x_tile = (uint8_t)below(3),
        .max_y_tile = (uint8_t)below(3),
        .color_read = some_surface(),
        .color_write = some_surface(),
        .zs_read = some_surface(),
        .zs_write = some_surface(),
        .msaa_color_write = some_surface(),
        .msaa_zs_write = some_surface(),
        .clear_z = rnd(),
        .flags = below(8) ? below(16) : rnd(),
        .perfmonid = below(4) ? 0 : below(4),
        .in_sync = below(16) ? 0 : 1,
    };
    for (unsigned i = 0; i < 8; i++)
        handles[i] = below(8) ? 1 + below(6) : rnd();
}

/* Fills in arguments that are plausible about half the time. Pointers are NULL or point into the arena, and sizes are
 * small enough that copies stay inside it. */
static void some_args(unsigned long request, union any_args *args, uint8_t *arena)
{
    for (unsigned i = 0; i < ARRAY_SIZE(args->words); i++)
        args->words[i] = below(3) ? some_handle() : rnd() >> below(32);
    switch (request) {
    case DRM_IOCTL_VC4_SUBMIT_CL:
        some_submit(&args->submit, arena);
        break;
    case DRM_IOCTL_VC4_WAIT_SEQNO:
        args->wait_seqno.timeout_ns = below(1000000);
        break;
    case DRM_IOCTL_VC4_WAIT_BO:
        args->wait_bo.timeout_ns = below(1000000);
        args->wait_bo.pad = below(4) == 0;
        break;
    case DRM_IOCTL_VC4_CREATE_BO:
        args->create.size = below(8) ? below(65536) : rnd();
        break;
    case DRM_IOCTL_VC4_CREATE_SHADER_BO:
        args->shader.size = below(8) ? 8 * below(64) : below(4096);
        args->shader.data = below(16) ? (uintptr_t)arena : 0;
        args->shader.flags = below(8) == 0;
        args->shader.pad = below(8) == 0;
        break;
    case DRM_IOCTL_VC4_LABEL_BO:
        args->label.name = below(8) ? (uintptr_t)arena : 0;
        args->label.len = below(64);
        break;
    case DRM_IOCTL_VC4_PERFMON_GET_VALUES:
        args->values.values_ptr = below(8) ? (uintptr_t)(arena + ARENA_B / 2) : 0;
        break;
    case DRM_IOCTL_VC4_GET_HANG_STATE:
        args->hang.bo = (uintptr_t)arena;
        break;
    }
}

/* Fills the arena with random words of all magnitudes. Every other time a valid program replaces the first of them, so
 * that some shader BOs are accepted. */
static void fill_arena(uint8_t *arena)
{
    uint64_t words[64];
    for (uint32_t i = 0; i < ARENA_B; i += 4)
        memcpy(arena + i, &(uint32_t){rnd() >> below(32)}, 4);
    if (below(2))
        memcpy(arena, words, 8 * assemble(below(2) ? FS : VS, words, ARRAY_SIZE(words)));
}

static void sequences(void **state)
{
    const struct model_options options = {
        .threads = 1, .job_timeout_ns = JOB_TIMEOUT_NS, .memory_limit_B = UINT64_C(64) << 20};
    struct model_device *dev;
    uint8_t *arena = malloc(ARENA_B);
    unsigned rounds = is_full ? 10000 : 200, good = 0, bad = 0;
    assert_non_null(arena);
    assert_int_equal(model_create(&options, &dev), 0);
    for (unsigned round = 0; round < rounds; round++) {
        begin_round("sequence", round);
        uint64_t started_ns = util_now_ns();
        struct model_file *file;
        assert_int_equal(model_open(dev, &file), 0);
        if (round % 16 == 0)
            fill_arena(arena);
        for (unsigned n = 4 + below(24); n; n--) {
            union any_args args;
            unsigned long request = below(4) ? requests[below(ARRAY_SIZE(requests))]
                                             : (below(2) ? DRM_IOCTL_VC4_CREATE_BO : DRM_IOCTL_VC4_SUBMIT_CL);
            some_args(request, &args, arena);
            int err = model_ioctl(file, request, &args);
            assert_true(err <= 0 && err > -4096);
            good += !err;
            bad += err != 0;
        }
        model_close(file);
        end_round("sequence", round, started_ns);
    }
    printf("# %u ioctls succeeded, %u were refused\n", good, bad);
    assert_true(good > rounds && bad > rounds);
    model_destroy(dev);
    free(arena);
}

int main(void)
{
    const char *seed = getenv("VKT_SEED"), *count = getenv("VKT_FUZZ");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_jobs),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(sequences),
    };
    base_seed = seed ? strtoull(seed, NULL, 0) : 1;
    is_full = count && !strcmp(count, "full");
    is_verbose = getenv("VKT_FUZZ_VERBOSE") != NULL;
    fprintf(stderr, "# VKT_SEED=%llu\n", (unsigned long long)base_seed); /* TAP must start with its version line */
    util_log_set_sink(ignore_log, NULL);
    return cmocka_run_group_tests_name("model_fuzz", tests, NULL, NULL);
}
