/* SPDX-License-Identifier: MIT
 *
 * fuzz_traces TRACE...: replays recorded traces on the model and damages their jobs: control list packets, shader
 * records, uniforms, arguments, buffer contents and instructions. It also inserts packets of one trace into another.
 * The model must refuse or run each job, without crashing or hanging. Meant for AddressSanitizer.
 *
 * Round N depends only on VKT_SEED (default 1) and N. VKT_FUZZ is the number of rounds (default 1,000; "full": 25,000,
 * a million jobs). VKT_FUZZ_VERBOSE prints each round's number before it runs. Prints TAP, one case for all rounds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vc4_drm.h>
#include "hw/cl.h"
#include "hw/cl_gen.h"
#include "model/model.h"
#include "tools/trace.h"
#include "util/log.h"

#define JOB_TIMEOUT_NS UINT64_C(20000000)
#define ROUND_LIMIT_S  120u
#define MAX_RECORDS    256u
#define MAX_LIST_B     65536u
#define MAX_HANDLES    64u
#define TILE_PX        64u

/* -- random numbers ----------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t rnd(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

static uint32_t below(uint32_t n)
{
    return n ? rnd() % n : 0;
}

static uint32_t some_word(uint32_t was)
{
    static const uint32_t edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0x7fc00000, 0x0000ffff};
    switch (below(5)) {
    case 0:
        return was ^ BIT(below(32));
    case 1:
        return edges[below(ARRAY_SIZE(edges))];
    case 2:
        return was + below(33) - 16;
    case 3:
        return rnd() >> below(32);
    default:
        return was ^ 0xffu << 8 * below(4);
    }
}

static void change_word(uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, 4);
    word = some_word(word);
    memcpy(at, &word, 4);
}

static void change_bytes(uint8_t *bytes, uint32_t size_B)
{
    for (uint32_t n = 1 + below(4); n && size_B; n--) {
        if (size_B >= 4 && below(2))
            change_word(bytes + 4 * below(size_B / 4));
        else
            bytes[below(size_B)] ^= (uint8_t)BIT(below(8));
    }
}

/* -- seeds -------------------------------------------------------------------------------------------------------- */

struct seed {
    const char *path;
    struct trace trace;
    struct trace_record records[MAX_RECORDS];
    uint32_t record_count;
};

static struct seed *seeds;
static uint32_t seed_count;

static bool load(struct seed *seed, const char *path)
{
    seed->path = path;
    if (!trace_open(&seed->trace, path))
        return false;
    while (seed->record_count < MAX_RECORDS && trace_next(&seed->trace, &seed->records[seed->record_count]))
        if (seed->records[seed->record_count++].type == TRACE_END)
            return true;
    return false;
}

static const struct trace_record *some_submit(const struct seed *seed)
{
    for (uint32_t tries = 0; tries < 64; tries++) {
        const struct trace_record *record = &seed->records[below(seed->record_count)];
        if (record->type == TRACE_SUBMIT)
            return record;
    }
    return NULL;
}

/* -- damage ------------------------------------------------------------------------------------------------------- */

struct part {
    uint8_t bytes[MAX_LIST_B];
    uint32_t size_B;
};

static struct part list, records, uniforms;

static bool set_part(struct part *part, const uint8_t *bytes, uint32_t size_B)
{
    if (size_B > MAX_LIST_B)
        return false;
    memcpy(part->bytes, bytes, size_B);
    part->size_B = size_B;
    return true;
}

/* Finds the offsets of packets, up to the first unknown or truncated one. */
static uint32_t find_packets(const struct part *part, uint32_t at_B[MAX_RECORDS])
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < part->size_B && count < MAX_RECORDS;) {
        const struct cl_packet_info *info = cl_packet_info(part->bytes[at]);
        if (!info || at + info->size_B > part->size_B)
            break;
        at_B[count++] = at;
        at += info->size_B;
    }
    return count;
}

static void insert(struct part *to, uint32_t at, const uint8_t *bytes, uint32_t size_B)
{
    if (size_B > MAX_LIST_B - to->size_B)
        return;
    uint8_t copy[256];
    size_B = MIN2(size_B, (uint32_t)sizeof copy);
    memcpy(copy, bytes, size_B);
    memmove(to->bytes + at + size_B, to->bytes + at, to->size_B - at);
    memcpy(to->bytes + at, copy, size_B);
    to->size_B += size_B;
}

static void remove_bytes(struct part *from, uint32_t at, uint32_t size_B)
{
    memmove(from->bytes + at, from->bytes + at + size_B, from->size_B - at - size_B);
    from->size_B -= size_B;
}

/* Changes one packet of the list: removes or duplicates it, changes its id or a field, truncates the list there, or
 * inserts a packet of another trace. */
static void damage_list(void)
{
    static struct part other;
    uint32_t at_B[MAX_RECORDS], other_at_B[MAX_RECORDS], count = find_packets(&list, at_B);
    if (!count) {
        change_bytes(list.bytes, list.size_B);
        return;
    }
    const uint32_t at = at_B[below(count)];
    const struct cl_packet_info *info = cl_packet_info(list.bytes[at]);
    switch (below(8)) {
    case 0:
        remove_bytes(&list, at, info->size_B);
        break;
    case 1:
        insert(&list, at_B[below(count)], list.bytes + at, info->size_B);
        break;
    case 2:
        list.bytes[at] = (uint8_t)rnd();
        break;
    case 3: {
        const struct trace_record *record = some_submit(&seeds[below(seed_count)]);
        struct trace_submit s;
        if (!record || !trace_get_submit(record, &s) || !set_part(&other, s.bin_cl, s.args.bin_cl_size))
            break;
        const uint32_t other_count = find_packets(&other, other_at_B);
        const uint32_t from = other_count ? other_at_B[below(other_count)] : 0;
        if (other_count)
            insert(&list, at, other.bytes + from, cl_packet_info(other.bytes[from])->size_B);
        break;
    }
    case 4:
        list.size_B = at + below(info->size_B);
        break;
    default:
        if (info->size_B > 1 && info->field_count) {
            const struct cl_field_info *field = &info->fields[below(info->field_count)];
            const uint32_t bit = field->start + below(field->bits);
            if (below(2) && info->size_B >= 5)
                change_word(list.bytes + at + 1 + below(info->size_B - 4));
            else if (bit / 8 < info->size_B)
                list.bytes[at + bit / 8] ^= (uint8_t)BIT(bit % 8);
        }
    }
}

static void damage_surface(struct drm_vc4_submit_rcl_surface *surface, uint32_t handle_count)
{
    switch (below(4)) {
    case 0:
        surface->hindex = below(8) ? below(handle_count + 1) : rnd();
        break;
    case 1:
        surface->offset = some_word(surface->offset);
        break;
    case 2:
        surface->bits ^= (uint16_t)BIT(below(16));
        break;
    default:
        surface->flags ^= (uint16_t)BIT(below(3));
    }
}

static void damage_args(struct drm_vc4_submit_cl *args)
{
    struct drm_vc4_submit_rcl_surface *surfaces[] = {&args->color_read, &args->color_write,      &args->zs_read,
                                                     &args->zs_write,   &args->msaa_color_write, &args->msaa_zs_write};
    switch (below(8)) {
    case 0:
        args->width = (uint16_t)(rnd() >> (16 + below(16)));
        break;
    case 1:
        args->height = (uint16_t)(rnd() >> (16 + below(16)));
        break;
    case 2:
        args->max_x_tile = (uint8_t)below(8);
        args->max_y_tile = (uint8_t)below(8);
        break;
    case 3:
        args->min_x_tile = (uint8_t)below(4);
        args->min_y_tile = (uint8_t)below(4);
        break;
    case 4:
        args->shader_rec_count = below(8);
        break;
    case 5:
        args->flags ^= BIT(below(6));
        break;
    default:
        damage_surface(surfaces[below(ARRAY_SIZE(surfaces))], args->bo_handle_count);
    }
}

/* Restricts the job to a few pixels of one tile. Under sanitizers nine tenths of the time would be spent on pixels,
 * which all exercise the same code. All vertices are still shaded and binned, and the pixels are chosen at random. */
static void render_few_pixels(struct drm_vc4_submit_cl *args)
{
    uint32_t at_B[MAX_RECORDS];
    if (args->min_x_tile > args->max_x_tile || args->min_y_tile > args->max_y_tile)
        return;
    const uint32_t x_tl = args->min_x_tile + below(args->max_x_tile - args->min_x_tile + 1u);
    const uint32_t y_tl = args->min_y_tile + below(args->max_y_tile - args->min_y_tile + 1u);
    args->min_x_tile = args->max_x_tile = (uint8_t)x_tl;
    args->min_y_tile = args->max_y_tile = (uint8_t)y_tl;
    const struct cl_clip_window window = {.left_px = x_tl * TILE_PX + below(TILE_PX),
                                          .bottom_px = y_tl * TILE_PX + below(TILE_PX),
                                          .width_px = 1 + below(16),
                                          .height_px = 1 + below(16)};
    for (uint32_t i = find_packets(&list, at_B); i--;)
        if (list.bytes[at_B[i]] == CL_CLIP_WINDOW_ID)
            cl_clip_window_pack(list.bytes + at_B[i], &window);
}

/* -- a round ------------------------------------------------------------------------------------------------------ */

struct replay {
    struct model_file *file;
    uint32_t handle[1024]; /* of the trace -> of the model */
};

static struct {
    uint64_t jobs, run, refused, programs_refused;
} counts;

static uint32_t handle_of(const struct replay *p, uint32_t trace_handle)
{
    return trace_handle < ARRAY_SIZE(p->handle) ? p->handle[trace_handle] : 0;
}

static void replay_create(struct replay *p, const struct trace_record *record)
{
    struct drm_vc4_create_bo args = {.size = trace_u32(record, 1)};
    const uint32_t number = trace_u32(record, 0);
    if (number < ARRAY_SIZE(p->handle) && !model_ioctl(p->file, DRM_IOCTL_VC4_CREATE_BO, &args))
        p->handle[number] = args.handle;
}

static void replay_shader(struct replay *p, const struct trace_record *record, bool is_damaged)
{
    static uint8_t code[65536];
    struct drm_vc4_create_shader_bo args = {.size = trace_u32(record, 1), .data = (uintptr_t)code};
    const uint32_t number = trace_u32(record, 0);
    if (record->size_B < 8 || args.size > record->size_B - 8 || args.size > sizeof code ||
        number >= ARRAY_SIZE(p->handle))
        return;
    /* Most damaged programs are refused, and so is a job without its program. The fourth try is not damaged. */
    for (uint32_t tries = 0; tries < 4; tries++) {
        memcpy(code, record->payload + 8, args.size);
        if (is_damaged && tries < 3)
            change_bytes(code, args.size);
        if (!model_ioctl(p->file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args)) {
            p->handle[number] = args.handle;
            return;
        }
        counts.programs_refused++;
    }
}

static void replay_write(const struct replay *p, const struct trace_record *record, bool is_damaged)
{
    uint64_t size_B = 0;
    uint8_t *map = model_bo_map(p->file, handle_of(p, trace_u32(record, 0)), &size_B);
    const uint32_t offset_B = trace_u32(record, 1);
    if (!map || record->size_B < 8 || offset_B > size_B || record->size_B - 8 > size_B - offset_B)
        return;
    memcpy(map + offset_B, record->payload + 8, record->size_B - 8);
    if (is_damaged)
        change_bytes(map + offset_B, record->size_B - 8);
}

static void replay_tiling(const struct replay *p, const struct trace_record *record)
{
    struct drm_vc4_set_tiling args = {.handle = handle_of(p, trace_u32(record, 0)),
                                      .flags = trace_u32(record, 1),
                                      .modifier = trace_u32(record, 2) | (uint64_t)trace_u32(record, 3) << 32};
    model_ioctl(p->file, DRM_IOCTL_VC4_SET_TILING, &args);
}

static int replay_submit(const struct replay *p, const struct trace_record *record)
{
    struct trace_submit s;
    uint32_t handles[MAX_HANDLES];
    if (!trace_get_submit(record, &s) || s.args.bo_handle_count > MAX_HANDLES ||
        !set_part(&list, s.bin_cl, s.args.bin_cl_size) || !set_part(&records, s.shader_rec, s.args.shader_rec_size) ||
        !set_part(&uniforms, s.uniforms, s.args.uniforms_size))
        return 0;
    for (uint32_t i = 0; i < s.args.bo_handle_count; i++) {
        memcpy(&handles[i], s.bo_handles + 4 * i, 4);
        handles[i] = handle_of(p, handles[i]);
    }
    if (below(16))
        render_few_pixels(&s.args);
    for (uint32_t n = 1 + below(3); n; n--) {
        switch (below(8)) {
        case 0:
            change_bytes(records.bytes, records.size_B);
            break;
        case 1:
        case 2:
            change_bytes(uniforms.bytes, uniforms.size_B);
            break;
        case 3:
            damage_args(&s.args);
            break;
        case 4:
            if (s.args.bo_handle_count)
                handles[below(s.args.bo_handle_count)] = below(8) ? handles[below(s.args.bo_handle_count)] : rnd();
            break;
        default:
            damage_list();
        }
    }
    s.args.bin_cl = (uintptr_t)list.bytes;
    s.args.bin_cl_size = list.size_B;
    s.args.shader_rec = (uintptr_t)records.bytes;
    s.args.uniforms = (uintptr_t)uniforms.bytes;
    s.args.bo_handles = (uintptr_t)handles;
    int err = model_ioctl(p->file, DRM_IOCTL_VC4_SUBMIT_CL, &s.args);
    counts.jobs++;
    counts.run += !err;
    counts.refused += err != 0;
    if (!err) {
        struct drm_vc4_wait_seqno wait = {.seqno = s.args.seqno, .timeout_ns = UINT64_MAX};
        err = model_ioctl(p->file, DRM_IOCTL_VC4_WAIT_SEQNO, &wait);
    }
    return err;
}

/* Replays the whole trace with some records damaged. Each job is submitted `variants` times with different damage,
 * because setting up its buffers takes most of the time. False after an error code that the kernel never returns. */
static bool replay_trace(struct model_device *dev, const struct seed *seed, uint32_t variants)
{
    struct replay p = {0};
    bool good = !model_open(dev, &p.file);
    const uint32_t damaged = below(3) ? UINT32_MAX : below(seed->record_count);
    for (uint32_t i = 0; good && i < seed->record_count; i++) {
        const struct trace_record *record = &seed->records[i];
        switch ((enum trace_type)record->type) {
        case TRACE_BO_CREATE:
            replay_create(&p, record);
            break;
        case TRACE_SHADER_CREATE:
            replay_shader(&p, record, i == damaged || !below(8));
            break;
        case TRACE_BO_WRITE:
            replay_write(&p, record, i == damaged || !below(8));
            break;
        case TRACE_SET_TILING:
            replay_tiling(&p, record);
            break;
        case TRACE_SUBMIT:
            for (uint32_t n = 0; good && n < variants; n++) {
                int err = replay_submit(&p, record);
                good = !err || err == -EINVAL || err == -ENOMEM || err == -EFAULT || err == -ENOENT || err == -EALREADY;
            }
            break;
        case TRACE_BO_FREE: /* ignored: damaged jobs may still refer to the BO */
        case TRACE_READBACK:
        case TRACE_END:
            break;
        }
    }
    if (p.file)
        model_close(p.file);
    return good;
}

static void ignore_log(void *data, enum util_log_level level, const char *line)
{
}

int main(int argc, char **argv)
{
    const struct model_options options = {
        .threads = 1, .job_timeout_ns = JOB_TIMEOUT_NS, .memory_limit_B = UINT64_C(256) << 20};
    const char *seed_text = getenv("VKT_SEED"), *rounds_text = getenv("VKT_FUZZ");
    const uint64_t base = seed_text ? strtoull(seed_text, NULL, 0) : 1;
    const bool is_full = rounds_text && !strcmp(rounds_text, "full");
    const uint64_t rounds = is_full                                ? 25000
                            : rounds_text && atoi(rounds_text) > 0 ? strtoull(rounds_text, NULL, 0)
                                                                   : 1000;
    const bool is_verbose = getenv("VKT_FUZZ_VERBOSE") != NULL;
    struct model_device *dev = NULL;
    bool good = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    util_log_set_sink(ignore_log, NULL);
    seeds = calloc((size_t)argc, sizeof *seeds);
    for (int i = 1; seeds && i < argc; i++)
        if (load(&seeds[seed_count], argv[i]))
            seed_count++;
    printf("1..1\n# VKT_SEED=%" PRIu64 ", %u traces, %" PRIu64 " rounds\n", base, seed_count, rounds);
    if (!seed_count || model_create(&options, &dev)) {
        printf("not ok 1 - damaged traces # no trace could be read, or the model could not be created\n");
        return 1;
    }
    for (uint64_t round = 0; good && round < rounds; round++) {
        random_state = (base * UINT64_C(0x9e3779b97f4a7c15) + round) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
        const struct seed *seed = &seeds[below(seed_count)];
        if (is_verbose)
            printf("# round %" PRIu64 ": %s\n", round, seed->path);
        else if (round % 100 == 0)
            printf("# round %" PRIu64 ": %" PRIu64 " jobs, %" PRIu64 " ran\n", round, counts.jobs, counts.run);
        alarm(ROUND_LIMIT_S); /* a hang ends the program */
        good = replay_trace(dev, seed, 32);
        if (!good)
            printf("# round %" PRIu64 " of %s: an error code that the kernel never returns\n", round, seed->path);
    }
    alarm(0);
    model_destroy(dev);
    printf("# %" PRIu64 " jobs: %" PRIu64 " ran, %" PRIu64 " refused; %" PRIu64 " programs refused\n", counts.jobs,
           counts.run, counts.refused, counts.programs_refused);
    good = good && counts.run && counts.refused; /* otherwise the test had no effect */
    printf("%s 1 - damaged traces\n", good ? "ok" : "not ok");
    for (uint32_t i = 0; i < seed_count; i++)
        trace_close(&seeds[i].trace);
    free(seeds);
    return !good;
}
