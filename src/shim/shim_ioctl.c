/* SPDX-License-Identifier: MIT
 *
 * ioctls on the nodes: the core DRM ioctls that both nodes have, and those that the model serves [kernel drm_ioctl.c: a
 * render node refuses what is not marked for it with EACCES]. Those of the primary node alone are in shim_kms.c.
 *
 * As in the kernel, arguments are copied in and out, so a caller may use a shorter or longer struct than ours (from
 * another version of the header); missing fields are zero.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <drm.h>
#include <vc4_drm.h>
#include "shim/shim.h"
#include "shim/shim_kms.h"
#include "util/debug.h"
#include "util/environment.h"
#include "util/log.h"

#define DRIVER_NAME "vc4"
#define DRIVER_DATE "20140616"
#define DRIVER_TEXT "vc4 model shim"

static _Atomic uint32_t counts[256]; /* calls by ioctl number */

/* -- core ioctls -------------------------------------------------------------------------------------------------- */

static int copy_text(char *to, __kernel_size_t *length, const char *text)
{
    size_t n = strlen(text);
    if (to && *length)
        memcpy(to, text, MIN2(n, *length));
    *length = n;
    return 0;
}

static int version(struct drm_version *args)
{
    args->version_major = args->version_minor = args->version_patchlevel = 0;
    copy_text(args->name, &args->name_len, DRIVER_NAME);
    copy_text(args->date, &args->date_len, DRIVER_DATE);
    return copy_text(args->desc, &args->desc_len, DRIVER_TEXT);
}

static int get_cap(struct drm_get_cap *args)
{
    args->value = 0;
    switch (args->capability) {
    case DRM_CAP_TIMESTAMP_MONOTONIC:
    case DRM_CAP_SYNCOBJ:
        args->value = 1;
        return 0;
    case DRM_CAP_PRIME:
        args->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
        return 0;
    case DRM_CAP_SYNCOBJ_TIMELINE:
        return 0;
    default: /* display capabilities, which the driver reports on either node */
        return shim_kms_get_cap(args);
    }
}

static int prime_handle_to_fd(struct shim_file *file, struct drm_prime_handle *args)
{
    if (args->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))
        return -EINVAL;
    int fd;
    int err = model_bo_export(file->model, args->handle, &fd);
    if (!err && !(args->flags & DRM_CLOEXEC))
        fcntl(fd, F_SETFD, 0);
    args->fd = err ? -1 : fd;
    return err;
}

/* -- dispatch ----------------------------------------------------------------------------------------------------- */

static int submit(struct shim_file *file, struct drm_vc4_submit_cl *args)
{
    uint32_t in_sync = args->in_sync, out_sync = args->out_sync;
    if (out_sync && !shim_sync_is_handle(file, out_sync))
        return -EINVAL;
    int err = in_sync ? shim_sync_wait_in(file, in_sync) : 0;
    if (err)
        return err;
    struct drm_vc4_submit_cl plain = *args;
    plain.in_sync = plain.out_sync = 0;
    err = model_ioctl(file->model, DRM_IOCTL_VC4_SUBMIT_CL, &plain);
    if (err)
        return err;
    args->seqno = plain.seqno;
    if (out_sync)
        shim_sync_attach(file, out_sync, plain.seqno);
    return 0;
}

static const unsigned long driver_requests[] = {
    DRM_IOCTL_VC4_SUBMIT_CL,      DRM_IOCTL_VC4_WAIT_SEQNO,      DRM_IOCTL_VC4_WAIT_BO,
    DRM_IOCTL_VC4_CREATE_BO,      DRM_IOCTL_VC4_MMAP_BO,         DRM_IOCTL_VC4_CREATE_SHADER_BO,
    DRM_IOCTL_VC4_GET_HANG_STATE, DRM_IOCTL_VC4_GET_PARAM,       DRM_IOCTL_VC4_SET_TILING,
    DRM_IOCTL_VC4_GET_TILING,     DRM_IOCTL_VC4_LABEL_BO,        DRM_IOCTL_VC4_GEM_MADVISE,
    DRM_IOCTL_VC4_PERFMON_CREATE, DRM_IOCTL_VC4_PERFMON_DESTROY, DRM_IOCTL_VC4_PERFMON_GET_VALUES,
};

static const unsigned long core_requests[] = {
    DRM_IOCTL_VERSION,
    DRM_IOCTL_GET_CAP,
    DRM_IOCTL_GEM_CLOSE,
    DRM_IOCTL_PRIME_HANDLE_TO_FD,
    DRM_IOCTL_PRIME_FD_TO_HANDLE,
    DRM_IOCTL_SYNCOBJ_CREATE,
    DRM_IOCTL_SYNCOBJ_DESTROY,
    DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD,
    DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE,
    DRM_IOCTL_SYNCOBJ_WAIT,
    DRM_IOCTL_SYNCOBJ_RESET,
    DRM_IOCTL_SYNCOBJ_SIGNAL,
    DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
    DRM_IOCTL_SYNCOBJ_QUERY,
    DRM_IOCTL_SYNCOBJ_TRANSFER,
    DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
};

/* The request of this number with our struct size; 0 when this node has none. */
static unsigned long known_request(const struct shim_file *file, unsigned number)
{
    if (number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END) {
        unsigned index = number - DRM_COMMAND_BASE;
        return index < ARRAY_SIZE(driver_requests) ? driver_requests[index] : 0;
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(core_requests); i++)
        if (_IOC_NR(core_requests[i]) == number)
            return core_requests[i];
    return file->is_primary ? shim_kms_request(number) : 0;
}

static int serve(struct shim_file *file, unsigned long request, void *arg)
{
    switch (request) {
    case DRM_IOCTL_VERSION:
        return version(arg);
    case DRM_IOCTL_GET_CAP:
        return get_cap(arg);
    case DRM_IOCTL_PRIME_HANDLE_TO_FD:
        return prime_handle_to_fd(file, arg);
    case DRM_IOCTL_PRIME_FD_TO_HANDLE: {
        struct drm_prime_handle *prime = arg;
        return model_bo_import(file->model, prime->fd, &prime->handle);
    }
    case DRM_IOCTL_VC4_SUBMIT_CL:
        return submit(file, arg);
    case DRM_IOCTL_GEM_CLOSE:
        return model_ioctl(file->model, request, arg);
    default:
        if (_IOC_NR(request) >= DRM_COMMAND_BASE && _IOC_NR(request) < DRM_COMMAND_END)
            return model_ioctl(file->model, request, arg);
        return shim_kms_request(_IOC_NR(request)) ? shim_kms_ioctl(file, request, arg)
                                                  : shim_sync_ioctl(file, _IOC_NR(request), arg);
    }
}

int shim_ioctl(struct shim_file *file, unsigned long request, void *arg)
{
    unsigned number = _IOC_NR(request);
    counts[number]++;
    if (!file->model)
        return -ENODEV;
    unsigned long known = known_request(file, number);
    if (!known) /* an ioctl that the driver lacks, or a core ioctl that is not for render nodes */
        return file->is_primary || (number >= DRM_COMMAND_BASE && number < DRM_COMMAND_END) ? -EINVAL : -EACCES;
    size_t given_B = _IOC_SIZE(request), known_B = _IOC_SIZE(known);
    if (!arg && known_B)
        return -EFAULT;
    uint64_t copy[64] = {0};
    assert(known_B <= sizeof copy);
    if (arg)
        memcpy(copy, arg, MIN2(given_B, known_B));
    int err = serve(file, known, copy);
    if (arg)
        memcpy(arg, copy, MIN2(given_B, known_B));
    if (err == -EINVAL && *model_last_refusal() && util_debug(UTIL_DEBUG_JOBS))
        util_info("ioctl 0x%02x refused: %s", number, model_last_refusal());
    return err;
}

/* -- counts ------------------------------------------------------------------------------------------------------- */

void shim_ioctl_dump_counts(void)
{
    const char *path = util_environment("VC4VK_SHIM_COUNT");
    if (!path)
        return;
    FILE *out = SHIM_REAL(fopen64)(path, "a");
    if (!out) {
        util_error("VC4VK_SHIM_COUNT=%s: %s", path, strerror(errno));
        return;
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(counts); i++)
        if (counts[i])
            fprintf(out, "0x%02x %u\n", i, counts[i]);
    fclose(out);
    shim_ioctl_reset_counts();
}

void shim_ioctl_reset_counts(void)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(counts); i++)
        counts[i] = 0;
}
