/* SPDX-License-Identifier: MIT
 *
 * Waits for jobs and buffers, and performance monitors.
 */
#include <string.h>
#include "ioctls.h"

#define LONG_NS UINT64_C(60000000000)

/* -- waits -- */

static void random_wait_seqno(void)
{
    struct file *file = any_file();
    struct drm_vc4_wait_seqno args = {.timeout_ns = chance(50) ? LONG_NS : UINT64_MAX};
    uint32_t kind = rnd(6);
    line_begin("WAIT_SEQNO", "last");
    args.seqno = st.has_seqno ? st.last_seqno : 0;
    if (kind == 0) {
        line_kind("zero");
        args.seqno = 0;
        args.timeout_ns = 0;
    } else if (kind == 1) {
        line_kind("idle,no-time");
        quiesce();
        args.timeout_ns = 0;
    } else if (kind == 2) {
        line_kind("future,no-time");
        args.seqno += 1000000;
        args.timeout_ns = 0;
    } else if (kind == 3 && chance(20)) {
        line_kind("future,short");
        args.seqno += 1000000;
        args.timeout_ns = 1000000;
    }
    line_arg("file=%d", (int)(file - st.files));
    line_result(call(file->fd, DRM_IOCTL_VC4_WAIT_SEQNO, &args));
    line_end();
}

static void random_wait_bo(void)
{
    static const uint8_t job[] = {JOB_COLOR, JOB_TEXTURE, JOB_FS};
    static const uint32_t bad[] = {0, 9999, 0xffffffff};
    struct file *file = any_file();
    struct drm_vc4_wait_bo args = {.timeout_ns = LONG_NS};
    uint32_t kind = rnd(6), slot = rnd(BO_SLOTS);
    line_begin("WAIT_BO", "slot");
    args.handle = kind < 3 ? file->job[PICK(job)] : file->bos[slot].handle;
    if (chance(10)) {
        line_kind("bad-handle");
        args.handle = PICK(bad);
    }
    if (chance(8)) {
        line_kind("pad");
        args.pad = 1u << rnd(32);
    }
    if (chance(30)) {
        line_kind("idle,no-time");
        quiesce();
        args.timeout_ns = 0;
    }
    line_arg("file=%d handle=%u pad=%x", (int)(file - st.files), args.handle, args.pad);
    line_result(call(file->fd, DRM_IOCTL_VC4_WAIT_BO, &args));
    line_end();
}

/* -- monitors -- */

static void random_perfmon_create(void)
{
    static const uint32_t counts[] = {1, 2, 3, 15, 16, 0, 17, 255, 0xffffffff};
    struct file *file = any_file();
    struct drm_vc4_perfmon_create args = {.ncounters = PICK(counts), .id = 66};
    uint32_t slot = rnd(PERFMON_SLOTS);
    line_begin("PERFMON_CREATE", "count");
    for (uint32_t i = 0; i < 16; i++)
        args.events[i] = (uint8_t)rnd(VC4_PERFCNT_NUM_EVENTS);
    if (chance(15)) {
        line_kind("event");
        uint32_t at = rnd(16);
        args.events[at] = (uint8_t)(VC4_PERFCNT_NUM_EVENTS + rnd(200));
    }
    line_arg("file=%d ncounters=%u events=%08x", (int)(file - st.files), args.ncounters, digest(args.events, 16));
    int err = call(file->fd, DRM_IOCTL_VC4_PERFMON_CREATE, &args);
    line_result(err);
    line_out("id=%u", args.id);
    line_end();
    if (!err)
        file->perfmons[slot] = args.id;
}

static uint32_t any_perfmon(const struct file *file)
{
    static const uint32_t bad[] = {0, 9999, 0x80000000, 0xffffffff};
    uint32_t slot = rnd(PERFMON_SLOTS);
    if (chance(15)) {
        line_kind("bad-id");
        return PICK(bad);
    }
    return file->perfmons[slot];
}

static void random_perfmon_destroy(void)
{
    struct file *file = any_file();
    struct drm_vc4_perfmon_destroy args;
    line_begin("PERFMON_DESTROY", "slot");
    args.id = any_perfmon(file);
    line_arg("file=%d id=%u", (int)(file - st.files), args.id);
    line_result(call(file->fd, DRM_IOCTL_VC4_PERFMON_DESTROY, &args));
    line_end();
}

static void random_perfmon_values(void)
{
    struct file *file = any_file();
    uint64_t values[16];
    struct drm_vc4_perfmon_get_values args = {.values_ptr = (uintptr_t)values};
    const char *address;
    memset(values, 0x55, sizeof values);
    line_begin("PERFMON_GET_VALUES", "slot");
    args.id = any_perfmon(file);
    if (chance(10)) {
        args.values_ptr = (uintptr_t)bad_address(&address);
        line_kind(address);
    } else if (chance(5)) {
        line_kind("read-only");
        args.values_ptr = (uintptr_t)st.readable;
    }
    quiesce();
    line_arg("file=%d id=%u", (int)(file - st.files), args.id);
    line_result(call(file->fd, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &args));
    line_out("values=%08x", digest(values, sizeof values));
    line_end();
}

void random_wait_call(void)
{
    static void (*const calls[])(void) = {random_wait_seqno,     random_wait_seqno,      random_wait_bo,
                                          random_wait_bo,        random_perfmon_create,  random_perfmon_create,
                                          random_perfmon_values, random_perfmon_destroy, random_perfmon_values};
    PICK(calls)();
}
