/* SPDX-License-Identifier: MIT
 *
 * vc4-replay [--node PATH] IN.vc4trace OUT.png: replays a recorded trace on the model, or on a DRM node of a kernel's
 * driver, and writes the image that the trace reads back.
 *
 * The first row of the image is row 0 in memory. Exit status: 0 success; 1 failure, for example if the model refuses an
 * ioctl, in which case the broken rule is printed; 2 wrong use.
 */
#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vc4_drm.h>
#include "hw/format.h"
#include "hw/layout.h"
#include "model/model.h"
#include "tools/options.h"
#include "tools/trace.h"

#define MAX_HANDLE (1u << 20)

/* A buffer object of the trace. */
struct buffer {
    uint32_t handle; /* in the model or in the kernel; 0 = none */
    uint32_t size_B;
    uint8_t *map; /* of a node's buffer that has been written or read; NULL: not mapped */
};

struct replay {
    struct model_device *dev;
    struct model_file *file;
    int node;               /* the DRM node; -1: the model */
    struct buffer *buffers; /* by handle of the trace */
    uint32_t buffer_count;
    uint64_t last_seqno;
    bool hung; /* set by a thread of the model, read after the last job */
    const char *out_path;
    bool has_written_png;
};

static bool fail(const char *what, int err)
{
    const char *why = model_last_refusal();
    fprintf(stderr, "%s: %s%s%s\n", what, strerror(-err), *why ? ": " : "", why);
    return false;
}

static int do_ioctl(struct replay *r, unsigned long request, void *arg)
{
    if (r->node < 0)
        return model_ioctl(r->file, request, arg);
    int err;
    do
        err = ioctl(r->node, request, arg) ? -errno : 0;
    while (err == -EINTR || err == -EAGAIN);
    return err;
}

static bool set_buffer(struct replay *r, uint32_t trace_handle, uint32_t handle, uint32_t size_B)
{
    if (trace_handle >= MAX_HANDLE) {
        fprintf(stderr, "bad trace: handle %u, the limit is %u\n", trace_handle, MAX_HANDLE - 1);
        return false;
    }
    if (trace_handle >= r->buffer_count) {
        uint32_t count = util_next_pow2(trace_handle + 1);
        struct buffer *grown = realloc(r->buffers, count * sizeof *grown);
        if (!grown) {
            fprintf(stderr, "out of memory\n");
            return false;
        }
        memset(grown + r->buffer_count, 0, (count - r->buffer_count) * sizeof *grown);
        r->buffers = grown;
        r->buffer_count = count;
    }
    struct buffer *buffer = &r->buffers[trace_handle];
    if (buffer->map)
        munmap(buffer->map, buffer->size_B);
    *buffer = (struct buffer){.handle = handle, .size_B = size_B};
    return true;
}

static uint32_t get_handle(const struct replay *r, uint32_t trace_handle)
{
    return trace_handle < r->buffer_count ? r->buffers[trace_handle].handle : 0;
}

/* Memory of a buffer, or NULL. */
static uint8_t *map_buffer(struct replay *r, uint32_t trace_handle, uint64_t *size_B_out)
{
    if (r->node < 0)
        return model_bo_map(r->file, get_handle(r, trace_handle), size_B_out);
    if (!get_handle(r, trace_handle))
        return NULL;
    struct buffer *buffer = &r->buffers[trace_handle];
    *size_B_out = buffer->size_B;
    if (!buffer->map) {
        struct drm_vc4_mmap_bo args = {.handle = buffer->handle};
        if (do_ioctl(r, DRM_IOCTL_VC4_MMAP_BO, &args))
            return NULL;
        void *map = mmap(NULL, buffer->size_B, PROT_READ | PROT_WRITE, MAP_SHARED, r->node, (off_t)args.offset);
        buffer->map = map == MAP_FAILED ? NULL : map;
    }
    return buffer->map;
}

/* -- records -- */

static bool create_bo(struct replay *r, const struct trace_record *rec)
{
    struct drm_vc4_create_bo args = {.size = trace_u32(rec, 1)};
    int err = do_ioctl(r, DRM_IOCTL_VC4_CREATE_BO, &args);
    return err ? fail("CREATE_BO", err) : set_buffer(r, trace_u32(rec, 0), args.handle, args.size);
}

static bool create_shader(struct replay *r, const struct trace_record *rec)
{
    struct drm_vc4_create_shader_bo args = {.size = trace_u32(rec, 1)};
    if (rec->size_B < 8 || args.size > rec->size_B - 8) {
        fprintf(stderr, "bad trace: SHADER_CREATE too short\n");
        return false;
    }
    args.data = (uintptr_t)(rec->payload + 8);
    int err = do_ioctl(r, DRM_IOCTL_VC4_CREATE_SHADER_BO, &args);
    return err ? fail("CREATE_SHADER_BO", err) : set_buffer(r, trace_u32(rec, 0), args.handle, args.size);
}

static bool free_bo(struct replay *r, const struct trace_record *rec)
{
    struct drm_gem_close args = {.handle = get_handle(r, trace_u32(rec, 0))};
    int err = do_ioctl(r, DRM_IOCTL_GEM_CLOSE, &args);
    return err ? fail("GEM_CLOSE", err) : set_buffer(r, trace_u32(rec, 0), 0, 0);
}

static bool write_bo(struct replay *r, const struct trace_record *rec)
{
    uint64_t size_B = 0;
    uint8_t *map = map_buffer(r, trace_u32(rec, 0), &size_B);
    uint32_t offset_B = trace_u32(rec, 1);
    if (!map || rec->size_B < 8 || offset_B > size_B || rec->size_B - 8 > size_B - offset_B) {
        fprintf(stderr, "bad trace: BO_WRITE too short, to an unknown handle or past the end of its buffer\n");
        return false;
    }
    memcpy(map + offset_B, rec->payload + 8, rec->size_B - 8);
    return true;
}

static bool set_tiling(struct replay *r, const struct trace_record *rec)
{
    struct drm_vc4_set_tiling args = {
        .handle = get_handle(r, trace_u32(rec, 0)),
        .flags = trace_u32(rec, 1),
        .modifier = trace_u32(rec, 2) | (uint64_t)trace_u32(rec, 3) << 32,
    };
    int err = do_ioctl(r, DRM_IOCTL_VC4_SET_TILING, &args);
    return err ? fail("SET_TILING", err) : true;
}

static bool submit(struct replay *r, const struct trace_record *rec)
{
    struct trace_submit s;
    if (!trace_get_submit(rec, &s))
        return false;
    uint32_t *handles = malloc((size_t)s.args.bo_handle_count * 4 + 1);
    if (!handles) {
        fprintf(stderr, "out of memory\n");
        return false;
    }
    for (uint32_t i = 0; i < s.args.bo_handle_count; i++) {
        uint32_t trace_handle;
        memcpy(&trace_handle, s.bo_handles + 4 * (size_t)i, 4);
        handles[i] = get_handle(r, trace_handle);
    }
    s.args.bin_cl = (uintptr_t)s.bin_cl;
    s.args.shader_rec = (uintptr_t)s.shader_rec;
    s.args.uniforms = (uintptr_t)s.uniforms;
    s.args.bo_handles = (uintptr_t)handles;
    int err = do_ioctl(r, DRM_IOCTL_VC4_SUBMIT_CL, &s.args);
    free(handles);
    r->last_seqno = s.args.seqno;
    return err ? fail("SUBMIT_CL", err) : true;
}

static bool wait_for_jobs(struct replay *r)
{
    struct drm_vc4_wait_seqno args = {.seqno = r->last_seqno, .timeout_ns = UINT64_MAX};
    int err = do_ioctl(r, DRM_IOCTL_VC4_WAIT_SEQNO, &args);
    return err ? fail("WAIT_SEQNO", err) : true;
}

/* -- the image -- */

static void to_rgba8(uint8_t *out, const uint8_t *texel, uint32_t format)
{
    static const enum hw_format formats[] = {0, HW_FORMAT_R8G8B8A8_UNORM, HW_FORMAT_B5G6R5_UNORM,
                                             HW_FORMAT_B8G8R8A8_UNORM};
    union hw_texel t;
    hw_format_unpack(formats[format], texel, &t);
    hw_format_pack(HW_FORMAT_R8G8B8A8_UNORM, &t, out);
}

static bool write_png(const char *path, const uint8_t *rgba, uint32_t width_px, uint32_t height_px)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = width_px, .height = height_px, .format = PNG_FORMAT_RGBA};
    if (png_image_write_to_file(&image, path, 0, rgba, 0, NULL))
        return true;
    fprintf(stderr, "%s: %s\n", path, image.message);
    return false;
}

static bool read_back(struct replay *r, const struct trace_record *rec)
{
    struct trace_readback rb;
    if (!trace_get_readback(rec, &rb) || !wait_for_jobs(r))
        return false;
    uint64_t size_B = 0;
    const uint8_t *map = map_buffer(r, rb.handle, &size_B);
    uint8_t *raw = malloc((size_t)rb.width_px * rb.height_px * rb.cpp);
    uint8_t *rgba = malloc((size_t)rb.width_px * rb.height_px * 4);
    uint32_t uw, uh;
    hw_utile_size(rb.cpp, &uw, &uh);
    uint32_t pad_h = rb.tiling == HW_TILING_T ? 8 * uh : rb.tiling == HW_TILING_LT ? uh : 1;
    uint64_t end_B = rb.offset_B + (uint64_t)util_align(rb.height_px, pad_h) * rb.stride_B;
    bool ok = raw && rgba && map && end_B <= size_B && rb.stride_B / rb.cpp >= rb.width_px;
    if (ok) {
        struct hw_copy_rect all = {.width_el = rb.width_px, .height_el = rb.height_px};
        hw_copy_from_tiled(raw, rb.width_px * rb.cpp, map + rb.offset_B, (enum hw_tiling)rb.tiling, rb.stride_B, rb.cpp,
                           &all);
        for (size_t i = 0; i < (size_t)rb.width_px * rb.height_px; i++)
            to_rgba8(rgba + 4 * i, raw + i * rb.cpp, rb.format);
        ok = write_png(r->out_path, rgba, rb.width_px, rb.height_px);
        r->has_written_png = ok;
    } else {
        fprintf(stderr, "cannot read back: out of memory, unknown handle, bad stride, or past the end of its buffer\n");
    }
    free(raw);
    free(rgba);
    return ok;
}

static bool replay_record(struct replay *r, const struct trace_record *rec)
{
    switch ((enum trace_type)rec->type) {
    case TRACE_BO_CREATE:
        return create_bo(r, rec);
    case TRACE_SHADER_CREATE:
        return create_shader(r, rec);
    case TRACE_BO_FREE:
        return free_bo(r, rec);
    case TRACE_BO_WRITE:
        return write_bo(r, rec);
    case TRACE_SET_TILING:
        return set_tiling(r, rec);
    case TRACE_SUBMIT:
        return submit(r, rec);
    case TRACE_READBACK:
        return read_back(r, rec);
    case TRACE_END:
        return true;
    }
    fprintf(stderr, "bad trace: unknown record type %u\n", rec->type);
    return false;
}

static bool replay_all(struct replay *r, struct trace *trace)
{
    struct trace_record rec;
    do {
        if (!trace_next(trace, &rec) || !replay_record(r, &rec))
            return false;
    } while (rec.type != TRACE_END);
    return true;
}

static void job_finished(void *data, uint64_t seqno, uint64_t time_ns, int status)
{
    struct replay *r = data;
    if (status)
        __atomic_store_n(&r->hung, true, __ATOMIC_RELAXED);
}

static const struct tool tool = {
    .usage = "usage: vc4-replay [--node PATH] IN.vc4trace OUT.png\n"
             "Performs a trace on the model and writes the picture that it reads back.\n"
             "  --node PATH  perform it on this DRM node of the kernel's driver instead\n",
    .options = (const struct option[]){{"node", required_argument, NULL, 'n'}, TOOL_LAST_OPTIONS},
};

static bool open_model(struct replay *r)
{
    int err = model_create(NULL, &r->dev);
    if (!err)
        err = model_open(r->dev, &r->file);
    if (err) {
        fprintf(stderr, "cannot create the model: %s\n", strerror(-err));
        return false;
    }
    model_file_set_job_hooks(r->file, &(struct model_job_hooks){.data = r, .finished = job_finished});
    return true;
}

static bool open_node(struct replay *r, const char *path)
{
    r->node = open(path, O_RDWR | O_CLOEXEC);
    if (r->node < 0)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return r->node >= 0;
}

static void close_all(struct replay *r)
{
    for (uint32_t n = 0; n < r->buffer_count; n++)
        if (r->buffers[n].map)
            munmap(r->buffers[n].map, r->buffers[n].size_B);
    free(r->buffers);
    if (r->node >= 0)
        close(r->node);
    model_close(r->file);
    model_destroy(r->dev);
}

int main(int argc, char **argv)
{
    const char *node = NULL;
    optind = 0;
    for (int option; (option = tool_next_option(&tool, argc, argv)) >= 0;)
        if (option == 'n')
            node = optarg;
    if (argc - optind != 2)
        return tool_wrong_use(&tool);
    struct trace trace;
    if (!trace_open(&trace, argv[optind]))
        return 1;
    struct replay r = {.out_path = argv[optind + 1], .node = -1};
    bool ok = (node ? open_node(&r, node) : open_model(&r)) && replay_all(&r, &trace);
    close_all(&r);
    trace_close(&trace);
    if (ok && __atomic_load_n(&r.hung, __ATOMIC_RELAXED)) {
        fprintf(stderr, "a job hung\n");
        ok = false;
    }
    if (ok && !r.has_written_png) {
        fprintf(stderr, "bad trace: no READBACK, so there is no image to write\n");
        ok = false;
    }
    return ok ? 0 : 1;
}
