/* SPDX-License-Identifier: MIT
 *
 * The core's part of every ioctl: unknown numbers, numbers of other nodes, sizes and directions that differ from the
 * header's, addresses that cannot be read or written; and VERSION, GET_CAP and GET_PARAM.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include "ioctls.h"

static void file_arg(const struct file *file)
{
    line_arg("file=%d", (int)(file - st.files));
}

/* -- queries -- */

static void random_version(void)
{
    struct file *file = any_file();
    char name[16] = {0}, date[32] = {0}, text[64] = {0};
    struct drm_version args = {.name_len = rnd(sizeof name), .name = name, .date = date, .desc = text};
    const char *address;
    line_begin("VERSION", "buffers");
    args.date_len = chance(50) ? sizeof date - 1 : 0;
    args.desc_len = chance(50) ? sizeof text - 1 : 0;
    if (chance(15)) {
        args.name = bad_address(&address);
        line_kind(address);
    } else if (chance(10)) {
        line_kind("read-only");
        args.name = (char *)st.readable;
    }
    file_arg(file);
    line_arg("name_len=%zu date_len=%zu desc_len=%zu", (size_t)args.name_len, (size_t)args.date_len,
             (size_t)args.desc_len);
    line_result(call(file->fd, DRM_IOCTL_VERSION, &args));
    line_out("version=%d.%d.%d name_len=%zu name=%.15s date=%s desc=%s", args.version_major, args.version_minor,
             args.version_patchlevel, (size_t)args.name_len, name, date[0] ? "some" : "none",
             text[0] ? "some" : "none");
    line_end();
}

static void random_cap(void)
{
    struct file *file = any_file();
    struct drm_get_cap args = {.capability = rnd(24), .value = 99};
    line_begin("GET_CAP", "capability");
    if (chance(10)) {
        line_kind("large");
        args.capability = UINT64_C(1) << (5 + rnd(59));
    }
    file_arg(file);
    line_arg("capability=%llx", (unsigned long long)args.capability);
    line_result(call(file->fd, DRM_IOCTL_GET_CAP, &args));
    line_out("value=%llu", (unsigned long long)args.value);
    line_end();
}

static void random_param(void)
{
    struct file *file = any_file();
    struct drm_vc4_get_param args = {.param = rnd(12), .value = 99};
    line_begin("GET_PARAM", "param");
    if (chance(10)) {
        line_kind("large");
        args.param = rnd32();
    }
    if (chance(10)) {
        line_kind("pad");
        args.pad = 1u << rnd(32);
    }
    file_arg(file);
    line_arg("param=%u pad=%x", args.param, args.pad);
    line_result(call(file->fd, DRM_IOCTL_VC4_GET_PARAM, &args));
    line_out("value=%llx", (unsigned long long)args.value);
    line_end();
}

/* -- numbers -- */

/* Numbers of the table above the driver's and below: those of render nodes are left out, as their arguments matter. */
static bool is_of_render_nodes(uint32_t number)
{
    static const uint8_t numbers[] = {0x00, 0x09, 0x0c, 0x2d, 0x2e, 0xbf, 0xc0, 0xc1,
                                      0xc2, 0xc3, 0xc4, 0xc5, 0xca, 0xcb, 0xcc, 0xcd};
    if (number >= 0x40 && number < 0x40 + 15)
        return true;
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static void random_number(void)
{
    struct file *file = any_file();
    uint64_t args[32] = {0};
    uint32_t number = rnd(256), size_B = 8 * rnd(32);
    static const uint32_t directions[] = {_IOC_NONE, _IOC_READ, _IOC_WRITE, _IOC_READ | _IOC_WRITE};
    uint32_t direction = PICK(directions);
    if (is_of_render_nodes(number))
        number = 0x60;
    line_begin("ioctl", number >= 0x40 && number < 0xa0 ? "driver-number" : "core-number");
    void *at = args;
    if (chance(10)) {
        line_kind("no-access");
        at = st.none;
    }
    file_arg(file);
    line_arg("number=%02x direction=%u size=%u", number, direction, size_B);
    line_result(call(file->fd, _IOC(direction, DRM_IOCTL_BASE, number, size_B), at));
    line_end();
}

static void random_name_call(void)
{
    struct file *file = any_file();
    if (chance(50)) {
        struct drm_gem_flink args = {.handle = file->job[JOB_COLOR]};
        line_begin("GEM_FLINK", "handle");
        file_arg(file);
        line_result(call(file->fd, DRM_IOCTL_GEM_FLINK, &args));
        line_out("name=%u", args.name);
    } else {
        struct drm_gem_open args = {.name = 1 + rnd(3)};
        line_begin("GEM_OPEN", "name");
        file_arg(file);
        line_arg("name=%u", args.name);
        line_result(call(file->fd, DRM_IOCTL_GEM_OPEN, &args));
        line_out("handle=%u", args.handle);
    }
    line_end();
}

/* -- sizes and directions -- */

/* Calls whose results do not depend on addresses or times, with good arguments in `args`. */
static unsigned long pick_plain(const struct file *file, uint64_t *args, const char **name_out)
{
    switch (rnd(7)) {
    case 0:
        *name_out = "GET_PARAM";
        ((struct drm_vc4_get_param *)args)->param = rnd(10);
        return DRM_IOCTL_VC4_GET_PARAM;
    case 1:
        *name_out = "GET_TILING";
        ((struct drm_vc4_get_tiling *)args)->handle = file->job[JOB_TEXTURE];
        return DRM_IOCTL_VC4_GET_TILING;
    case 2:
        *name_out = "WAIT_SEQNO";
        ((struct drm_vc4_wait_seqno *)args)->timeout_ns = rnd(2);
        return DRM_IOCTL_VC4_WAIT_SEQNO;
    case 3:
        *name_out = "GET_CAP";
        ((struct drm_get_cap *)args)->capability = chance(50) ? DRM_CAP_PRIME : DRM_CAP_SYNCOBJ;
        return DRM_IOCTL_GET_CAP;
    case 4:
        *name_out = "SYNCOBJ_CREATE";
        ((struct drm_syncobj_create *)args)->flags = rnd(2);
        return DRM_IOCTL_SYNCOBJ_CREATE;
    case 5:
        *name_out = "GEM_CLOSE";
        ((struct drm_gem_close *)args)->handle = 9999;
        return DRM_IOCTL_GEM_CLOSE;
    default:
        *name_out = "PERFMON_CREATE";
        ((struct drm_vc4_perfmon_create *)args)->ncounters = 1 + rnd(3);
        return DRM_IOCTL_VC4_PERFMON_CREATE;
    }
}

static void random_size(void)
{
    struct file *file = any_file();
    union {
        uint64_t words[128];
        uint8_t bytes[1024];
    } args;
    const char *name, *address;
    memset(args.bytes, 0, sizeof args.bytes);
    unsigned long request = pick_plain(file, args.words, &name);
    uint32_t size_B = _IOC_SIZE(request), direction = _IOC_DIR(request);
    memset(args.bytes + size_B, 0xaa, sizeof args.bytes - size_B);
    line_begin(name, "form");
    switch (rnd(3)) {
    case 0:
        line_kind("shorter");
        size_B = rnd(size_B);
        break;
    case 1:
        line_kind("longer");
        size_B += 1 + rnd(chance(50) ? 16 : 900);
        break;
    default:
        break;
    }
    if (chance(30)) {
        static const uint32_t directions[] = {_IOC_NONE, _IOC_READ, _IOC_WRITE};
        line_kind("direction");
        direction = PICK(directions);
    }
    void *at = args.bytes;
    switch (rnd(8)) {
    case 0:
        at = bad_address(&address);
        line_kind(address);
        break;
    case 1:
        line_kind("read-only");
        at = st.readable; /* zeros; results cannot be written */
        break;
    default:
        break;
    }
    file_arg(file);
    line_arg("args=%08x size=%u direction=%u", digest(args.bytes, 64), size_B, direction);
    line_result(call(file->fd, _IOC(direction, DRM_IOCTL_BASE, _IOC_NR(request), size_B), at));
    line_out("args=%08x", digest(args.bytes, sizeof args.bytes));
    line_end();
}

void random_core_call(void)
{
    static void (*const calls[])(void) = {random_version, random_cap,  random_cap,  random_param, random_param,
                                          random_number,  random_size, random_size, random_size,  random_number};
    if (chance(5))
        random_name_call();
    else
        PICK(calls)();
}
