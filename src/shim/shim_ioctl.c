/* SPDX-License-Identifier: MIT
 *
 * ioctls on the nodes: the core DRM ioctls that both nodes have, and those that the model serves [kernel drm_ioctl.c].
 * Those of the primary node alone are in shim_kms.c; a render node refuses them with EACCES.
 *
 * As in the kernel, arguments are copied in and out, so a caller may use a shorter or longer struct than ours (from
 * another version of the header); missing fields are zero. They are copied in the directions that both the caller's
 * request and ours have.
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
#include "util/fault.h"
#include "util/log.h"

#define DRIVER_NAME "vc4"
#define DRIVER_DATE "20140616"
#define DRIVER_TEXT "vc4 model shim"

static _Atomic uint32_t counts[256]; /* calls by ioctl number */

/* -- core ioctls -------------------------------------------------------------------------------------------------- */

static int copy_text(char *to, __kernel_size_t *length, const char *text)
{
    const size_t n = strlen(text), room = *length;
    *length = n;
    return to && room ? util_write_or_fault(to, text, MIN2(n, room)) : 0;
}

static int version(struct drm_version *args)
{
    args->version_major = args->version_minor = args->version_patchlevel = 0;
    int err = copy_text(args->name, &args->name_len, DRIVER_NAME);
    if (!err)
        err = copy_text(args->date, &args->date_len, DRIVER_DATE);
    return err ? err : copy_text(args->desc, &args->desc_len, DRIVER_TEXT);
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
    int err = model_bo_export(file->model, args->handle, !(args->flags & DRM_RDWR), &fd);
    if (err)
        return err;
    if (!(args->flags & DRM_CLOEXEC))
        fcntl(fd, F_SETFD, 0);
    args->fd = fd;
    return 0;
}

/* -- dispatch ----------------------------------------------------------------------------------------------------- */

static int submit(struct shim_file *file, struct drm_vc4_submit_cl *args)
{
    int err = model_ioctl(file->model, DRM_IOCTL_VC4_SUBMIT_CL, args);
    if (err)
        return err;
    shim_sync_job_submitted(args->seqno);
    if (args->out_sync)
        shim_sync_attach(file, args->out_sync, args->seqno);
    return 0;
}

/* In newer headers. */
#define IOCTL_SYNCOBJ_EVENTFD DRM_IOWR(0xcf, uint64_t[3])
#define IOCTL_MODE_CLOSEFB    DRM_IOWR(0xd0, uint32_t[2])

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
    IOCTL_SYNCOBJ_EVENTFD,
};

/* What render nodes refuse [kernel 6.12 drm_ioctl.c]. The primary node has some of them: shim_kms_request(). */
static const unsigned long primary_requests[] = {
    DRM_IOCTL_GET_UNIQUE,
    DRM_IOCTL_GET_MAGIC,
    DRM_IOCTL_GET_CLIENT,
    DRM_IOCTL_GET_STATS,
    DRM_IOCTL_SET_CLIENT_CAP,
    DRM_IOCTL_SET_VERSION,
    DRM_IOCTL_SET_UNIQUE,
    DRM_IOCTL_BLOCK,
    DRM_IOCTL_UNBLOCK,
    DRM_IOCTL_AUTH_MAGIC,
    DRM_IOCTL_SET_MASTER,
    DRM_IOCTL_DROP_MASTER,
    DRM_IOCTL_ADD_DRAW,
    DRM_IOCTL_RM_DRAW,
    DRM_IOCTL_FINISH,
    DRM_IOCTL_WAIT_VBLANK,
    DRM_IOCTL_UPDATE_DRAW,
    DRM_IOCTL_GEM_FLINK,
    DRM_IOCTL_GEM_OPEN,
    DRM_IOCTL_MODE_GETRESOURCES,
    DRM_IOCTL_MODE_GETPLANERESOURCES,
    DRM_IOCTL_MODE_GETCRTC,
    DRM_IOCTL_MODE_SETCRTC,
    DRM_IOCTL_MODE_GETPLANE,
    DRM_IOCTL_MODE_SETPLANE,
    DRM_IOCTL_MODE_CURSOR,
    DRM_IOCTL_MODE_GETGAMMA,
    DRM_IOCTL_MODE_SETGAMMA,
    DRM_IOCTL_MODE_GETENCODER,
    DRM_IOCTL_MODE_GETCONNECTOR,
    DRM_IOCTL_MODE_ATTACHMODE,
    DRM_IOCTL_MODE_DETACHMODE,
    DRM_IOCTL_MODE_GETPROPERTY,
    DRM_IOCTL_MODE_SETPROPERTY,
    DRM_IOCTL_MODE_GETPROPBLOB,
    DRM_IOCTL_MODE_GETFB,
    DRM_IOCTL_MODE_GETFB2,
    DRM_IOCTL_MODE_ADDFB,
    DRM_IOCTL_MODE_ADDFB2,
    DRM_IOCTL_MODE_RMFB,
    IOCTL_MODE_CLOSEFB,
    DRM_IOCTL_MODE_PAGE_FLIP,
    DRM_IOCTL_MODE_DIRTYFB,
    DRM_IOCTL_MODE_CREATE_DUMB,
    DRM_IOCTL_MODE_MAP_DUMB,
    DRM_IOCTL_MODE_DESTROY_DUMB,
    DRM_IOCTL_MODE_OBJ_GETPROPERTIES,
    DRM_IOCTL_MODE_OBJ_SETPROPERTY,
    DRM_IOCTL_MODE_CURSOR2,
    DRM_IOCTL_MODE_ATOMIC,
    DRM_IOCTL_MODE_CREATEPROPBLOB,
    DRM_IOCTL_MODE_DESTROYPROPBLOB,
    DRM_IOCTL_CRTC_GET_SEQUENCE,
    DRM_IOCTL_CRTC_QUEUE_SEQUENCE,
    DRM_IOCTL_MODE_CREATE_LEASE,
    DRM_IOCTL_MODE_LIST_LESSEES,
    DRM_IOCTL_MODE_GET_LEASE,
    DRM_IOCTL_MODE_REVOKE_LEASE,
};

static unsigned long find_request(const unsigned long *requests, size_t count, unsigned number)
{
    for (size_t i = 0; i < count; i++)
        if (_IOC_NR(requests[i]) == number)
            return requests[i];
    return 0;
}

/* The request of this number with our direction and struct size; 0 when there is none. *is_allowed_out tells whether
 * this node has it. */
static unsigned long known_request(const struct shim_file *file, unsigned number, bool *is_allowed_out)
{
    *is_allowed_out = true;
    unsigned long request = find_request(driver_requests, ARRAY_SIZE(driver_requests), number);
    if (!request)
        request = find_request(core_requests, ARRAY_SIZE(core_requests), number);
    if (request || file->is_primary)
        return request ? request : shim_kms_request(number);
    *is_allowed_out = false;
    return find_request(primary_requests, ARRAY_SIZE(primary_requests), number);
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
    bool is_allowed;
    const unsigned long known = known_request(file, number, &is_allowed);
    if (!known)
        return -EINVAL;
    const unsigned direction = _IOC_DIR(request) & _IOC_DIR(known);
    const size_t given_B = _IOC_SIZE(request);
    uint64_t copy[(_IOC_SIZEMASK + 1) / sizeof(uint64_t)];
    memset(copy, 0, MAX2(given_B, (size_t)_IOC_SIZE(known)));
    if ((direction & _IOC_WRITE) && util_read_or_fault(copy, arg, given_B))
        return -EFAULT;
    int err = is_allowed ? serve(file, known, copy) : -EACCES;
    if ((direction & _IOC_READ) && util_write_or_fault(arg, copy, given_B))
        return -EFAULT;
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
